// The relaxed search: builds the sequentialization and the legal history together, place by place, for any model.
//
// A place is given to one operation that does not move, in both orders; or to a relaxed class: then one operation of the
// class stands there in the sequentialization, one in the legal history. Operations that stand in one order only are owed
// to the other, which must have them before they are more than K places old: so at most K are owed each way. A
// configuration is what the general search has (the next return, the open operations that are placed, the pending
// ones, all as to the sequentialization, and the state, which follows the legal history) and the list of what is owed. The
// legal history has exactly the operations of the sequentialization, but for that list: so the memo is exact, and there is
// no enumeration of permutations.
//
// What keeps it small, with the reasons:
//  - Who takes the place in the sequentialization: x rather than y, if x stands in the legal history before y does (y
//    perhaps not yet) and returns no later. Wherever x would come later, the two can change places: y is not owed for
//    longer than x would have been, and x only for less long.
//  - The legal history takes an operation before its time only if it can still come within K places: so many
//    operations of its class, not yet placed, must come before it.
//  - Of two operations that are the same in call and result (two dequeues of nothing), the one that is earlier in call and
//    return is taken first: see RelaxedLayout::twin.
//  - An operation that is not of a relaxed class and never changes the state takes effect as soon as it fits.
//  - Fewer pending operations used is better (the memo knows): what is owed is counted in places back from here, so that
//    nothing else depends on how many were used.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "check/relaxed/outstanding.hpp"
#include "check/relaxed/relaxed_layout.hpp"
#include "check/search/memo.hpp"
#include "check/search/slots.hpp"

namespace plumb {

// One search. To be used once: search(), then ask what it found.
template <std::size_t kWords>
class RelaxedSearch {
 public:
  RelaxedSearch(const RelaxedLayout& layout, States& states, const SearchLimits& limits)
      : layout_(layout),
        states_(states),
        limits_(limits),
        gauge_(*limits.budget, limits.rank),
        pending_words_((layout.base.pending.size() + 63) / 64),
        window_words_(Slots<kWords>(layout.base.slots).words()),
        memo_(2 + window_words_, pending_words_, limits.memory),
        record_(2 + window_words_ + pending_words_) {}

  // Depth-first: is there a pair of orders that passes the first `goal` returns? For all of them, nothing may be owed
  // in the end.
  Outcome search(std::uint32_t goal);

  [[nodiscard]] std::vector<RelaxedPlace> places() const;             // after kHolds
  [[nodiscard]] std::vector<StateId> states_after() const;            // each place, likewise
  [[nodiscard]] std::uint32_t furthest() const { return furthest_; }  // after kViolation: not to be passed
  [[nodiscard]] StopReason spent() const { return gauge_.reason(); }  // after kUnknown
  [[nodiscard]] std::uint64_t configurations() const { return configurations_; }

 private:
  struct Configuration {
    std::uint32_t r = 0;  // the return to be passed next
    StateId state = 0;
    std::uint32_t owed = OutstandingLists::kEmpty;
    Slots<kWords> window;  // of the operations open at r, those in the sequentialization
    Slots<0> pending;      // by pending number: in the sequentialization
  };
  struct Place {
    std::uint32_t sequenced;
    std::uint32_t legal;
    StateId state;  // after it
  };
  struct Child {
    Place place;
    std::uint64_t rank;  // the least is tried first
  };
  struct Frame {
    Configuration at;
    std::size_t trail;     // length of the trail here
    std::size_t children;  // those above in children_ are still to be tried
  };
  struct Sequenced {  // may take the place in the sequentialization
    std::uint32_t operation;
    std::uint32_t age;  // 0: not in the legal history yet
  };
  static constexpr std::uint32_t kNotLegalYet = 0;

  bool enter(const Configuration& at);
  [[nodiscard]] bool is_done(const Configuration& at) const {
    return at.r >= goal_ && (goal_ < layout_.returns() || at.owed == OutstandingLists::kEmpty);
  }
  [[nodiscard]] bool is_new(const Configuration& at);
  [[nodiscard]] bool is_dead_end(const Configuration& at) const;
  void mind_limits();

  void take(const Place& place, Configuration& at);
  void change_owed(const Place& place, std::uint32_t one, Configuration& at);
  void take_reads(Configuration& at);
  void sequence(std::uint32_t operation, Configuration& at) const;

