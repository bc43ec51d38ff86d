// The general search: Wing and Gong's algorithm with Lowe's memo, after Horn and Kroening
// (P-compositionality), for any model. Exponential in the worst case, as the problem is NP-complete; linear
// on most recordings.
//
// A configuration is (r, window, pending, state): every operation that returns before return r has taken
// effect; of the operations open at that return, those in `window` have; of the operations that never return,
// those in `pending`. The paper keeps a bit for every operation of the history. Here a bit is a slot, and a
// slot is handed on when an operation returns, so that the window is as wide as the concurrency, not as the
// history, and a configuration is a few words (which are hashed from scratch: an incremental hash would touch
// as many).
//
// Also beyond the paper:
//  - an operation that never changes the state takes effect as soon as it fits: waiting cannot help it or the
//  others;
//  - of open operations that do the same and have the same result, the one that returns first is taken first. For take an order
//    that goes on from here, in which b comes before a, which is open as well and returns earlier; let the two change places. The
//    states are the same. What has to come before a returned before its call, so it has been taken; what has to come after b has
//    to come after a as well. And where the order needs not have a, as it ends before a returns, it needs not have b: a can stand
//    in its place. Each change brings an earlier return forward, so to do so comes to an end. What never returns is the last of
//    its like: whatever it leads to here, and an equal one that returns leads to as well, is left to that one;
//  - a pending operation that never changes the state is left out; one that would not change it here is not
//  tried;
//    equal ones are taken in the order of their calls; and the memo knows that having used fewer is better;
//  - the search keeps its own stack, so that depth costs memory only.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "check/part.hpp"
#include "check/search/longest_trail.hpp"
#include "check/search/memo.hpp"
#include "check/search/narrows.hpp"
#include "check/search/slots.hpp"
#include "check/search/wgl_layout.hpp"

namespace plumb {

// One search. To be used once: search(), then ask what it found.
template <std::size_t kWords>
class Search {
 public:
  // An operation that is `withheld` never takes effect; the states met while it was open are kept instead.
  Search(const Layout& layout, States& states, const SearchLimits& limits, std::uint32_t withheld = kNone)
      : layout_(layout),
        states_(states),
        limits_(limits),
        gauge_(*limits.budget, limits.rank),
        withheld_(withheld),
        open_(layout.slots),
        reads_(layout.slots),
        window_(layout.slots),
        pending_(layout.pending.size()),
        holder_(layout.slots),
        memo_(1 + window_.words(), pending_.words(), memo_bytes(0)),
        record_(1 + window_.words() + pending_.words()) {
    if (!layout.returning.empty()) open_calls_of(0);
  }

  // Where another search of the same layout, up to operations that are called later, has to pass: begin there.
  struct Beginning {
    std::vector<std::uint32_t> trail;
    StateId state;
  };
  void begin_at(const Beginning& beginning);
  // Depth-first: is there a way to pass the first `goal` returns?
  Outcome search(std::uint32_t goal);
  // After kViolation: the last such place at or before this return, if there is one.
  [[nodiscard]] std::optional<Beginning> narrow_until(std::uint32_t ret) const;

  [[nodiscard]] std::vector<Point> linearization() const { return points(trail_); }  // after kHolds
  // How far it came at best. After kUnknown.
  [[nodiscard]] PartReached reached() const { return {layout_.position[furthest_], points(longest_.kept())}; }
  [[nodiscard]] std::uint32_t furthest() const {
    return furthest_;
  }  // after kViolation: this return cannot be passed
  [[nodiscard]] StopReason spent() const { return gauge_.reason(); }  // after kUnknown
  [[nodiscard]] std::uint64_t configurations() const { return configurations_; }
  [[nodiscard]] const std::vector<StateId>& states_without() const { return states_without_; }
  [[nodiscard]] bool saw_all_states() const { return states_without_.size() < kEnoughStates; }
  [[nodiscard]] const std::vector<StateId>& last_states() const {
    return last_states_;
  }  // some, at furthest()

 private:
  // A configuration on the path, and how far its children have been tried.
  struct Frame {
    std::uint32_t trail;  // length of the trail here
    StateId state;
    std::uint32_t cursor;   // the next child: the returning operation, then the slots, then the pending ones
    std::uint32_t choices;  // what lies above in choices_ are further outcomes of the last child
    std::uint32_t operation;  // that last child
  };

