// The queue that holds a value twice, watched: pairs of frontiers (check/frontier/frontier_queue.hpp), event by event.
//
// Insertions and removals are ordered apart from each other; the i-th removal has the value of the i-th insertion. A
// frontier of removals is what has returned, and the takings of those that are open; with it goes the frontier of as many
// insertions, those whose values have come out. What the queue holds, in whichever order, never appears: it is what was
// inserted after that frontier, kept as the times of these insertions. So a return of an insertion needs nothing, and at
// the return of a removal the next insertions come out: to others that are open, and then to the one that returns.
//
// The two orders can be merged if (1) no removal returned before one of the insertions was called that it needs: that never
// happens here, as they are taken when they have been called; (2) no insertion that comes after a removal of nothing
// returned before that one was called, nor before one that comes earlier in the order of removals. So a queue of which
// insertions up to a frontier have come out may have been empty until f, the first return of any other insertion: if all
// removals so far were called before f. For those that returned that is known; of takings it is then demanded, and what is
// gained (a removal called before f may have found nothing) is weighed against what is lost by trying both.
//
// Of takings right before the removal x that returns, one that has its value can change places with x, and is not needed;
// unless the queue was empty in between, and x was called too late to come before that.
#include <absl/container/flat_hash_set.h>

#include "watch/insertion_order.hpp"
#include "watch/just_in_time.hpp"
#include "watch/online_frontiers.hpp"
#include "watch/takings.hpp"

namespace plumb {
namespace {

class QueueFrontiers {
 public:
  explicit QueueFrontiers(const OnlineSetting& setting) : states_(1) {
    if (setting.initial.is_null()) return;
    for (const Value item : setting.values->as_array(setting.initial)) {
      in_.call(item, 0);
      in_.ret(0, 0, states_);
    }
  }

  bool insertion_called(Value value, Moment now) {
    if (!in_.has_room()) in_.forget_lost(states_);
    if (!in_.has_room()) return false;
    in_.call(value, now);
    return true;
  }
  Passed insertion_returned(Moment called, Moment now) {
    in_.ret(called, now, states_);
    return Passed::kSome;
  }
  Passed insertion_failed(Moment called) {
    const auto id = in_.find_open(called);
    const auto needs_it = [&](const State& state) { return in_.has(state.in, id); };
    if (std::ranges::all_of(states_, needs_it)) return Passed::kNone;
    std::erase_if(states_, needs_it);
    in_.fail(id);
    return Passed::kSome;
  }
  void insertion_lost(Moment called) { in_.lose(called); }

  void removal_called(Moment now) {
    out_.open(now);
    for (State& state : states_) {
      if (in_.is_at_present(state.in)) state.out.found_empty(out_.size());
    }
  }
  Passed removal_returned(Moment called, Value result) {
    const Passed passed = pass(called, result);
    if (passed != Passed::kSome) return passed;
    keep(passed_);
    out_.end(out_.before(called));
    last_called_ = std::max(last_called_, called);
    return passed;
  }
  Passed removal_failed(Moment called) {
    const std::uint32_t place = out_.before(called);
    absl::flat_hash_set<State> without;
    for (State state : states_) {
      if (state.out.close(place)) without.insert(std::move(state));
    }
    if (without.empty()) return Passed::kNone;
    keep(without);
    out_.end(place);
    return Passed::kSome;
  }

  bool is_possible(Moment called, Value result) { return pass(called, result) == Passed::kSome; }
  std::vector<Value> candidates(Moment called) {
    absl::flat_hash_set<Value> values;
    (void)pass(called, kNull);  // which tries all that can come before
    for (const State& state : met_) {
      for (const Taking& taking : state.out) values.insert(taking.value);
      in_.each_next(state.in, [&](InsertionOrder::Id id) { values.insert(in_.value(id)); });
    }
    return {values.begin(), values.end()};
  }
  [[nodiscard]] bool is_surely_empty() const {
    return out_.size() == 0 && in_.is_quiet() && in_.is_at_present(states_[0].in);
  }

