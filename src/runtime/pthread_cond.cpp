// Condition variables. A wait is two steps: give the mutex back and queue up, then, when woken and the mutex is free,
// go on holding it. A time-out is a wake-up that the scheduler chooses.
#include <pthread.h>

#include <cerrno>

#include "runtime/lock_state.hpp"
#include "runtime/real.hpp"
#include "runtime/waiting.hpp"

namespace plumb::runtime {
namespace {

bool woken(const Step& step, int thread) { return !waits(thread) && mutex_free(step, thread); }
// A time-out, too, has to wait for the mutex.
bool woken_or_late(const Step& step, int thread) { return mutex_free(step, thread); }

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline, const void* pc) {
  const int self = t_fiber;
  if (holder(mutex) != self)
    g_control->fail(Failure::kMisuse, "wait with a mutex that this thread does not hold", pc);
  const Step queue{
      .kind = StepKind::kWait, .writes = true, .size = 1, .address = mutex, .also = condition, .pc = pc};
  g_control->point(queue);
  const bool may_wake = g_control->happens(Control::Whim::kWakeUp);  // at any time, for no reason
  g_control->did(queue, 0, 0, true);
  g_control->release(mutex);
  const unsigned depth = mutex->__data.__count;
  mutex->__data.__count = 1;
  give_back(mutex);
  wait_at(self, condition);

  Step wake{
      .kind = StepKind::kWake, .writes = true, .size = 1, .address = mutex, .also = condition, .pc = pc};
  wake.ready = deadline != nullptr || may_wake ? &woken_or_late : &woken;
  g_control->point(wake);
  const bool late = waits(self) && !may_wake;
  stop_waiting(self);
  g_control->did(wake, 0, late ? 1 : 0, true);
  if (late) advance_to(to_nanoseconds(*deadline));
  take(mutex, self);
  mutex->__data.__count = depth;
  g_control->acquire(mutex);
  return late ? ETIMEDOUT : 0;
}

int notify(pthread_cond_t* condition, StepKind kind, const void* pc) {
  const Step step{.kind = kind, .writes = true, .size = 1, .address = condition, .pc = pc};
  g_control->point(step);
  const int woken_threads = wake_at(condition, kind == StepKind::kSignal ? 1 : kMaxThreads);
  g_control->did(step, 0, static_cast<std::uint64_t>(woken_threads), true);
  return 0;
}

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;
#define PLUMB_CALLER __builtin_return_address(0)

extern "C" {

int pthread_cond_wait(pthread_cond_t* condition, pthread_mutex_t* mutex) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_cond_wait)(condition, mutex);
  return rt::wait(condition, mutex, nullptr, PLUMB_CALLER);
}
int pthread_cond_timedwait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_cond_timedwait)(condition, mutex, deadline);
  return rt::wait(condition, mutex, deadline, PLUMB_CALLER);
}
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock,
                           const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_cond_clockwait)(condition, mutex, clock, deadline);
  return rt::wait(condition, mutex, deadline, PLUMB_CALLER);
}
int pthread_cond_signal(pthread_cond_t* condition) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_cond_signal)(condition);
  return rt::notify(condition, rt::StepKind::kSignal, PLUMB_CALLER);
}
int pthread_cond_broadcast(pthread_cond_t* condition) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_cond_broadcast)(condition);
  return rt::notify(condition, rt::StepKind::kBroadcast, PLUMB_CALLER);
}
// The real one would wait for waiters that are fibers.
int pthread_cond_destroy(pthread_cond_t* condition) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_cond_destroy)(condition);
  return 0;
}

}  // extern "C"
