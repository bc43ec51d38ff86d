// Crashes and endless loops of the code under test: signals are caught on a stack of their own and become findings. The
// watchdog counts the processor time of this process, so a busy machine raises no false alarm. What waits without computing is the
// other one's to notice (watchdog.hpp).
#pragma once

#include <sys/time.h>

#include <csignal>
#include <iterator>

#include <plumb/seconds.hpp>

namespace plumb::runtime {

class CatchSignals {
 public:
  explicit CatchSignals(Seconds watchdog);  // without any step: an endless loop
  ~CatchSignals();
  CatchSignals(const CatchSignals&) = delete;
  CatchSignals& operator=(const CatchSignals&) = delete;

 private:
  static constexpr int kSignals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGVTALRM};
  struct sigaction saved_[std::size(kSignals)]{};
};

// No ticks of that watchdog while this lives. They go to the code under test, and what another thread computes beside it must not
// end its sleep.
class WithoutTicks {
 public:
  WithoutTicks();
  ~WithoutTicks();
  WithoutTicks(const WithoutTicks&) = delete;
  WithoutTicks& operator=(const WithoutTicks&) = delete;

 private:
  itimerval saved_{};
};

// The same as CatchSignals for std::terminate: the standard library's own handler prints, and remembers that it was called.
class CatchTerminate {
 public:
  CatchTerminate();
  ~CatchTerminate();
  CatchTerminate(const CatchTerminate&) = delete;
  CatchTerminate& operator=(const CatchTerminate&) = delete;
};

}  // namespace plumb::runtime
