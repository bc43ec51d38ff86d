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
// steps that had a choice meet there.
//
// An execution begins with choices that were made before, up to the last of them, where it takes another way. The trace up to
// there is that of the execution before: it is taken back to that choice, and nothing is worked out twice.
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
    if (chooses || chose_ || point.is_data_choice) catch_up();
    ThreadSet searched = 0;
    if (!point.is_data_choice && (chooses || chose_)) {
      searched = searched_from(point);
      if (searched == search_.allowed(point)) return Stop::kRedundant;
    }
    if (!chooses && point.is_data_choice) return continue_with(point, lowest(point.enabled));
    if (!chooses) return continue_with_only(point, lowest(point.enabled));
    marks_.push_back({trace_.mark(), chose_});
    const Pick picked = search_.pick(point, searched);
    return picked.stops() ? picked : continue_with(point, picked.chosen());
  }

  bool ended_early() const override { return search_.ended_early(); }
  bool end() override { return search_.end(); }
  bool complete() const override { return search_.complete(); }

 private:
  // Where the trace and `chose_` were when a choice was made.
  struct Mark {
    std::size_t trace = 0;
    bool chose = false;
  };

  // Where there is nothing to choose, mostly there never is again: what such steps are is worked out when it is needed.
  int continue_with_only(const SchedulingPoint& point, int chosen) {
    const runtime::Step& step = *(*point.next)[static_cast<std::size_t>(chosen)];
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
      const runtime::Step& step = *(*point.next)[static_cast<std::size_t>(chosen)];
      trace_.add(chosen, step, runtime::writes_now(step));
      chose_ = !single(point.enabled);
      after_call_ = runtime::is_operation(step.kind);
    }
    return chosen;
  }

  static Hash way(Hash state, int thread) { return state + static_cast<Hash>(thread + 1) * kOdd; }

  // The threads with which to continue was searched before; with the others it is from now on.
  ThreadSet searched_from(const SchedulingPoint& point) {
    // The signature is the same anyway, unless code that is not instrumented makes a difference.
    const std::uint64_t rest = point.implicit->implicit_state() ^ point.signature;
    const Hash state = mix128(trace_.value(), rest);
    ThreadSet searched = 0;
    const ThreadSet allowed = search_.allowed(point);
    for (ThreadSet left = allowed; left != 0; left &= left - 1) {
      const int thread = lowest(left);
      const int preemptions = search_.preemptions_left(point, thread);
      if (seen_.search(way(state, thread), preemptions)) searched |= bit(thread);
    }
    if (searched == allowed || !point.implicit->is_implicit_state_empty()) return searched;
    if (!after_call_) remember(point, rest);
    for (ThreadSet left = allowed & ~searched; left != 0; left &= left - 1) {
      if (leads_to_known(point, lowest(left))) searched |= bit(lowest(left));
    }
    return searched;
  }

  void remember(const SchedulingPoint& point, std::uint64_t rest) {
    ThreadSet yielding = 0;
    for (ThreadSet left = point.enabled; left != 0; left &= left - 1) {
      const int thread = lowest(left);
      if (runtime::is_yielding(*(*point.next)[static_cast<std::size_t>(thread)], thread))
        yielding |= bit(thread);
    }
    seen_.remember({.trace = trace_.value(), .rest = rest, .enabled = point.enabled, .yielding = yielding});
  }

  // Whether the thread's step leads to a state that another order of the same steps has led to, and from which all that this one
  // may do was searched.
  bool leads_to_known(const SchedulingPoint& point, int thread) {
    const runtime::Step& step = *(*point.next)[static_cast<std::size_t>(thread)];
    if (runtime::is_operation(step.kind))
      return false;  // the thread may have to continue right after the call
    const Hash trace = trace_.value_after(thread, step, runtime::writes_now(step));
    const KnownState* next = seen_.state(trace);
    if (next == nullptr) return false;
    const Hash state = mix128(trace, next->rest);
    const int left = search_.preemptions_left(point, thread);
    const bool runs = (next->enabled & ~next->yielding & bit(thread)) != 0;
    const ThreadSet allowed = runs && left <= 0 ? bit(thread) : next->enabled;
    for (ThreadSet ways = allowed; ways != 0; ways &= ways - 1) {
      const int goes = lowest(ways);
      if (!seen_.searched(way(state, goes), left - (runs && goes != thread ? 1 : 0))) return false;
    }
    return true;
  }
  static constexpr Hash kOdd = Hash{0xD6E8'FEB8'6659'FD93} << 64U | 0xA5CB'3D1B'7F4A'7C15;

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
  bool chose_ = false;       // there was something to choose at the point before
  bool after_call_ = false;  // the last step was the call of an operation
};

}  // namespace

std::unique_ptr<Strategy> bounded(int preemptions, std::size_t memory) {
  return std::make_unique<Bounded>(preemptions, memory);
}

}  // namespace plumb::engine
