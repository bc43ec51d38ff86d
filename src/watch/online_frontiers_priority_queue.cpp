// The priority queue that holds a value twice, watched: its contents follow from the frontier.
//
// It holds what was inserted and not taken: `returned_` counts that of the operations that returned, and a frontier adds
// its open insertions and takes away its takings. At a return of x, of all orders only those are looked at in which
//
//   (1) an insertion comes before x only if the very next removal takes its value: else it can wait until after x. If its
//       value is inside already, the removal takes that one, and the insertion can wait as well;
//   (2) before the removal x of v come only takings of values below v: one of v can change places with x; one of a value
//       above v comes before v is inserted, which then is inserted for x, and both can come first;
//       and no pairs as in (1), but for x itself: after x nothing below v is inside, so the pair can wait;
//   (3) before the insertion x of w comes at last a taking of a value above w, or one that leaves the queue empty, for a
//       removal that finds nothing: one of any other value takes the same after x. A pair of a value up to w can wait, too.
#include <map>

#include <absl/container/flat_hash_set.h>

#include "watch/just_in_time.hpp"
#include "watch/online_frontiers.hpp"
#include "watch/open_insertions.hpp"
#include "watch/takings.hpp"

namespace plumb {
namespace {

class PriorityFrontiers {
 public:
  explicit PriorityFrontiers(const OnlineSetting& setting)
      : values_(setting.values), returned_(Smaller{setting.values.get()}), states_(1) {
    if (setting.initial.is_null()) return;
    for (const Value item : values_->as_array(setting.initial)) ++returned_[item];
  }

  bool insertion_called(Value value, Moment now) {
    return in_.open(value, now, [&] { forget_lost(); });
  }
  Passed insertion_returned(Moment called, Moment /*now*/) {
    const OpenInsertions::One x = in_.find(called);
    begin();
    for (const State& state : states_) {
      if ((state.inserted & x.bit) == 0) {
        passed_.insert(state);
        meet(state);
      } else {
        passed_.insert({state.inserted & ~x.bit, state.out});
      }
    }
    while (!unvisited_.empty()) {
      if (is_too_much()) return Passed::kTooMany;
      const State state = std::move(unvisited_.back());
      unvisited_.pop_back();
      take_before(state, x);
    }
    in_.close(x.bit);
    count(x.value, 1);
    return keep();
  }
  Passed insertion_failed(Moment called) {
    const std::uint64_t bit = in_.find(called).bit;
    begin();
    for (const State& state : states_) {
      if ((state.inserted & bit) == 0) passed_.insert(state);
    }
    const Passed passed = keep();
    if (passed == Passed::kSome) in_.close(bit);
    return passed;
  }
  void insertion_lost(Moment called) { in_.lose(called); }

  void removal_called(Moment now) {
    out_.open(now);
    begin();
    for (State state : states_) passed_.insert(look(std::move(state), out_.size()));
    (void)keep();
  }
  Passed removal_returned(Moment called, Value result) {
    const Passed passed = pass(called, result);
    if (passed != Passed::kSome) return passed;
    out_.end(out_.before(called));
    if (!result.is_null()) count(result, -1);
    begin_from_passed();
    return passed;
  }
  Passed removal_failed(Moment called) {
    const std::uint32_t place = out_.before(called);
    begin();
    for (const State& state : states_) close(state, place);
    const Passed passed = keep();
    if (passed == Passed::kSome) out_.end(place);
    return passed;
  }

  bool is_possible(Moment called, Value result) { return pass(called, result) == Passed::kSome; }
  std::vector<Value> candidates(Moment /*called*/) const {
    std::vector<Value> values;
    for (State state : states_) {
      for (const Taking& taking : state.out) values.push_back(taking.value);
      for (auto next = least(state); next && state.out.size() < out_.size(); next = least(state)) {
        values.push_back(*next);
        state.out.add(*next, out_.size());
      }
    }
    for (const auto& insertion : in_) values.push_back(insertion.value);
    return values;
  }
  [[nodiscard]] bool is_surely_empty() const { return out_.size() == 0 && in_.empty() && !least(states_[0]); }

 private:
  struct State {
    std::uint64_t inserted = 0;  // of the open insertions
    Takings out = {};
    friend bool operator==(const State&, const State&) = default;
    template <class H>
    friend H AbslHashValue(H h, const State& s) {
      return H::combine(std::move(h), s.inserted, s.out);
    }
  };
  struct Smaller {
    const Values* values;
    bool operator()(Value a, Value b) const { return values->compare(a, b) < 0; }
  };
  static constexpr std::size_t kMostMet = 50'000;  // at a return

  [[nodiscard]] bool is_smaller(Value a, Value b) const { return values_->compare(a, b) < 0; }

