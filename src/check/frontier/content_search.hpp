// Objects whose contents follow from what has been done, in whatever order: a priority queue holds what was
// inserted and not extracted, a semaphore has the permits that were released and not acquired. There a
// frontier is all there is to a state, and a history is decided in time linear in its length where few
// operations overlap; the contents are kept along the way that the search goes, and put back where it turns
// round.
//
// Depth first. What is remembered are the frontiers that led nowhere, when they are left: every step takes an
// operation, so none is met again while the search is still in it, and a history whose order is found at once
// costs no memory for them. An operation that changes nothing takes effect as soon as it fits: waiting helps
// neither it nor others. One that can wait (the contents know which, and why) takes effect when it is the next
// to return, or right before one that needs it. Like the search of queues (frontier_queue.hpp), this one tells
// the first return that no order gets past.
//
// What `Content` has to say, of operations by their number:
//
//   bool fits(op)               its result is the one that the contents give now
//   void apply(op), undo(op)    it takes effect; it is put back, the last one first
//   optional result(op)         what the contents would give it now; none: it could not return
//   void set_result(op, v)      from now on that is its result
//   bool can_wait(op)
//   bool can_be_helped(op)      of one that changes nothing: need(op, 0) may name an operation
//   bool takes_unknown(op)      one that never returned, and changes the contents by something not known
//   optional<Need> need(op, n)  what would let it fit, if at most n of the unknown ones come first; none: nothing
//   uint32 unknown()            a number for what the unknown ones have changed so far: 0 for nothing
//   void change_by(u, back)     as much as these have, or back
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_set.h>

#include "check/frontier/frontier_order.hpp"
#include "check/part.hpp"
#include "check/search/longest_trail.hpp"

namespace plumb {

struct ContentAnswer {
  Outcome outcome = Outcome::kUnknown;
  StopReason spent = StopReason::kNothing;  // for kUnknown
  // For kHolds, of all that returned. Otherwise of all that returned before the one that is stuck, or,
  // for kUnknown, that was not explained so far.
  std::vector<std::uint32_t> order;
  std::uint32_t stuck = 0;
  std::vector<Value> allowed = {};  // for kViolation: results that it could have had
  bool allowed_complete = true;     // false: perhaps others
  std::uint64_t states = 0;         // met
};

// What has to come right before an operation.
struct ContentNeed {
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::uint32_t alike = kNone;  // one of this FrontierOp::value
  std::uint32_t unknown = 0;    // so many whose changes are not known
};

template <class Content>
class ContentSearch {
 public:
  // The operations by call; those of the same value are the same in every respect.
  ContentSearch(std::vector<FrontierOp> operations, Content& content, const SearchLimits& limits)
      : order_(std::move(operations)),
        content_(content),
        limits_(limits),
        gauge_(*limits.budget, limits.rank) {
    for (std::uint32_t op = 0; op < order_.size(); ++op)
      has_unknown_ = has_unknown_ || content_.takes_unknown(op);
    // An easy history passes through about as many states as it has operations.
    levels_.reserve(order_.size());
    trail_.reserve(order_.size());
  }

