// Objects whose contents are told by what has been done, in whatever order: a priority queue holds what was
// inserted and not extracted, a semaphore has the permits that were released and not acquired. There a
// frontier is all there is to a state, and a history is decided in time linear in its length where few
// operations overlap; the contents are kept along the way that the search goes, and put back where it turns
// round.
//
// Depth first, with the frontiers that have been met. An operation that changes nothing takes effect as soon
// as it fits: waiting helps neither it nor others. Like the search of queues (frontier_queue.hpp), this one
// tells the first return that no order gets past.
//
// What `Content` has to say, of operations by their number:
//
//   bool fits(op)             its result is the one that the contents give now
//   void apply(op), undo(op)  it takes effect; it is put back
//   optional result(op)       what the contents would give it now; none: it could not return
//   void set_result(op, v)    from now on that is its result
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <tuple>
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

template <class Content>
class ContentSearch {
 public:
  // The operations by call; those of the same value are the same in every respect.
  ContentSearch(std::span<const FrontierOp> operations, Content& content, const SearchLimits& limits)
      : order_(operations), content_(content), limits_(limits), gauge_(*limits.budget, limits.rank) {}

  ContentAnswer run() {
    ContentAnswer answer;
    answer.outcome = explore(order_.returns());
    answer.spent = gauge_.reason();
    answer.order = answer.outcome == Outcome::kHolds ? std::exchange(trail_, {}) : longest_.kept();
    if (answer.outcome != Outcome::kHolds) answer.stuck = order_.returning(covered_);
    if (answer.outcome == Outcome::kViolation) find_allowed(answer);
    answer.states = states_;
    return answer;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // Where the search stands: what is taken, and what is still to be tried there.
  struct Level {
    Frontier frontier;
    std::uint32_t last_call = 0;  // among what is taken
    std::uint32_t by = kNone;     // the operation that led here
    std::size_t trail = 0;        // how long it was before that
    std::size_t untried = 0;      // where these begin in `untried_`
  };

  Outcome explore(std::uint32_t goal) {
    goal_ = goal;
    enter({});
    while (!levels_.empty() && covered_ < goal_) {
      if (is_spent()) return Outcome::kUnknown;
      Level& level = levels_.back();
      if (untried_.size() == level.untried) {
        leave();
        continue;
      }
      const std::uint32_t op = untried_.back();
      untried_.pop_back();
      if (op == probed_ ? probe() : content_.fits(op)) go_on(level, op);
    }
    return covered_ >= goal_ ? Outcome::kHolds : Outcome::kViolation;
  }
  bool is_spent() {
    constexpr std::size_t kBytes = 2 * sizeof(Frontier) + sizeof(Level);
    if (states_ > limits_.configurations) gauge_.spend(StopReason::kRound);
    if (met_.size() * kBytes > limits_.memory) gauge_.spend(StopReason::kMemory);
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

  void go_on(const Level& level, std::uint32_t op) {
    content_.apply(op);
    Level next = {.frontier = order_.take(level.frontier, op),
                  .last_call = std::max(level.last_call, order_[op].call),
                  .by = op,
                  .trail = trail_.size()};
    trail_.push_back(op);
    enter(next);
  }

  void enter(Level level) {
    note(level);
    level.untried = untried_.size();
    while (const auto unchanging = list_enabled(level)) settle(level, *unchanging);
    levels_.push_back(level);
    if (covered_ >= goal_) return;
    if (!met_.insert({level.frontier.returned, given_ ? given_->bits() : kNone, level.frontier.taken}).second)
      return leave();
    ++states_;
    const auto tried_here = std::span(untried_).subspan(level.untried);
    if (tried_here.size() > 1)
      std::ranges::sort(tried_here, std::greater(), [&](std::uint32_t op) { return order_[op].ret; });
  }
  // What is to be tried here. Or, where there is one, the first operation that fits and changes nothing.
  std::optional<std::uint32_t> list_enabled(const Level& level) {
    std::uint32_t unchanging = kNone;
    untried_.resize(level.untried);
    order_.each_enabled(level.frontier, [&](std::uint32_t op) {
      if (order_[op].keeps) {
        if (op < unchanging && content_.fits(op)) unchanging = op;
      } else if (!order_.has_better(level.frontier, op)) {
        untried_.push_back(op);
      }
    });
    return unchanging == kNone ? std::nullopt : std::optional(unchanging);
  }
  void leave() {
    const Level& level = levels_.back();
    untried_.resize(level.untried);
    trail_.resize(level.trail);
    longest_.shorten(level.trail);
    if (level.by != kNone) content_.undo(level.by);
    if (level.by == probed_) given_.reset();
    levels_.pop_back();
  }

  void settle(Level& level, std::uint32_t op) {
    level.frontier = order_.take(level.frontier, op);
    level.last_call = std::max(level.last_call, order_[op].call);
    trail_.push_back(op);
    note(level);
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

  // What the stuck operation could have returned: it is searched once more, and this time it takes whatever
  // result the contents give it. That result is part of the state then. Those with which the return is
  // covered are kept.
  void find_allowed(ContentAnswer& answer) {
    probed_ = answer.stuck;
    order_.set_keeps(probed_, false);
    order_.set_value(probed_, kNone);  // like no other
    met_.clear();
    answer.allowed_complete = explore(order_.returns()) == Outcome::kViolation;
    answer.allowed.assign(allowed_.begin(), allowed_.end());
  }

  FrontierOrder order_;
  Content& content_;
  const SearchLimits& limits_;
  BudgetGauge gauge_;
  std::uint32_t goal_ = 0;     // returns to be covered
  std::uint32_t covered_ = 0;  // so many were
  std::vector<Level> levels_;
  std::vector<std::uint32_t> untried_;  // of all levels, the last to be tried first
  std::vector<std::uint32_t> trail_;
  LongestTrail longest_;
  absl::flat_hash_set<std::tuple<std::uint32_t, std::uint32_t, std::uint64_t>> met_;
  std::uint64_t states_ = 0;
  std::uint32_t probed_ = kNone;        // the operation that is stuck, while it is given results
  std::optional<Value> given_;          // on the present way
  absl::flat_hash_set<Value> allowed_;  // results that explain its return
};

}  // namespace plumb