 private:
  struct State {
    InsertionFrontier in;
    Takings out;
    friend bool operator==(const State&, const State&) = default;
    template <class H>
    friend H AbslHashValue(H h, const State& s) {
      return H::combine(std::move(h), s.in, s.out);
    }
  };
  static constexpr std::size_t kMostMet = 50'000;  // at a return

  // The removal returns: states after it are put into passed_.
  Passed pass(Moment called, Value result) {
    place_ = out_.before(called);
    called_ = called;
    result_ = result;
    met_.clear();
    passed_.clear();
    unvisited_.assign(states_.begin(), states_.end());
    met_.insert(states_.begin(), states_.end());
    while (!unvisited_.empty()) {
      if (met_.size() + passed_.size() > kMostMet) return Passed::kTooMany;
      const State state = std::move(unvisited_.back());
      unvisited_.pop_back();
      visit(state);
    }
    return passed_.empty() ? Passed::kNone : Passed::kSome;
  }

  void visit(const State& state) {
    if (result_.is_null() && state.out.may_be_empty(place_)) return close(state);
    if (State before = state; !result_.is_null() && before.out.assign(place_, result_))
      close(std::move(before));
    in_.each_next(state.in, [&](InsertionOrder::Id id) {
      State next = state;
      in_.take(next.in, id);
      if (in_.value(id) != result_ || may_be_too_late(next)) give_to_another(next, in_.value(id));
      if (in_.value(id) == result_ && next.out.close(place_))
        find_empty(
            next, std::max(last_called_, called_), [&](State s) { passed_.insert(std::move(s)); }, called_);
    });
  }
  void give_to_another(State state, Value value) {
    if (state.out.size() + 1 >= out_.size()) return;
    state.out.add(value, out_.size());
    find_empty(state, last_called_, [&](const State& s) {
      if (met_.insert(s).second) unvisited_.push_back(s);
    });
  }
  // There may be a moment after this state at which the queue was empty, for an open removal, before the one that returns
  // was called.
  [[nodiscard]] bool may_be_too_late(const State& state) const {
    return place_ > 0 && last_called_ < called_ && in_.first_return(state.in) < called_;
  }
  void close(State state) {
    if (state.out.close(place_)) passed_.insert(std::move(state));
  }

  // The state, or two: where the queue may have been empty up to a moment only, with that and without. Removals that
  // returned were called up to `last`; the one that was called at `closed` is not open any more.
  template <class Go>
  void find_empty(const State& state, Moment last, Go&& go, Moment closed = kNotYet) {
    const Moment until = in_.first_return(state.in);
    const std::uint32_t by = out_.before(until) - (closed < until ? 1 : 0);
    if (until < last || by <= state.out.empty()) return go(state);
    State empty = state;
    empty.out.found_empty(by);
    const bool costs_nothing = empty.out.are_within(by);
    if (!costs_nothing) empty.out.limit(by);
    if (costs_nothing || empty.out.are_possible()) go(std::move(empty));
    if (!costs_nothing) go(state);
  }

  // What is covered by others is not needed.
  void keep(const absl::flat_hash_set<State>& states) {
    states_.assign(states.begin(), states.end());
    std::ranges::sort(states_, std::greater(), [](const State& s) { return s.out.largeness(); });
    drop_covered(
        states_, [](const State& s) { return std::pair(s.in, s.out); },
        [](const Takings& a, const Takings& b) { return a.covers(b); });
    std::uint64_t oldest = ~std::uint64_t{0};
    for (const State& state : states_) oldest = std::min(oldest, state.in.returned);
    in_.forget(oldest);
  }

  InsertionOrder in_;
  OpenRemovals out_;
  Moment last_called_ = 0;  // of the removals that returned
  std::vector<State> states_;
  // At the return of a removal:
  std::uint32_t place_ = 0;  // among the open ones
  Moment called_ = 0;
  Value result_;
  absl::flat_hash_set<State> met_;
  std::vector<State> unvisited_;
  absl::flat_hash_set<State> passed_;
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_frontiers_queue(const OnlineSetting& setting) {
  return std::make_unique<OnlineFrontiers<QueueFrontiers>>(setting);
}

}  // namespace plumb