  void find_children(const Configuration& at);
  void try_unmoved(const Configuration& at, std::uint32_t operation);
  void try_class(const Configuration& at, std::uint32_t one);
  void find_sequenced(const Configuration& at, std::uint32_t one);
  void try_legal(const Configuration& at, std::uint32_t operation, std::uint32_t rank);
  void try_early(const Configuration& at, std::uint32_t one);
  [[nodiscard]] bool is_outdone(const Sequenced& y, std::uint32_t legal) const;

  [[nodiscard]] const Layout::Operation& op(std::uint32_t operation) const {
    return layout_.base.operations[operation];
  }
  [[nodiscard]] bool is_sequenced(const Configuration& at, std::uint32_t operation) const {
    if (!op(operation).result) return at.pending.test(op(operation).slot);
    return layout_.ret[operation] < at.r ||
           (operation < layout_.called_until(at.r) && at.window.test(op(operation).slot));
  }
  [[nodiscard]] const Displaced* find_owed(const Configuration& at, std::uint32_t operation) const {
    const auto list = owed_[at.owed];
    const auto it = std::ranges::find(list, operation, &Displaced::operation);
    return it == list.end() ? nullptr : &*it;
  }
  [[nodiscard]] bool is_legal(const Configuration& at, std::uint32_t operation) const {
    const Displaced* owed = find_owed(at, operation);
    return owed != nullptr ? owed->is_ahead() : is_sequenced(at, operation);
  }
  // How many of its class must come before it in the sequentialization and are not there; counted up to `most` + 1.
  [[nodiscard]] std::uint32_t must_come_before(const Configuration& at, std::uint32_t operation,
                                               std::uint32_t most) const;

  const RelaxedLayout& layout_;
  States& states_;
  const SearchLimits& limits_;
  BudgetGauge gauge_;
  std::size_t pending_words_;
  std::size_t window_words_;

  std::uint32_t goal_ = 0;
  std::vector<Place> trail_;
  std::vector<Frame> frames_;
  std::vector<Child> children_;
  std::vector<StateId> next_;
  std::vector<Displaced> list_;
  std::vector<Sequenced> sequenced_;