  ContentAnswer run() {
    ContentAnswer answer;
    goal_ = order_.returns();
    enter({});
    answer.outcome = explore();
    answer.spent = gauge_.reason();
    answer.order = answer.outcome == Outcome::kHolds ? std::exchange(trail_, {}) : longest_.kept();
    if (answer.outcome != Outcome::kHolds) answer.stuck = order_.returning(covered_);
    if (answer.outcome == Outcome::kViolation) find_allowed(answer);
    answer.states = states_;
    return answer;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Met {
    Frontier frontier;
    std::uint32_t unknown;
    std::uint32_t given;  // to the operation that is stuck; kNone: nothing so far
    friend bool operator==(const Met&, const Met&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Met& met) {
      return H::combine(std::move(h), met.frontier, std::uint64_t{met.unknown} << 32U | met.given);
    }
  };

  // Where the search stands: what is taken, and what is still to be tried there.
  struct Level {
    Frontier frontier;
    std::uint32_t last_call = 0;  // among what is taken
    std::uint32_t changes = 0;    // so many operations that change the contents led here
    std::uint32_t trail = 0;      // how long it was before these
    std::uint32_t untried = 0;    // where these begin in `untried_`
  };

  Outcome explore() {
    while (!levels_.empty() && covered_ < goal_) {
      if (is_spent() || states_ > most_states_) return Outcome::kUnknown;
      const Level& level = levels_.back();
      if (untried_.size() == level.untried) {
        leave();
        continue;
      }
      const std::uint32_t op = untried_.back();
      untried_.pop_back();
      helpers_.clear();
      if (op == probed_ ? probe() : content_.fits(op) || find_helpers(level, op)) go_on(Level(level), op);
    }
    return covered_ >= goal_ ? Outcome::kHolds : Outcome::kViolation;
  }
  bool is_spent() {
    constexpr std::size_t kBytes = 2 * sizeof(Met) + sizeof(Level);
    if (states_ > limits_.configurations) gauge_.spend(StopReason::kRound);
    if ((met_.size() + levels_.size()) * kBytes > limits_.memory) gauge_.spend(StopReason::kMemory);
    return gauge_.spent();
  }

  // Gives the operation that is stuck the result that the contents have for it, if that is not known to be
  // allowed already.
  bool probe() {
    const std::optional<Value> result = content_.result(probed_);
    if (!result || allowed_.contains(*result)) return false;
    content_.set_result(probed_, *result);
    given_ = *result;
    return true;
  }

  // What lets it fit, if that can come now. Of several that are alike, the one that returns first.
  bool find_helpers(const Level& level, std::uint32_t op) {
    if (probed_ != kNone) return false;
    std::uint32_t unknown = 0;
    if (has_unknown_) {
      order_.each_enabled(level.frontier,
                          [&](std::uint32_t other) { unknown += content_.takes_unknown(other) ? 1 : 0; });
    }
    const std::optional<ContentNeed> need = content_.need(op, unknown);
    if (!need) return false;
    std::uint32_t alike = kNone;
    order_.each_enabled(level.frontier, [&](std::uint32_t other) {
      if (helpers_.size() < need->unknown && content_.takes_unknown(other)) helpers_.push_back(other);
      if (order_[other].value != need->alike) return;
      if (alike == kNone || order_[other].ret < order_[alike].ret) alike = other;
    });
    if (alike != kNone) helpers_.push_back(alike);
    return need->alike == ContentNeed::kNone || alike != kNone;
  }

  void go_on(Level level, std::uint32_t op) {
    level.trail = static_cast<std::uint32_t>(trail_.size());
    helpers_.push_back(op);
    for (const std::uint32_t next : helpers_) {
      content_.apply(next);
      take(level, next);
    }
    level.changes = static_cast<std::uint32_t>(helpers_.size());
    enter(level);
  }
  void take(Level& level, std::uint32_t op) {
    level.frontier = order_.take(level.frontier, op);
    level.last_call = std::max(level.last_call, order_[op].call);
    trail_.push_back(op);
  }

  void enter(Level level) {
    level.untried = static_cast<std::uint32_t>(untried_.size());
    while (true) {
      note(level);
      if (covered_ >= goal_ || met_.contains(state(level))) break;
      ++states_;
      const std::uint32_t unchanging = list_enabled(level);
      if (unchanging == kNone) {
        levels_.push_back(level);
        return;
      }
      met_.insert(state(level));  // there is no other way from here
      take(level, unchanging);
    }
    levels_.push_back(level);
    if (covered_ < goal_) leave();
  }
  [[nodiscard]] Met state(const Level& level) const {
    return {level.frontier, content_.unknown(), given_ ? given_->bits() : kNone};
  }
  // What is to be tried here, the first to return last. Or, where there is one, the first operation that fits
  // and changes nothing.
  std::uint32_t list_enabled(const Level& level) {
    const std::uint32_t urgent = order_.first_return(level.frontier);
    std::uint32_t unchanging = kNone;
    untried_.resize(level.untried);
    order_.each_enabled(level.frontier, [&](std::uint32_t op) {
      const FrontierOp& operation = order_[op];
      if (operation.keeps && content_.fits(op)) {
        unchanging = std::min(unchanging, op);
      } else if (!may_wait(op, urgent) && can_fit(op) && !order_.has_better(level.frontier, op)) {
        untried_.push_back(op);
      }
    });
    if (unchanging != kNone) {
      untried_.resize(level.untried);
      return unchanging;
    }
    const auto here = std::span(untried_).subspan(level.untried);
    if (here.size() > 1)
      std::ranges::sort(here, std::greater(), [&](std::uint32_t op) { return order_[op].ret; });
    return kNone;
  }
  [[nodiscard]] bool may_wait(std::uint32_t op, std::uint32_t urgent) const {
    return probed_ == kNone && order_[op].ret != urgent && content_.can_wait(op);
  }
  // Now, or after others that come right before it.
  [[nodiscard]] bool can_fit(std::uint32_t op) const {
    return !order_[op].keeps || has_unknown_ || content_.can_be_helped(op);
  }
  void leave() {
    const Level& level = levels_.back();
    met_.insert(state(level));
    untried_.resize(level.untried);
    for (std::size_t i = level.changes; i-- > 0;) {
      content_.undo(trail_[level.trail + i]);
      if (trail_[level.trail + i] == probed_) given_.reset();
    }
    trail_.resize(level.trail);
    longest_.shorten(level.trail);
    levels_.pop_back();
  }

  // All that returned by some moment is taken, and nothing that was called later. Of the moments, the last is
  // kept.
  void note(const Level& level) {
    const std::uint32_t returned = level.frontier.returned;
    if (returned <= covered_ || order_[order_.returning(returned - 1)].ret < level.last_call) return;
    if (probed_ != kNone) {
      allowed_.insert(*given_);
      return;
    }
    covered_ = returned;
    longest_.keep(trail_);
  }

  // What the stuck operation could have returned: from the frontiers that were met before its call the search
  // goes on once more, and this time it takes whatever result the contents give it. That result is part of
  // the state then. Those with which the return is covered are kept. That is not worth more than the verdict was.
  void find_allowed(ContentAnswer& answer) {
    constexpr std::uint64_t kWorth = 100'000;  // states
    most_states_ = 2 * states_ + kWorth;
    const std::vector<Met> from = met_before(order_[answer.stuck].call);
    probed_ = answer.stuck;
    order_.set_keeps(probed_, false);
    order_.set_value(probed_, kNone);  // like no other
    met_.clear();
    std::uint32_t first = order_.returns();  // what returned before is in all of them
    for (const Met& met : from) first = std::min(first, met.frontier.returned);
    for (std::uint32_t ret = 0; ret < first; ++ret) change(order_.returning(ret), false);
    for (const Met& met : from) {
      begin_at(met, first);
      answer.allowed_complete = explore() == Outcome::kViolation;
      if (!answer.allowed_complete) break;
      change_to(met, first, true);
    }
    answer.allowed.assign(allowed_.begin(), allowed_.end());
  }
  // Those from which one step can lead past the call: it passes the returns of operations that were open.
  [[nodiscard]] std::vector<Met> met_before(std::uint32_t call) const {
    std::uint32_t until = 0;
    while (order_[order_.returning(until)].ret < call) ++until;
    std::vector<Met> before;
    for (const Met& met : met_) {
      const std::uint32_t returned = met.frontier.returned;
      if (returned < until && returned + FrontierOrder::kMostOpen >= until) before.push_back(met);
    }
    if (until == 0) before.push_back({{}, 0, kNone});
    return before;
  }
  void begin_at(const Met& met, std::uint32_t first) {
    change_to(met, first, false);
    Level level = {.frontier = met.frontier};
    each_since(met, first,
               [&](std::uint32_t op) { level.last_call = std::max(level.last_call, order_[op].call); });
    enter(level);
  }
  void change_to(const Met& met, std::uint32_t first, bool back) {
    each_since(met, first, [&](std::uint32_t op) { change(op, back); });
    content_.change_by(met.unknown, back);
  }
  void change(std::uint32_t op, bool back) {
    if (content_.takes_unknown(op)) return;
    if (back) {
      content_.undo(op);
    } else {
      content_.apply(op);
    }
  }
  template <class Visit>
  void each_since(const Met& met, std::uint32_t first, Visit&& visit) const {
    order_.each_between({.returned = first}, met.frontier, visit);
  }

  FrontierOrder order_;
  Content& content_;
  const SearchLimits& limits_;
  BudgetGauge gauge_;
  bool has_unknown_ = false;
  std::uint32_t goal_ = 0;     // returns to be covered
  std::uint32_t covered_ = 0;  // so many were
  std::vector<Level> levels_;
  std::vector<std::uint32_t> untried_;  // of all levels, the last to be tried first
  std::vector<std::uint32_t> helpers_;  // of what is tried
  std::vector<std::uint32_t> trail_;
  LongestTrail longest_;
  absl::flat_hash_set<Met> met_;  // and left
  std::uint64_t states_ = 0;
  std::uint64_t most_states_ = ~std::uint64_t{0};
  std::uint32_t probed_ = kNone;        // the operation that is stuck, while it is given results
  std::optional<Value> given_;          // on the present way
  absl::flat_hash_set<Value> allowed_;  // results that explain its return
};

}  // namespace plumb
