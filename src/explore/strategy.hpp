// The seam for search orders: a strategy sees who can go on and what each is about to do, and names one. It is asked at
// every point where there is something to choose, and told of the end of each execution.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <vector>

#include "explore/clock.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

using Options = std::uint32_t;  // a set of threads, or of outcomes: bit i is number i

// What each thread at a point is about to do; of other threads there is no telling.
using NextSteps = std::array<const runtime::Step*, kMaxThreads>;

// What else the future depends on beside the steps taken: things learnt without a step, who waits in a loop. To find out takes a
// while, so it is asked for.
class Hidden {
 public:
  virtual std::uint64_t hidden_state() const = 0;
  virtual bool nothing_hidden() const = 0;  // nothing was learnt so far: the steps say all

 protected:
  ~Hidden() = default;
};

struct Choice {
  Options options = 0;          // not empty
  int current = -1;             // the thread that took the last step
  bool voluntary = false;       // it yields here: to go on with another is no preemption
  bool outcome = false;         // not a thread is chosen but an outcome of the step (which waiter is woken)
  std::uint64_t signature = 0;  // of the point: the same in each execution with the same choices before
  const Hidden* hidden = nullptr;
  const NextSteps* next = nullptr;
};

// A way down the tree of choices: what was chosen at each, and what was done there before. One that is given to a strategy
// confines it to what lies below.
struct Decision {
  std::uint8_t chosen = 0;
  Options done = 0;
};
using Prefix = std::vector<Decision>;

class Strategy {
 public:
  static constexpr int kGiveUp = -1;            // nothing new comes of this execution
  static constexpr int kCannotGoOnAlone = -3;   // the one thread that is to run alone waits for another
  static constexpr int kNondeterministic = -2;  // the point is not the one that was here before
  static constexpr int kDoesNotFit = -4;        // what is to be chosen is not among the options

  Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;
  virtual ~Strategy() = default;

  virtual void begin() = 0;
  virtual int pick(const Choice& choice) = 0;
  // An operation under test returned, together with the last step of this thread.
  virtual void returned(int thread) { (void)thread; }
  // The execution came to its end before it came to all choices that are to be made again.
  virtual bool ended_early() const { return false; }
  virtual bool end() = 0;  // after an execution: is there another?
  // Everything was run; false also when a random order has had enough.
  virtual bool complete() const = 0;

  // Of those that can be split among processes: stay below; go no deeper than so many choices; whether the last execution
  // was given up for that; and the way down to where it stands.
  virtual void confine(const Prefix& prefix) { (void)prefix; }
  virtual void cut_at(std::size_t depth) { (void)depth; }
  virtual bool was_cut() const { return false; }
  virtual Prefix prefix() const { return {}; }

  // Whether to ask at points, too, where only one thread can go on.
  bool needs_every_step() const { return needs_every_step_; }

 protected:
  bool needs_every_step_ = false;
};

inline Options bit(int i) { return Options{1} << static_cast<unsigned>(i); }
inline bool single(Options options) { return (options & (options - 1)) == 0; }
inline int lowest(Options options) { return std::countr_zero(options); }
// The current thread if it is among them, else the lowest.
int prefer(int current, Options options);

std::unique_ptr<Strategy> depth_first(int preemptions);
std::unique_ptr<Strategy> sleep_sets();
std::unique_ptr<Strategy> bounded(int preemptions,
                                  std::size_t memory);  // bytes for states that were searched
std::unique_ptr<Strategy> random_walk(std::uint64_t seed);
std::unique_ptr<Strategy> alone(std::uint64_t seed);
std::unique_ptr<Strategy> pct(std::uint64_t seed, int depth);

}  // namespace plumb::engine