  void count(Value value, std::int64_t more) {
    const auto it = returned_.try_emplace(value, 0).first;
    if ((it->second += more) == 0) returned_.erase(it);
  }
  [[nodiscard]] std::int64_t inside(const State& state, Value value, std::int64_t returned) const {
    for (const auto& one : in_) returned += one.value == value && (state.inserted & one.bit) != 0 ? 1 : 0;
    for (const Taking& taking : state.out) returned -= taking.value == value ? 1 : 0;
    return returned;
  }
  // The smallest value inside.
  [[nodiscard]] std::optional<Value> least(const State& state) const {
    std::optional<Value> found;
    for (const auto& [value, returned] : returned_) {
      if (inside(state, value, returned) <= 0) continue;
      found = value;
      break;
    }
    for (const auto& one : in_) {
      if ((state.inserted & one.bit) == 0 || (found && !is_smaller(one.value, *found))) continue;
      if (!returned_.contains(one.value) && inside(state, one.value, 0) > 0) found = one.value;
    }
    return found;
  }

  void begin() {
    met_.clear();
    passed_.clear();
    unvisited_.clear();
  }
  void meet(const State& state) {
    if (met_.insert(state).second) unvisited_.push_back(state);
  }
  [[nodiscard]] bool is_too_much() const { return met_.size() + passed_.size() > kMostMet; }
  Passed keep() {
    if (passed_.empty()) return Passed::kNone;
    begin_from_passed();
    return Passed::kSome;
  }
  // What is covered by others is not needed.
  void begin_from_passed() {
    states_.assign(passed_.begin(), passed_.end());
    std::ranges::sort(states_, std::greater(), [](const State& s) { return s.out.largeness(); });
    drop_covered(
        states_, [](const State& s) { return std::pair(s.inserted, s.out); },
        [](const Takings& a, const Takings& b) { return a.covers(b); });
  }
  void close(State state, std::uint32_t place) {
    if (state.out.close(place)) passed_.insert(std::move(state));
  }
  // If it is empty, so many of the open removals may have found nothing.
  [[nodiscard]] State look(State state, std::uint32_t by) const {
    if (!least(state)) state.out.found_empty(by);
    return state;
  }

  // One more taking before the insertion x, of what is inside or of what is inserted for it.
  void take_before(const State& state, const OpenInsertions::One& x) {
    if (state.out.size() == out_.size()) return;
    const auto next = least(state);
    if (next) take_before(state, x, *next);
    for (const auto& one : in_) {
      if (one.bit == x.bit || (state.inserted & one.bit) != 0 || in_.has_substitute(one, state.inserted))
        continue;
      if ((next && !is_smaller(one.value, *next)) || !is_smaller(x.value, one.value)) continue;
      State with = state;
      with.inserted |= one.bit;
      take_before(with, x, one.value);
    }
  }
  void take_before(State state, const OpenInsertions::One& x, Value value) {
    state.out.add(value, out_.size());
    const bool is_empty = !least(state);
    if (is_empty) state.out.found_empty(out_.size());
    if (is_empty || is_smaller(x.value, value)) passed_.insert(state);
    meet(state);
  }

  // The removal returns: states after it are put into passed_, as they are once it is counted.
  Passed pass(Moment called, Value result) {
    const std::uint32_t place = out_.before(called);
    begin();
    for (const State& state : states_) {
      if (result.is_null() && state.out.may_be_empty(place)) {
        close(state, place);
        continue;
      }
      if (State before = state; !result.is_null() && before.out.assign(place, result)) close(before, place);
      take_until(state, place, result);
    }
    return is_too_much() ? Passed::kTooMany : passed_.empty() ? Passed::kNone : Passed::kSome;
  }
  void take_until(State state, std::uint32_t place, Value result) {
    auto next = least(state);
    while (next && (result.is_null() || is_smaller(*next, result))) {
      if (state.out.size() + 1 >= out_.size()) return;
      state.out.add(*next, out_.size());
      next = least(state);
    }
    if (!next) state.out.found_empty(out_.size());
    if (result.is_null()) return close(std::move(state), place);
    if (next && *next == result) return remove(std::move(state), place, result);
    for (const auto& one : in_) {
      if (one.value != result || (state.inserted & one.bit) != 0 || in_.has_substitute(one, state.inserted))
        continue;
      State with = state;
      with.inserted |= one.bit;
      close(std::move(with), place);
    }
  }
  void remove(State state, std::uint32_t place, Value result) {
    State after = state;
    after.out.add(result, out_.size());
    const bool is_empty = !least(after);
    if (!state.out.close(place)) return;
    if (is_empty) state.out.found_empty(out_.size() - 1);
    passed_.insert(std::move(state));
  }

  // Lost insertions that have taken effect in all states have returned, so to say.
  void forget_lost() {
    for (const OpenInsertions::One one : std::vector(in_.begin(), in_.end())) {
      const auto has_it = [&](const State& state) { return (state.inserted & one.bit) != 0; };
      if (!one.lost || !std::ranges::all_of(states_, has_it)) continue;
      for (State& state : states_) state.inserted &= ~one.bit;
      in_.close(one.bit);
      count(one.value, 1);
    }
  }

  std::shared_ptr<Values> values_;
  OpenInsertions in_;
  OpenRemovals out_;
  std::map<Value, std::int64_t, Smaller> returned_;  // how many more were inserted than removed
  std::vector<State> states_;
  // At a return:
  absl::flat_hash_set<State> met_;
  std::vector<State> unvisited_;
  absl::flat_hash_set<State> passed_;
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_frontiers_priority_queue(const OnlineSetting& setting) {
  return std::make_unique<OnlineFrontiers<PriorityFrontiers>>(setting);
}

}  // namespace plumb
