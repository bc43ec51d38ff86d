// The reduction under a preemption bound: depth first with a deepening bound, but a state that was searched before is not
// searched again (happens-before caching; Musuvathi and Qadeer, "Partial-order reduction for context-bounded state
// exploration", 2007). Sleep sets are of no use here: of two orders of independent steps the one they leave out may be the
// one that needs fewer preemptions.
//
// A state is known by how it came about: the trace (trace_hash.hpp), that is, the steps taken up to the order of independent
// ones. Steps that commute leave the same memory and show every thread the same values, so two prefixes of one trace stand
// in the same state: the same threads at the same steps. Which thread continues from there decides the next state, and what may
// come after that depends on nothing else but
// - the preemptions that are left: what can be reached with some can be reached with more;
// - what SchedulingPoint::implicit stands for: what the program observed without a step (the time), which threads wait in a loop.
// Which thread ran before matters only in what it costs to continue with another. So what is remembered is a state, the thread that
// continues, and the preemptions left when it does; and where that was searched with at least as many left, all that may follow
// was run already, or will be by the time the earlier search of it ends; a trace only grows, hence that search is never
// the one we are in. By induction over the order in which such searches end, each trace that plain depth-first search with
// the same bound runs to its end is run to its end here, too.
//
// States are looked up where there is something to choose, and once more when there no longer is: two orders of the last
// steps that had a choice meet there. What follows to the end of the execution without a choice is the same with any number of preemptions left,
// and is not run again under the next bound. Orders that meet later than that are run to their end: to look up every step of that last part
// was measured to take longer than the tenth of the executions that it saves.
//
// An execution begins with choices that were made before, up to the last of them, where it takes another way. The trace up to
// there is that of the execution before: it is taken back to that choice, and nothing is worked out twice.
#include <array>
#include <optional>

#include "explore/seen_states.hpp"
#include "explore/strategy_depth_first.hpp"
#include "explore/trace_hash.hpp"

namespace plumb::engine {
namespace {

class Bounded final : public Strategy {
 public:
  Bounded(int limit, std::size_t memory) : search_(limit), seen_(memory) { needs_every_step_ = true; }

  void begin() override {
    search_.begin();
    if (search_.known() == 0) {
      trace_.begin();
      marks_.clear();
      chose_ = after_call_ = false;
    } else {
      const Mark& last = marks_[search_.known() - 1];
      trace_.back_to(last.trace);
      chose_ = last.chose;
      marks_.resize(search_.known() - 1);
    }
    needs_every_step_ = search_.known() == 0;
    forced_.clear();
    without_choice_.reset();
  }

  Pick pick(const SchedulingPoint& point) override {
    if (search_.on_known_path()) {
      const Pick picked = search_.pick(point);
      if (search_.on_known_path() || picked.stops()) return picked;
      needs_every_step_ = true;
      marks_.push_back({trace_.mark(), chose_});
      return continue_with(point, picked.chosen());
    }
    const bool chooses = !single(point.enabled);
    // Also where the execution stops right here: what follows another time may depend on the preemptions that are left then.
    if (chooses || point.is_data_choice) without_choice_.reset();
    if (chooses || chose_ || point.is_data_choice) catch_up();
    ThreadSet searched = 0;
    if (!point.is_data_choice && (chooses || chose_)) {
      searched = searched_from(point);
      if (searched == search_.allowed(point)) return Stop::kRedundant;
    }
    if (!chooses && !point.is_data_choice && chose_) without_choice_ = {looked_up_, lowest(point.enabled)};
    if (!chooses && point.is_data_choice) return continue_with(point, lowest(point.enabled));
    if (!chooses) return continue_with_only(point, lowest(point.enabled));
    marks_.push_back({trace_.mark(), chose_});
    const Pick picked = search_.pick(point, searched);
    return picked.stops() ? picked : continue_with(point, picked.chosen());
  }

  bool ended_early() const override { return search_.ended_early(); }
  bool end() override {
    if (without_choice_) {
      const auto [looked_up, thread] = *without_choice_;
      if (auto* const state = seen_.state(looked_up.trace, looked_up.rest)) state->search_with_any(thread);
    }
    return search_.end();
  }
  bool next_round() override { return search_.next_round(); }
  bool complete() const override { return search_.complete(); }

  // All processes remember states in one table. What one of them goes on with from a state is not searched by the others, and is searched
  // when all have come to their end: what it depends on are longer traces, of whichever process.
  bool can_be_split() const override { return search_.can_be_split(); }
  void prepare_split() override { seen_.share(); }
  void leave_last_part() override { search_.leave_last_part(); }
  void keep_last_part() override { search_.keep_last_part(); }
  bool leaves_more() const override { return search_.leaves_more(); }
  void note_more_left() override { search_.note_more_left(); }

 private:
  // Where the trace and `chose_` were when a choice was made.
  struct Mark {
    std::size_t trace = 0;
    bool chose = false;
  };