  bool enter(std::uint32_t from, StateId state);
  bool next_child(Frame& frame, StateId& state);
  [[nodiscard]] std::uint32_t next_candidate(Frame& frame) const;
  [[nodiscard]] bool came_by_pending(const Frame& frame) const;
  void drop_what_came_without();
  [[nodiscard]] bool has_better(std::uint32_t operation) const;
  void drop_what_others_do();
  void undo();

  void take_reads(StateId state);
  void linearize(std::uint32_t operation);
  void pass_returns();
  void open_calls_of(std::uint32_t ret);
  void unwind(std::size_t trail);

  [[nodiscard]] bool is_open(std::uint32_t operation) const {
    const std::uint32_t slot = layout_.operations[operation].slot;
    return open_.test(slot) && holder_[slot] == operation;
  }
  [[nodiscard]] bool is_new(StateId state);
  [[nodiscard]] bool is_dead_end(StateId state);
  void mind_limits();
  [[nodiscard]] std::size_t memo_bytes(std::size_t states) const {
    constexpr std::size_t kLruBytes = std::size_t{64} << 20U;  // what a memo that is to forget may hold
    const std::size_t left = limits_.memory - std::min(states, limits_.memory);
    return limits_.lru ? std::min(left, kLruBytes) : left;
  }
  void remember(StateId state);
  [[nodiscard]] std::vector<Point> points(const std::vector<std::uint32_t>& trail) const;

  static constexpr std::size_t kEnoughStates = 64;  // to be kept for explanations

  // Trail entries: an operation that took effect, or this: a return was passed.
  static constexpr std::uint32_t kPassed = kNone;

  const Layout& layout_;
  States& states_;
  const SearchLimits& limits_;
  BudgetGauge gauge_;
  std::uint32_t withheld_;

  std::uint32_t goal_ = 0;
  std::optional<StateId> first_state_;  // none: the initial one
  std::uint32_t r_ = 0;                 // the return to be passed next
  Slots<kWords> open_;                  // slots in use at r_
  Slots<kWords> reads_;                 // of these, the ones whose operation leaves the state as it is
  Slots<kWords> window_;                // of the open ones, those that took effect
  Slots<0> pending_;                    // by pending number: it took effect
  std::vector<std::uint32_t> holder_;   // by slot: the operation in it
  std::uint32_t overwrites_ = 0;        // operations that overwrite and took effect
  std::vector<std::uint32_t> trail_;
  std::vector<Frame> frames_;
  std::vector<StateId> choices_;
  std::vector<StateId> next_;
  std::vector<StateId> without_;
  std::vector<Layout::Alike> alike_;  // empty until it may pay to know

  Memo memo_;
  std::vector<std::uint64_t> record_;
  std::uint64_t configurations_ = 0;
  std::uint64_t until_look_ = 16;  // configurations from one look at the limits to the next
  std::uint64_t look_at_ = until_look_;
  std::size_t states_memory_ = 0;  // at the last look

