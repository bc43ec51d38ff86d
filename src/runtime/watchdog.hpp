// Watches, by the wall, over the thread that explores. The code under test may wait in the kernel, or compute without end, and
// then no one looks at a clock: a thread of our own does. When the time is over, or somebody asks for the end, it says so; an
// execution that has not ended some moments later is interrupted by a signal, from whose handler it is left; and where even that
// does not help (signals are blocked, a checker is busy) a callback is told, which ends the process. The watched thread is left alone
// before: a signal would make some system calls return early, and that is no behaviour of the program.
#pragma once

#include <atomic>
#include <functional>
#include <optional>
#include <string>

#include <plumb/seconds.hpp>

#include "runtime/control.hpp"

namespace plumb::runtime {

// Where the execution is that takes no step.
struct Standstill {
  double seconds = 0;       // since its last step
  std::string system_call;  // in which it is; empty: it computes
};

struct WatchTerms {
  std::optional<Seconds> timeout = std::nullopt;     // from now on; none: no limit
  const std::atomic<bool>* stop = nullptr;           // set from outside: the end is asked for
  std::optional<Seconds> note_after = std::nullopt;  // without a step, then twice as long …; none: never
  // Called on the thread that watches.
  std::function<void(const Standstill&)> note = {};
  std::function<void(const Standstill&)> cannot_end = {};
};

// While one lives, the executions of `control` are watched. At most one at a time.
class Watchdog {
 public:
  Watchdog(const Control& control, WatchTerms terms);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  // The time is over, or the end was asked for. Stays so until the next one lives.
  [[nodiscard]] static bool over();
  [[nodiscard]] static const std::atomic<bool>* over_flag();
  // Of the execution that was interrupted.
  [[nodiscard]] static Standstill standstill();
};

// While one lives, what takes time is plumb finding words for what it has found, not the code under test: that is not counted, and it
// is not ended for it, unless somebody asks. By any thread; they nest.
class FindingWords {
 public:
  FindingWords() { ++count_; }
  ~FindingWords() { --count_; }
  FindingWords(const FindingWords&) = delete;
  FindingWords& operator=(const FindingWords&) = delete;

  static void forget() { count_ = 0; }  // in the child of a fork: what other threads were at
  [[nodiscard]] static bool now() { return count_.load(std::memory_order_relaxed) != 0; }

 private:
  static inline std::atomic<int> count_{0};
};

// What the handler of the signal does: leaves the execution, if this is one and it is to be interrupted.
void on_interrupt();

}  // namespace plumb::runtime
