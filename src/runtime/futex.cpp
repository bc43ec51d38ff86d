// The futex system call, on which std::atomic::wait, std::latch, std::barrier and TBB stand. Other system calls pass.
#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>

#include <array>

#include "runtime/real.hpp"
#include "runtime/virtual_clock.hpp"
#include "runtime/waiting.hpp"

namespace plumb::runtime {
namespace {

bool was_woken(const Step&, int thread) { return !waits(thread); }

long fails(int error) {
  errno = error;
  return -1;
}

// To look and queue up, and to leave, change nothing but which threads wait, and that matters only to wakers: so of the steps at one
// word these commute with each other and with reads, and not with changes and wake-ups.
//
// `timeout`: null, forever; else a time, or how long from now on.
enum class Until : std::uint8_t { kTime, kFromNow };
long futex_wait(const int* word, int expected, const timespec* timeout, Until until, const void* pc) {
  const Step sleep{.kind = StepKind::kFutexWait, .size = 4, .address = word, .pc = pc};
  g_control->point(sleep);
  const int value = *word;
  g_control->executed(sleep, static_cast<std::uint64_t>(value), static_cast<std::uint64_t>(value), false);
  if (value != expected) return fails(EAGAIN);
  wait_at(t_fiber, word);
  Step wake{.kind = StepKind::kFutexWoken, .size = 4, .address = word, .pc = pc, .ready = &was_woken};
  if (timeout != nullptr)
    set_deadline(wake, to_nanoseconds(*timeout) + (until == Until::kFromNow ? virtual_now() : 0));
  const bool ready = g_control->point(wake);
  stop_waiting(t_fiber);
  g_control->executed(wake, 0, ready ? 0 : 1, false);
  if (ready) return 0;
  go_on_at(wake.deadline);
  return fails(ETIMEDOUT);
}

long futex_wake(const int* word, int count, const void* pc) {
  const Step step{.kind = StepKind::kFutexWake, .writes = true, .size = 4, .address = word, .pc = pc};
  g_control->point(step);
  const int woken = wake_at(word, count);
  g_control->executed(step, 0, static_cast<std::uint64_t>(woken), false);
  return woken;
}

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" long syscall(long number, ...) noexcept {
  std::va_list list;
  va_start(list, number);
  std::array<long, 6> words{};
  for (long& word : words) word = va_arg(list, long);
  va_end(list);
  if (number == SYS_futex && rt::exploring()) {
    const auto* word = reinterpret_cast<const int*>(words[0]);
    const long operation = words[1] & FUTEX_CMD_MASK;
    if (operation == FUTEX_WAIT || operation == FUTEX_WAIT_BITSET) {
      return rt::futex_wait(word, static_cast<int>(words[2]), reinterpret_cast<const timespec*>(words[3]),
                            operation == FUTEX_WAIT ? rt::Until::kFromNow : rt::Until::kTime,
                            __builtin_return_address(0));
    }
    if (operation == FUTEX_WAKE || operation == FUTEX_WAKE_BITSET) {
      return rt::futex_wake(word, static_cast<int>(words[2]), __builtin_return_address(0));
    }
  }
  const long result = rt::raw_syscall(number, words[0], words[1], words[2], words[3], words[4], words[5]);
  if (result < 0 && result > -4096) {
    errno = static_cast<int>(-result);
    return -1;
  }
  return result;
}