  OutstandingLists owed_;
  Memo memo_;
  std::vector<std::uint64_t> record_;
  std::uint64_t configurations_ = 0;
  std::uint32_t furthest_ = 0;
};

template <std::size_t kWords>
Outcome RelaxedSearch<kWords>::search(std::uint32_t goal) {
  goal_ = goal;
  Configuration at{.state = states_.initial(),
                   .window = Slots<kWords>(layout_.base.slots),
                   .pending = Slots<0>(layout_.base.pending.size())};
  take_reads(at);
  if (is_done(at)) return Outcome::kHolds;
  enter(at);
  while (!frames_.empty()) {
    if (gauge_.spent()) return Outcome::kUnknown;
    Frame& frame = frames_.back();
    trail_.resize(frame.trail);
    if (children_.size() == frame.children) {
      frames_.pop_back();
      continue;
    }
    const Child child = children_.back();
    children_.pop_back();
    at = frame.at;
    take(child.place, at);
    take_reads(at);
    if (is_done(at)) return Outcome::kHolds;
    enter(at);
  }
  return Outcome::kViolation;
}

// Goes into the configuration, unless one at least as good has been met.
template <std::size_t kWords>
bool RelaxedSearch<kWords>::enter(const Configuration& at) {
  if (!is_new(at) || is_dead_end(at)) return false;
  if ((++configurations_ & 1023U) == 0) mind_limits();
  furthest_ = std::max(furthest_, at.r);
  const std::size_t children = children_.size();
  find_children(at);
  std::sort(children_.begin() + static_cast<std::ptrdiff_t>(children), children_.end(),
            [](const Child& a, const Child& b) { return a.rank > b.rank; });
  frames_.push_back({at, trail_.size(), children});
  return true;
}

template <std::size_t kWords>
bool RelaxedSearch<kWords>::is_new(const Configuration& at) {
  record_[0] = (std::uint64_t{at.r} + 1) << 32U | at.state;  // + 1: never 0, which marks a free place
  record_[1] = at.owed;
  for (std::size_t i = 0; i < window_words_; ++i) record_[2 + i] = at.window.word(i);
  for (std::size_t i = 0; i < pending_words_; ++i) record_[2 + window_words_ + i] = at.pending.word(i);
  return memo_.insert(record_.data());
}

// Something that the legal history has taken early can no longer come in time.
template <std::size_t kWords>
bool RelaxedSearch<kWords>::is_dead_end(const Configuration& at) const {
  return std::ranges::any_of(owed_[at.owed], [&](Displaced owed) {
    if (!owed.is_ahead()) return false;
    const std::uint32_t left = layout_.classes[layout_.class_of[owed.operation()]].k - owed.age();
    return must_come_before(at, owed.operation(), left) > left;
  });
}

template <std::size_t kWords>
std::uint32_t RelaxedSearch<kWords>::must_come_before(const Configuration& at, std::uint32_t operation,
                                                      std::uint32_t most) const {
  const std::uint32_t until = layout_.returns_before[operation];
  if (until <= at.r) return 0;
  const auto& returns = layout_.classes[layout_.class_of[operation]].returns;
  std::uint32_t count = 0;
  for (auto it = std::ranges::lower_bound(returns, at.r); it != returns.end() && *it < until; ++it) {
    if (!is_sequenced(at, layout_.base.returning[*it]) && ++count > most) break;
  }
  return count;
}

template <std::size_t kWords>
void RelaxedSearch<kWords>::mind_limits() {
  if (configurations_ > limits_.configurations) gauge_.spend(StopReason::kRound);
  const std::size_t taken = states_.memory() + owed_.memory();
  if (taken >= limits_.memory) gauge_.spend(StopReason::kMemory);
  memo_.set_byte_limit(limits_.memory - std::min(taken, limits_.memory));
}

template <std::size_t kWords>
void RelaxedSearch<kWords>::take(const Place& place, Configuration& at) {
  trail_.push_back(place);
  at.state = place.state;
  if (const std::uint32_t one = layout_.class_of[place.sequenced]; one != kNone) change_owed(place, one, at);
  sequence(place.sequenced, at);
}

template <std::size_t kWords>
void RelaxedSearch<kWords>::change_owed(const Place& place, std::uint32_t one, Configuration& at) {
  const auto before = owed_[at.owed];
  if (place.sequenced == place.legal && before.empty()) return;
  list_.assign(before.begin(), before.end());
  bool was_legal = false;
  bool was_sequenced = false;
  std::erase_if(list_, [&](Displaced owed) {
    was_legal |= owed.operation() == place.sequenced;
    was_sequenced |= owed.operation() == place.legal;
    return owed.operation() == place.sequenced || owed.operation() == place.legal;
  });
  for (Displaced& owed : list_) {
    if (layout_.class_of[owed.operation()] == one) owed.increment_age();
  }
  if (place.sequenced != place.legal) {
    if (!was_legal) list_.emplace_back(place.sequenced, false, 1);
    if (!was_sequenced) list_.emplace_back(place.legal, true, 1);
  }
  std::sort(list_.begin(), list_.end());
  at.owed = owed_.intern(list_);
}

// Marks it, and moves on over every return whose operation is placed, handing on its slot.
template <std::size_t kWords>
void RelaxedSearch<kWords>::sequence(std::uint32_t operation, Configuration& at) const {
  if (!op(operation).result) return at.pending.set(op(operation).slot);
  at.window.set(op(operation).slot);
  for (; at.r < layout_.returns(); ++at.r) {
    const std::uint32_t slot = op(layout_.base.returning[at.r]).slot;
    if (!at.window.test(slot)) return;
    at.window.reset(slot);
  }
}

// Places every open operation that fits, does not move and never changes the state; passing returns opens more of them.
template <std::size_t kWords>
void RelaxedSearch<kWords>::take_reads(Configuration& at) {
  for (bool again = true; again;) {
    again = false;
    for (const std::uint32_t operation : layout_.open(at.r)) {
      if (layout_.class_of[operation] != kNone || !op(operation).leaves_state) continue;
      if (at.window.test(op(operation).slot)) continue;
      next_.clear();
      states_.step(at.state, op(operation).call, op(operation).result, next_);
      if (next_.empty()) continue;
      take({operation, operation, at.state}, at);
      again = true;
      break;  // what is open may have changed
    }
  }
}

template <std::size_t kWords>
std::vector<RelaxedPlace> RelaxedSearch<kWords>::places() const {
  std::vector<RelaxedPlace> all;
  all.reserve(trail_.size());
  for (const Place& place : trail_) all.push_back({op(place.sequenced).id, op(place.legal).id});
  return all;
}

template <std::size_t kWords>
std::vector<StateId> RelaxedSearch<kWords>::states_after() const {
  std::vector<StateId> all;
  for (const Place& place : trail_) all.push_back(place.state);
  return all;
}

}  // namespace plumb

#include "check/relaxed/relaxed_moves.hpp"  // how it may go on
