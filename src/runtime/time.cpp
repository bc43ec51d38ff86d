// Yields, sleeps and looks at the clock, which is virtual (virtual_clock.hpp). A yield or a sleep is a scheduling point at which a
// change of threads costs nothing.
#include <sched.h>
#include <sys/time.h>
#include <unistd.h>

#include <cerrno>
#include <ctime>

#include "runtime/access.hpp"
#include "runtime/real.hpp"
#include "runtime/threads.hpp"
#include "runtime/virtual_clock.hpp"

namespace plumb::runtime {
namespace {

constexpr Nanoseconds kSecond = 1'000'000'000;

void pause(StepKind kind, Nanoseconds until, const void* pc) {
  const Step step{.kind = kind, .pc = pc};
  g_control->point(step);
  g_control->executed(step, 0, 0, false);
  if (kind == StepKind::kSleep) go_on_at(until);
}
void sleep_time(Nanoseconds duration, const void* pc) {
  pause(StepKind::kSleep, virtual_now() + duration, pc);
}
// What the kernel says to durations that are none.
bool is_duration(const timespec& time) { return is_valid(time) && time.tv_sec >= 0; }
int fails(int error) {
  errno = error;
  return -1;
}

// The C library writes it, which has no hooks.
template <class T>
void write_time(T* to, const T& time, const void* pc) {
  report_access(to, sizeof(T), true, pc);
  *to = time;
}

timespec to_timespec(Nanoseconds time) { return {.tv_sec = time / kSecond, .tv_nsec = time % kSecond}; }

}  // namespace

void yield(const void* pc) { pause(StepKind::kYield, 0, pc); }
void sleep_for(const timespec& duration, const void* pc) { sleep_time(to_nanoseconds(duration), pc); }

}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" {

int sched_yield() {
  if (!rt::exploring()) return PLUMB_REAL(sched_yield)();
  rt::yield(PLUMB_CALLER);
  return 0;
}
int nanosleep(const timespec* duration, timespec* left) {
  if (!rt::exploring()) return PLUMB_REAL(nanosleep)(duration, left);
  if (!rt::is_duration(*duration)) return rt::fails(EINVAL);
  rt::sleep_for(*duration, PLUMB_CALLER);
  return 0;
}
int clock_nanosleep(clockid_t clock, int flags, const timespec* time, timespec* left) {
  if (!rt::exploring()) return PLUMB_REAL(clock_nanosleep)(clock, flags, time, left);
  if (!rt::is_duration(*time)) return EINVAL;
  if ((flags & TIMER_ABSTIME) != 0) {
    rt::pause(rt::StepKind::kSleep, rt::to_nanoseconds(*time), PLUMB_CALLER);
  } else {
    rt::sleep_for(*time, PLUMB_CALLER);
  }
  return 0;
}
int usleep(useconds_t duration) {
  if (!rt::exploring()) return PLUMB_REAL(usleep)(duration);
  rt::sleep_time(rt::Nanoseconds{duration} * 1000, PLUMB_CALLER);
  return 0;
}
unsigned sleep(unsigned seconds) {
  if (!rt::exploring()) return PLUMB_REAL(sleep)(seconds);
  rt::sleep_time(seconds * rt::kSecond, PLUMB_CALLER);
  return 0;
}

int clock_gettime(clockid_t clock, timespec* time) {
  if (!rt::exploring()) return PLUMB_REAL(clock_gettime)(clock, time);
  rt::write_time(time, rt::to_timespec(rt::virtual_now()), PLUMB_CALLER);
  return 0;
}
int gettimeofday(timeval* __restrict time, void* __restrict zone) {
  if (!rt::exploring()) return PLUMB_REAL(gettimeofday)(time, zone);
  const timespec now = rt::to_timespec(rt::virtual_now());
  rt::write_time(time, {.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000}, PLUMB_CALLER);
  return 0;
}
int timespec_get(timespec* time, int base) {
  if (!rt::exploring() || base != TIME_UTC) return PLUMB_REAL(timespec_get)(time, base);
  rt::write_time(time, rt::to_timespec(rt::virtual_now()), PLUMB_CALLER);
  return base;
}
time_t time(time_t* out) {
  if (!rt::exploring()) return PLUMB_REAL(time)(out);
  const time_t now = rt::virtual_now() / rt::kSecond;
  if (out != nullptr) rt::write_time(out, now, PLUMB_CALLER);
  return now;
}

}  // extern "C"
