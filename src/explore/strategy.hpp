// The seam for search orders: a strategy sees which threads are enabled and what each is about to do, and picks one. It is asked at
// every scheduling point where there is something to choose, and notified of the end of each execution.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "explore/clock.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

using ThreadSet = std::uint32_t;  // or a set of outcomes: bit i is number i

// What each thread at a scheduling point is about to do; for other threads it is not known.
using NextSteps = std::array<const runtime::Step*, kMaxThreads>;

// What else the future depends on besides the steps taken: things observed without a step, and which threads wait in a loop. Finding
// out takes a while, so it is computed on request.
class ImplicitState {
 public:
  virtual std::uint64_t implicit_state() const = 0;  // as a hash
  virtual bool is_implicit_state_empty() const = 0;  // nothing was observed so far: the steps say all

 protected:
  ~ImplicitState() = default;
};

struct SchedulingPoint {
  ThreadSet enabled = 0;        // not empty
  int current = -1;             // the thread that took the last step
  bool is_yielding = false;     // it yields here: continuing with another is no preemption
  bool is_data_choice = false;  // the choice is an outcome of the step (which waiter is woken), not a thread
  std::uint64_t signature = 0;  // of the point: the same in each execution with the same choices before
  const ImplicitState* implicit = nullptr;
  const NextSteps* next = nullptr;
};

// Why an execution is not to continue.
enum class Stop : std::uint8_t {
  kRedundant,           // it leads to nothing new
  kNondeterministic,    // the scheduling point is not the one that was here before
  kNotObstructionFree,  // the one thread that is to run alone is not enabled
  kReplayMismatch,      // what is to be chosen is not enabled
};

// What a strategy answers: a thread (or an outcome), or that the execution is to stop. As cheap as the number.
class Pick {
 public:
  Pick(int chosen) : value_(chosen) {}                      // NOLINT(google-explicit-constructor)
  Pick(Stop stop) : value_(-1 - static_cast<int>(stop)) {}  // NOLINT(google-explicit-constructor)

  bool stops() const { return value_ < 0; }
  int chosen() const { return value_; }  // unless it stops
  Stop stop() const { return static_cast<Stop>(-1 - value_); }

 private:
  int value_;
};

class Strategy {
 public:
  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  virtual void begin() = 0;
  virtual Pick pick(const SchedulingPoint& point) = 0;
  // An operation under test returned, together with the last step of this thread.
  virtual void returned(int thread) { (void)thread; }
  // The execution ended before it reached all choices that are to be repeated.
  virtual bool ended_early() const { return false; }
  virtual bool end() = 0;  // after an execution: is there another?
  // Then, if the search has rounds (of a deepening bound) and all of this one was run, here or elsewhere: begins the next. False: there
  // is none.
  virtual bool next_round() { return false; }
  // Everything was run; always false for a random order.
  virtual bool complete() const = 0;

  // For those whose search may go on in a fork of this process (search_parts.hpp): whether there is something to hand over, which is the
  // last in the order of the search; before the fork; then the one process leaves that out, and the other keeps nothing else, in this round.
  virtual bool can_be_split() const { return false; }
  virtual void prepare_split() {}
  virtual void leave_last_part() {}
  virtual void keep_last_part() {}
  // Whether the round left something out that the next one does not; the other process says so to the one that goes on.
  virtual bool leaves_more() const { return false; }
  virtual void note_more_left() {}

  // Whether to be asked at scheduling points where only one thread is enabled, too.
  bool needs_every_step() const { return needs_every_step_; }

 protected:
  bool needs_every_step_ = false;
};

inline ThreadSet bit(int i) { return ThreadSet{1} << static_cast<unsigned>(i); }
inline bool single(ThreadSet set) { return (set & (set - 1)) == 0; }
inline int lowest(ThreadSet set) { return std::countr_zero(set); }
inline Pick pick_if_enabled(const SchedulingPoint& point, int chosen, Stop otherwise) {
  return (point.enabled & bit(chosen)) != 0 ? Pick(chosen) : Pick(otherwise);
}
// The current thread if it is among them, otherwise the lowest.
int prefer(int current, ThreadSet set);

std::unique_ptr<Strategy> depth_first(std::optional<int> preemptions);  // none: any number
std::unique_ptr<Strategy> sleep_sets();
std::unique_ptr<Strategy> bounded(int preemptions,
                                  std::size_t memory);             // bytes for states that were searched
std::unique_ptr<Strategy> serial_order(std::vector<int> threads);  // with Execution::run_serially
std::unique_ptr<Strategy> random_walk(std::uint64_t seed);
std::unique_ptr<Strategy> solo_execution(std::uint64_t seed);
// The choices of a path, one for each step and outcome, then whatever comes first.
std::unique_ptr<Strategy> follow_path(std::vector<std::uint8_t> path);
std::unique_ptr<Strategy> pct(std::uint64_t seed, int depth);
std::unique_ptr<Strategy> partial_order_sampling(std::uint64_t seed);
std::unique_ptr<Strategy> selectively_uniform_walk(std::uint64_t seed);

}  // namespace plumb::engine
