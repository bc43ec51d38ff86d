// The reduction under a preemption bound: depth first with a deepening bound, but a state that was searched before is not
// searched again (happens-before caching; Musuvathi and Qadeer, "Partial-order reduction for context-bounded state
// exploration", 2007). Sleep sets are of no use here: of two orders of independent steps the one they leave out may be the
// one that needs fewer preemptions.
//
// A state is known by how it came about: the trace (trace_hash.hpp), that is, the steps taken up to the order of independent
// ones. Steps that commute leave the same memory and show every thread the same values, so two prefixes of one trace stand
// in the same state: the same threads at the same steps. What may come after depends on nothing else but
// - who is running, since to go on with another costs a preemption; nobody, where that one cannot go on or yields;
// - the preemptions that are left: what can be reached with some can be reached with more;
// - what Choice::hidden stands for: things the program learnt without a step (the time), who waits in a loop.
// So where the state was searched with at least as many preemptions left, all that may follow was run already, or will be
// by the time the earlier search of it ends; a trace only grows, hence that search is never the one we are in. By induction
// over the order in which searches of states end, each trace that plain depth-first search with the same bound runs to its
// end is run to its end here, too.
//
// States are looked up where there is something to choose, and once more when there no longer is: two orders of the last
// steps that had a choice meet there.
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
    trace_.begin();
    chose_ = false;
    needs_hidden_state_ = !search_.on_known_path();  // states are looked up beyond it only
  }

  int pick(const Choice& choice) override {
    if (choice.outcome) {
      const int chosen = search_.pick(choice);
      needs_hidden_state_ = !search_.on_known_path();
      if (chosen >= 0) trace_.outcome(choice.current, chosen);
      return chosen;
    }
    const bool chooses = !single(choice.options);
    if ((chooses || chose_) && !search_.on_known_path() &&
        seen_.searched(state_at(choice), search_.preemptions_left())) {
      return kGiveUp;
    }
    chose_ = chooses;
    const int chosen = search_.pick(choice);
    needs_hidden_state_ = !search_.on_known_path();
    if (chosen >= 0) {
      const runtime::Step& step = *(*choice.next)[static_cast<std::size_t>(chosen)];
      trace_.add(chosen, step, runtime::writes_now(step));
    }
    return chosen;
  }

  bool ended_early() const override { return search_.ended_early(); }
  bool end() override { return search_.end(); }
  bool complete() const override { return search_.complete(); }

 private:
  Hash state_at(const Choice& choice) const {
    Hash state = mix(trace_.value(), choice.hidden);
    state = mix(
        state, choice.signature);  // the same anyway, unless code that is not instrumented makes a difference
    return mix(state, static_cast<std::uint64_t>(running(choice)) + 1);
  }

  DepthFirst search_;
  TraceHash trace_;
  SeenStates seen_;
  bool chose_ = false;  // there was something to choose at the point before
};

}  // namespace

std::unique_ptr<Strategy> bounded(int preemptions, std::size_t memory) {
  return std::make_unique<Bounded>(preemptions, memory);
}

}  // namespace plumb::engine