  // Where there is nothing to choose, mostly there never is again: what such steps are is worked out when it is needed.
  int continue_with_only(const SchedulingPoint& point, int chosen) {
    const runtime::Step& step = next_step(point, chosen);
    forced_.push_back({chosen, step, runtime::writes_now(step)});
    chose_ = false;
    after_call_ = runtime::is_operation(step.kind);
    return chosen;
  }
  void catch_up() {
    for (const Taken& taken : forced_) trace_.add(taken.thread, taken.step, taken.writes);
    forced_.clear();
  }

  int continue_with(const SchedulingPoint& point, int chosen) {
    if (point.is_data_choice) {
      trace_.data_choice(point.current, chosen);
      after_call_ = false;
    } else {
      const runtime::Step& step = next_step(point, chosen);
      trace_.add(chosen, step, runtime::writes_now(step));
      chose_ = !single(point.enabled);
      after_call_ = runtime::is_operation(step.kind);
    }
    return chosen;
  }

  // The threads with which to continue was searched before; with the others it is from now on.
  ThreadSet searched_from(const SchedulingPoint& point) {
    const Hash trace = trace_.value();
    seen_.prefetch(trace);
    // The signature is the same anyway, unless code that is not instrumented makes a difference.
    const std::uint64_t rest = point.implicit->implicit_state() ^ point.signature;
    looked_up_ = {trace, rest};
    SeenStates::State* const state = seen_.state(trace, rest);
    ThreadSet searched = 0;
    const ThreadSet allowed = search_.allowed(point);
    for (ThreadSet left = state != nullptr ? allowed : 0; left != 0; left &= left - 1) {
      const int thread = lowest(left);
      if (state->search(thread, search_.preemptions_left(point, thread))) searched |= bit(thread);
    }
    if (searched == allowed || !point.implicit->is_implicit_state_empty()) return searched;
    if (state != nullptr && !after_call_) state->remember(point.enabled, yielding(point));
    return searched | leading_to_known(point, allowed & ~searched);
  }

  static ThreadSet yielding(const SchedulingPoint& point) {
    ThreadSet yielding = 0;
    for (ThreadSet left = point.enabled; left != 0; left &= left - 1) {
      const int thread = lowest(left);
      if (runtime::is_yielding(next_step(point, thread), thread)) yielding |= bit(thread);
    }
    return yielding;
  }

  // Those whose steps lead to a state that another order of the same steps has led to, and from which all that this one may do was
  // searched.
  ThreadSet leading_to_known(const SchedulingPoint& point, ThreadSet threads) {
    std::array<Hash, kMaxThreads> traces;  // only those of `threads`
    for (ThreadSet left = threads; left != 0; left &= left - 1) {
      const int thread = lowest(left);
      const runtime::Step& step = next_step(point, thread);
      if (runtime::is_operation(step.kind)) {  // the thread may have to continue right after the call
        threads &= ~bit(thread);
        continue;
      }
      Hash& trace = traces[static_cast<std::size_t>(thread)];
      trace = trace_.value_after(thread, step, runtime::writes_now(step));
      seen_.prefetch(trace);
    }
    ThreadSet known = 0;
    for (ThreadSet left = threads; left != 0; left &= left - 1) {
      const int thread = lowest(left);
      if (is_searched(traces[static_cast<std::size_t>(thread)], thread,
                      search_.preemptions_left(point, thread)))
        known |= bit(thread);
    }
    return known;
  }

  // All that may follow a step of the thread that leads to this trace, with so many preemptions left.
  bool is_searched(Hash trace, int thread, int left) const {
    const SeenStates::State* const next = seen_.known(trace);
    if (next == nullptr) return false;
    const bool runs = (next->enabled() & bit(thread)) != 0 && !next->yields(thread);
    const ThreadSet allowed = runs && left <= 0 ? bit(thread) : next->enabled();
    for (ThreadSet ways = allowed; ways != 0; ways &= ways - 1) {
      const int goes = lowest(ways);
      if (!next->searched(goes, left - (runs && goes != thread ? 1 : 0))) return false;
    }
    return true;
  }

  static const runtime::Step& next_step(const SchedulingPoint& point, int thread) {
    return *(*point.next)[static_cast<std::size_t>(thread)];
  }

  struct Known {
    Hash trace = 0;
    std::uint64_t rest = 0;
  };
  struct WithoutChoice {
    Known from;
    int thread = 0;
  };
  struct Taken {
    int thread = 0;
    runtime::Step step;
    bool writes = false;
  };

  DepthFirst search_;
  TraceHash trace_;
  SeenStates seen_;
  std::vector<Mark> marks_;  // one for each choice of the search
  std::vector<Taken> forced_;
  Known looked_up_;                              // the last state
  std::optional<WithoutChoice> without_choice_;  // since when there was nothing to choose
  bool chose_ = false;                           // there was something to choose at the point before
  bool after_call_ = false;                      // the last step was the call of an operation
};

}  // namespace

std::unique_ptr<Strategy> bounded(int preemptions, std::size_t memory) {
  return std::make_unique<Bounded>(preemptions, memory);
}

}  // namespace plumb::engine
