// The reduction under a preemption bound: depth first with a deepening bound, but a state that was searched before is not
// searched again (happens-before caching; Musuvathi and Qadeer, "Partial-order reduction for context-bounded state
// exploration", 2007). Sleep sets are of no use here: of two orders of independent steps the one they leave out may be the
// one that needs fewer preemptions.
//
// A state is known by how it came about: the trace (trace_hash.hpp), that is, the steps taken up to the order of independent
// ones. Steps that commute leave the same memory and show every thread the same values, so two prefixes of one trace stand
// in the same state: the same threads at the same steps. Which thread goes on from there decides the next state, and what may
// come after that depends on nothing else but
// - the preemptions that are left: what can be reached with some can be reached with more;
// - what Choice::hidden stands for: things the program learnt without a step (the time), who waits in a loop.
// Who ran before matters only in what it costs to go on with another. So what is remembered is a state, the thread that goes
// on, and the preemptions left when it does; and where that was searched with at least as many left, all that may follow
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
      chose_ = called_ = false;
    } else {
      const Mark& last = marks_[search_.known() - 1];
      trace_.back_to(last.trace);
      chose_ = last.chose;
      marks_.resize(search_.known() - 1);
    }
    needs_every_step_ = search_.known() == 0;
    alone_.clear();
  }

  int pick(const Choice& choice) override {
    if (search_.on_known_path()) {
      const int chosen = search_.pick(choice);
      if (search_.on_known_path() || chosen < 0) return chosen;
      needs_every_step_ = true;
      marks_.push_back({trace_.mark(), chose_});
      return go_on(choice, chosen);
    }
    const bool chooses = !single(choice.options);
    if (chooses || chose_ || choice.outcome) catch_up();
    Options searched = 0;
    if (!choice.outcome && (chooses || chose_)) {
      searched = searched_from(choice);
      if (searched == search_.allowed(choice)) return kGiveUp;
    }
    if (!chooses && choice.outcome) return go_on(choice, lowest(choice.options));
    if (!chooses) return go_alone(choice, lowest(choice.options));
    marks_.push_back({trace_.mark(), chose_});
    const int chosen = search_.pick(choice, searched);
    return chosen < 0 ? chosen : go_on(choice, chosen);
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

  // Where there is nothing to choose, mostly there never is again: what such steps are is worked out when somebody asks.
  int go_alone(const Choice& choice, int chosen) {
    const runtime::Step& step = *(*choice.next)[static_cast<std::size_t>(chosen)];
    alone_.push_back({chosen, step, runtime::writes_now(step)});
    chose_ = false;
    called_ = runtime::is_operation(step.kind);
    return chosen;
  }
  void catch_up() {
    for (const Taken& taken : alone_) trace_.add(taken.thread, taken.step, taken.writes);
    alone_.clear();
  }

  int go_on(const Choice& choice, int chosen) {
    if (choice.outcome) {
      trace_.outcome(choice.current, chosen);
      called_ = false;
    } else {
      const runtime::Step& step = *(*choice.next)[static_cast<std::size_t>(chosen)];
      trace_.add(chosen, step, runtime::writes_now(step));
      chose_ = !single(choice.options);
      called_ = runtime::is_operation(step.kind);
    }
    return chosen;
  }

  static Hash way(Hash state, int thread) { return state + static_cast<Hash>(thread + 1) * kOdd; }

  // Whom to go on with was searched before; with the others it is from now on.
  Options searched_from(const Choice& choice) {
    // The signature is the same anyway, unless code that is not instrumented makes a difference.
    const std::uint64_t rest = choice.hidden->hidden_state() ^ choice.signature;
    const Hash state = mix(trace_.value(), rest);
    Options searched = 0;
    const Options allowed = search_.allowed(choice);
    for (Options left = allowed; left != 0; left &= left - 1) {
      const int thread = lowest(left);
      const int preemptions = search_.preemptions_left(choice, thread);
      if (seen_.search(way(state, thread), preemptions)) searched |= bit(thread);
    }
    if (searched == allowed || !choice.hidden->nothing_hidden()) return searched;
    if (!called_) remember(choice, rest);
    for (Options left = allowed & ~searched; left != 0; left &= left - 1) {
      if (leads_to_known(choice, lowest(left))) searched |= bit(lowest(left));
    }
    return searched;
  }

  void remember(const Choice& choice, std::uint64_t rest) {
    Options yielding = 0;
    for (Options left = choice.options; left != 0; left &= left - 1) {
      const int thread = lowest(left);
      if (runtime::is_voluntary(*(*choice.next)[static_cast<std::size_t>(thread)], thread))
        yielding |= bit(thread);
    }
    seen_.remember({.trace = trace_.value(), .rest = rest, .options = choice.options, .yielding = yielding});
  }

  // Whether the thread's step leads to a state that another order of the same steps has led to, and from which all that this one
  // may do was searched.
  bool leads_to_known(const Choice& choice, int thread) {
    const runtime::Step& step = *(*choice.next)[static_cast<std::size_t>(thread)];
    if (runtime::is_operation(step.kind)) return false;  // who is called may have to go on
    const Hash trace = trace_.value_after(thread, step, runtime::writes_now(step));
    const KnownState* next = seen_.state(trace);
    if (next == nullptr) return false;
    const Hash state = mix(trace, next->rest);
    const int left = search_.preemptions_left(choice, thread);
    const bool runs = (next->options & ~next->yielding & bit(thread)) != 0;
    const Options allowed = runs && left <= 0 ? bit(thread) : next->options;
    for (Options ways = allowed; ways != 0; ways &= ways - 1) {
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
  std::vector<Taken> alone_;
  bool chose_ = false;   // there was something to choose at the point before
  bool called_ = false;  // the last step was the call of an operation
};

}  // namespace

std::unique_ptr<Strategy> bounded(int preemptions, std::size_t memory) {
  return std::make_unique<Bounded>(preemptions, memory);
}

}  // namespace plumb::engine