  std::uint32_t furthest_ = 0;  // the highest r_ met
  LongestTrail longest_;
  Narrows narrows_;
  std::vector<StateId> last_states_;
  std::vector<StateId> states_without_;
};

template <std::size_t kWords>
Outcome Search<kWords>::search(std::uint32_t goal) {
  goal_ = goal;
  if (!layout_.lookahead.empty()) states_.look_ahead(layout_.lookahead, goal);
  StateId state = first_state_.value_or(states_.initial());
  take_reads(state);
  if (r_ >= goal) return Outcome::kHolds;
  bool deeper = enter(0, state);
  while (!frames_.empty()) {
    if (gauge_.spent()) return Outcome::kUnknown;
    if (!deeper) undo();
    deeper = false;
    Frame& frame = frames_.back();
    if (!next_child(frame, state)) {
      frames_.pop_back();
      continue;
    }
    const std::uint32_t from = r_;
    linearize(frame.operation);
    take_reads(state);
    if (r_ >= goal) return Outcome::kHolds;
    deeper = enter(from, state);
  }
  return Outcome::kViolation;
}

template <std::size_t kWords>
void Search<kWords>::begin_at(const Beginning& beginning) {
  first_state_ = beginning.state;
  for (const std::uint32_t step : beginning.trail) {
    if (step != kPassed) linearize(step);
  }
}

// The longest trail leads through it: there is no other way.
template <std::size_t kWords>
std::optional<typename Search<kWords>::Beginning> Search<kWords>::narrow_until(std::uint32_t ret) const {
  const auto narrow = narrows_.last_until(std::min(ret, furthest_));
  if (!narrow) return std::nullopt;
  const auto& kept = longest_.kept();
  return Beginning{{kept.begin(), kept.begin() + narrow->trail}, narrow->state};
}

// Goes into the configuration, unless one at least as good has been met; from one at the return `from`.
template <std::size_t kWords>
bool Search<kWords>::enter(std::uint32_t from, StateId state) {
  if (!is_new(state) || is_dead_end(state)) return false;
  if (++configurations_ >= look_at_) mind_limits();
  remember(state);
  narrows_.enter(from, r_, {state, static_cast<std::uint32_t>(trail_.size())});
  frames_.push_back({.trail = static_cast<std::uint32_t>(trail_.size()),
                     .state = state,
                     .cursor = 0,
                     .choices = static_cast<std::uint32_t>(choices_.size()),
                     .operation = kNone});
  return true;
}

// Back to the configuration on top.
template <std::size_t kWords>
void Search<kWords>::undo() {
  unwind(frames_.back().trail);
}

template <std::size_t kWords>
bool Search<kWords>::next_child(Frame& frame, StateId& state) {
  if (choices_.size() > frame.choices) {  // the last child had other outcomes too
    state = choices_.back();
    choices_.pop_back();
    return true;
  }
  while ((frame.operation = next_candidate(frame)) != kNone) {
    if (frame.operation == withheld_) continue;
    const Layout::Operation& op = layout_.operations[frame.operation];
    next_.clear();
    states_.step(frame.state, op.call, op.result, next_);
    if (!op.result) {
      std::erase(next_, frame.state);  // a pending operation without effect is no step forward
      if (!next_.empty()) drop_what_others_do();
    }
    if (!next_.empty() && came_by_pending(frame)) drop_what_came_without();
    if (next_.empty()) continue;
    state = next_.back();
    choices_.insert(choices_.end(), next_.begin(), next_.end() - 1);
    return true;
  }
  return false;
}

// Only a pending operation lies between this configuration and the one before it.
template <std::size_t kWords>
bool Search<kWords>::came_by_pending(const Frame& frame) const {
  return frames_.size() > 1 && frames_[frames_.size() - 2].trail + 1 == frame.trail &&
         !layout_.operations[trail_[frame.trail - 1]].result;
}

// What the configuration before reaches by the same operation, without the pending one in between, it will
// reach, and with fewer pending operations used: the pending one was overwritten at once.
template <std::size_t kWords>
void Search<kWords>::drop_what_came_without() {
  const Layout::Operation& op = layout_.operations[frames_.back().operation];
  without_.clear();
  states_.step(frames_[frames_.size() - 2].state, op.call, op.result, without_);
  std::erase_if(next_, [&](StateId state) { return std::ranges::find(without_, state) != without_.end(); });
}

// An operation like it is open, too, and returns earlier.
template <std::size_t kWords>
bool Search<kWords>::has_better(std::uint32_t operation) const {
  if (alike_.empty()) return false;
  for (std::uint32_t other = alike_[operation].before; other != kNone; other = alike_[other].before) {
    if (alike_[other].ret < r_) return false;
    const bool is_free = is_open(other) && !window_.test(layout_.operations[other].slot);
    if (is_free && other != withheld_) return true;
  }
  return false;
}

// What a pending operation has led to, and an equal one leads to that returns.
template <std::size_t kWords>
void Search<kWords>::drop_what_others_do() {
  const Frame& frame = frames_.back();
  const Call& call = layout_.operations[frame.operation].call;
  for (std::size_t word = 0; word < open_.words(); ++word) {
    std::uint64_t left = open_.word(word) & ~window_.word(word) & ~reads_.word(word);
    for (; left != 0; left &= left - 1) {
      const std::uint32_t other = holder_[word * 64 + static_cast<std::size_t>(std::countr_zero(left))];
      const Layout::Operation& op = layout_.operations[other];
      if (other == withheld_ || !is_same_call(op.call, call, layout_.by_process)) continue;
      without_.clear();
      states_.step(frame.state, op.call, op.result, without_);
      std::erase_if(next_,
                    [&](StateId state) { return std::ranges::find(without_, state) != without_.end(); });
    }
  }
}

// The operations that may take effect next: first the one that must return next, then the others that are
// open, then the pending ones. Those that leave the state as it is were taken if they fitted.
template <std::size_t kWords>
std::uint32_t Search<kWords>::next_candidate(Frame& frame) const {
  const std::uint32_t urgent = layout_.returning[r_];
  const std::uint32_t urgent_slot = layout_.operations[urgent].slot;
  if (frame.cursor == 0) {
    frame.cursor = 1;
    if (!reads_.test(urgent_slot)) return urgent;
  }
  const auto slots = static_cast<std::uint32_t>(layout_.slots);
  while (frame.cursor <= slots) {
    const std::uint32_t slot = frame.cursor - 1;
    const std::size_t word = slot / 64;
    const std::uint64_t left = (open_.word(word) & ~window_.word(word) & ~reads_.word(word)) >> (slot % 64);
    if (left == 0) {
      frame.cursor = std::min(static_cast<std::uint32_t>((word + 1) * 64), slots) + 1;
      continue;
    }
    const std::uint32_t found = slot + static_cast<std::uint32_t>(std::countr_zero(left));
    frame.cursor = found + 2;
    if (found != urgent_slot && !has_better(holder_[found])) return holder_[found];
  }
  while (frame.cursor - slots - 1 < layout_.pending_until[r_]) {
    const std::uint32_t number = frame.cursor++ - slots - 1;
    const std::uint32_t before = layout_.equal_before[number];
    if (!pending_.test(number) && (before == kNone || pending_.test(before))) return layout_.pending[number];
  }
  return kNone;
}

// Lets every open operation take effect that fits and never changes the state; passing returns opens more of
// them.
template <std::size_t kWords>
void Search<kWords>::take_reads(StateId state) {
  const auto all = static_cast<std::uint32_t>(layout_.returning.size());
  for (std::uint32_t before = kNone; before != r_ && r_ < all;) {
    before = r_;
    for (std::size_t word = 0; word < open_.words(); ++word) {
      for (std::uint64_t left = reads_.word(word) & ~window_.word(word); left != 0; left &= left - 1) {
        const std::uint32_t operation = holder_[word * 64 + static_cast<std::size_t>(std::countr_zero(left))];
        if (operation == withheld_) continue;
        const Layout::Operation& op = layout_.operations[operation];
        next_.clear();
        states_.step(state, op.call, op.result, next_);
        if (next_.empty()) continue;
        window_.set(op.slot);
        trail_.push_back(operation);
      }
    }
    pass_returns();
  }
}

template <std::size_t kWords>
void Search<kWords>::linearize(std::uint32_t operation) {
  const Layout::Operation& op = layout_.operations[operation];
  trail_.push_back(operation);
  overwrites_ += op.overwrites ? 1U : 0U;
  if (!op.result) {
    pending_.set(op.slot);
    return;
  }
  window_.set(op.slot);
  pass_returns();
}

// Moves on over every return whose operation has taken effect, handing on its slot and opening what is called
// next.
template <std::size_t kWords>
void Search<kWords>::pass_returns() {
  while (r_ < layout_.returning.size()) {
    const std::uint32_t slot = layout_.operations[layout_.returning[r_]].slot;
    if (!window_.test(slot)) return;
    window_.reset(slot);
    open_.reset(slot);
    reads_.reset(slot);
    trail_.push_back(kPassed);
    if (++r_ < layout_.returning.size()) open_calls_of(r_);
  }
}

// The operations called between the return before this one and this one.
template <std::size_t kWords>
void Search<kWords>::open_calls_of(std::uint32_t ret) {
  const std::uint32_t first = ret == 0 ? 0 : layout_.calls_until[ret - 1];
  for (std::uint32_t i = first; i < layout_.calls_until[ret]; ++i) {
    const Layout::Operation& op = layout_.operations[layout_.completed[i]];
    holder_[op.slot] = layout_.completed[i];
    open_.set(op.slot);
    if (op.leaves_state) reads_.set(op.slot);
  }
}

// Takes back the trail, last step first, so that each slot is again what it was when the step was made.
template <std::size_t kWords>
void Search<kWords>::unwind(std::size_t trail) {
  longest_.shorten(trail);
  while (trail_.size() > trail) {
    const std::uint32_t step = trail_.back();
    trail_.pop_back();
    if (step != kPassed) {
      const Layout::Operation& op = layout_.operations[step];
      overwrites_ -= op.overwrites ? 1U : 0U;
      op.result ? window_.reset(op.slot) : pending_.reset(op.slot);
      continue;
    }
    if (r_ < layout_.returning.size()) {
      for (std::uint32_t i = layout_.calls_until[r_ - 1]; i < layout_.calls_until[r_]; ++i) {
        const std::uint32_t slot = layout_.operations[layout_.completed[i]].slot;
        open_.reset(slot);
        reads_.reset(slot);
      }
    }
    const std::uint32_t operation = layout_.returning[--r_];
    const Layout::Operation& op = layout_.operations[operation];
    holder_[op.slot] = operation;
    open_.set(op.slot);
    window_.set(op.slot);
    if (op.leaves_state) reads_.set(op.slot);
  }
}

template <std::size_t kWords>
bool Search<kWords>::is_new(StateId state) {
  record_[0] = (std::uint64_t{r_} + 1) << 32U | state;  // + 1: never 0, which marks a free place
  for (std::size_t i = 0; i < window_.words(); ++i) record_[1 + i] = window_.word(i);
  for (std::size_t i = 0; i < pending_.words(); ++i) record_[1 + window_.words() + i] = pending_.word(i);
  return memo_.insert(record_.data());
}

// Nothing can come of this state: the model sees it, knowing what will be returned; or it does not fit the
// next read to return that has not taken effect yet: when nothing but extending operations can come before
// it, the state must be the beginning of what it saw.
template <std::size_t kWords>
bool Search<kWords>::is_dead_end(StateId state) {
  if (!layout_.lookahead.empty() && states_.is_dead_end(state)) return true;
  if (layout_.next_read.empty()) return false;
  std::uint32_t ret = layout_.next_read[r_];
  for (; ret < goal_; ret = layout_.next_read[ret + 1]) {
    const std::uint32_t operation = layout_.returning[ret];
    const std::uint32_t slot = layout_.operations[operation].slot;
    if (!window_.test(slot) || holder_[slot] != operation) break;
  }
  if (ret >= goal_ || layout_.overwrites_until[ret] != overwrites_) return false;
  const Layout::Operation& read = layout_.operations[layout_.returning[ret]];
  return layout_.returning[ret] != withheld_ && !states_.may_lead_to(state, read.call, *read.result);
}

// States cannot be forgotten: what they take is taken from the memo, and when nothing is left the search
// ends. It is looked at again before they can have taken much more, at the rate at which they grow.
template <std::size_t kWords>
void Search<kWords>::mind_limits() {
  constexpr std::uint64_t kSeldom = 1024;
  constexpr std::uint64_t kMuch = 4;  // configurations per operation; a way without a mistake has one at most
  if (configurations_ > limits_.configurations) gauge_.spend(StopReason::kRound);
  const std::size_t states = states_.memory();
  if (states >= limits_.memory) gauge_.spend(StopReason::kMemory);
  memo_.set_byte_limit(memo_bytes(states));
  const std::size_t left = limits_.memory - std::min(states, limits_.memory);
  const std::size_t grown = states - std::min(states_memory_, states);
  states_memory_ = states;
  // A search that hardly ever goes back gains nothing by knowing which operations are alike. What was taken
  // before it knows is no obstacle: of what is open in a configuration, it leaves out only what cannot help.
  if (alike_.empty() && configurations_ > kMuch * layout_.operations.size()) alike_ = layout_.find_alike();
  until_look_ = std::clamp<std::uint64_t>(until_look_ * left / (4 * grown + 1), 1, kSeldom);
  look_at_ = configurations_ + until_look_;
}

template <std::size_t kWords>
void Search<kWords>::remember(StateId state) {
  const auto add = [&](std::vector<StateId>& states) {
    if (states.size() < kEnoughStates && std::ranges::find(states, state) == states.end())
      states.push_back(state);
  };
  if (r_ > furthest_) {
    furthest_ = r_;
    longest_.keep(trail_);
    if (limits_.watch != nullptr) limits_.watch->reach(limits_.watched, layout_.position[r_]);
    last_states_.clear();
  }
  if (r_ == furthest_) add(last_states_);
  if (withheld_ != kNone && is_open(withheld_)) add(states_without_);
}

template <std::size_t kWords>
std::vector<Point> Search<kWords>::points(const std::vector<std::uint32_t>& trail) const {
  std::vector<Point> points;
  points.reserve(layout_.operations.size());
  std::uint32_t ret = 0;
  for (const std::uint32_t step : trail) {
    if (step == kPassed) {
      ++ret;
    } else {
      points.push_back({layout_.operations[step].id, layout_.position[ret]});
    }
  }
  return points;
}

}  // namespace plumb
