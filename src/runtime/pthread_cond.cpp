// Condition variables. A wait is two steps: give the mutex back and queue up, then, when woken and the mutex is free,
// go on holding it. A time-out is a wake-up that the scheduler chooses.
#include <pthread.h>

#include <cerrno>

#include "runtime/lock_state.hpp"
#include "runtime/real.hpp"
#include "runtime/threads.hpp"
#include "runtime/virtual_clock.hpp"
#include "runtime/waiting.hpp"

namespace plumb::runtime {
namespace {

// A thread that returns, be it by a time-out, has to have the mutex.
bool mutex_free(const Step& step, int) { return is_free(static_cast<const pthread_mutex_t*>(step.also)); }
bool woken(const Step& step, int thread) { return !waits(thread) && mutex_free(step, thread); }

Step condition_step(StepKind kind, const pthread_cond_t* condition, const pthread_mutex_t* mutex,
                    const void* pc) {
  return {.kind = kind, .writes = true, .size = 1, .address = condition, .also = mutex, .pc = pc};
}

}  // namespace

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline, const void* pc) {
  const int self = t_fiber;
  if (deadline != nullptr && !is_valid(*deadline)) return EINVAL;
  if (holder(mutex) != self)
    g_control->fail(FindingKind::kMisuse, "wait with a mutex that this thread does not hold", pc, mutex);
  const Step queue = condition_step(StepKind::kWait, condition, mutex, pc);
  g_control->point(queue);
  const bool may_wake = g_control->choose_spurious(Control::SpuriousEvent::kWakeup);  // at any time
  g_control->executed(queue, 1, 0, true);
  g_control->release(mutex);
  const unsigned depth = mutex->__data.__count;
  mutex->__data.__count = 1;
  give_back(mutex);
  wait_at(self, condition);
  Step wake = condition_step(StepKind::kWake, condition, mutex, pc);
  wake.ready = may_wake ? &mutex_free : &woken;
  set_deadline(wake, deadline);
  wake.can_time_out = &mutex_free;
  const bool in_time = g_control->point(wake);
  stop_waiting(self);
  g_control->executed(wake, 0, 1, true);
  if (!in_time) go_on_at(*deadline);
  const int told = take(mutex, self);
  if (told == 0 || told == EOWNERDEAD) mutex->__data.__count = depth;
  g_control->acquire(mutex);
  if (told != 0) return told;
  return in_time ? 0 : ETIMEDOUT;
}

int notify(pthread_cond_t* condition, StepKind kind, const void* pc) {
  const Step step{.kind = kind, .writes = true, .size = 1, .address = condition, .pc = pc};
  g_control->point(step);
  const int woken_threads = wake_at(condition, kind == StepKind::kSignal ? 1 : kMaxThreads);
  g_control->executed(step, 0, static_cast<std::uint64_t>(woken_threads), true);
  return 0;
}

// The real one would wait for waiters that are fibers.
int destroy(pthread_cond_t* condition, const void* pc) {
  come_to_destroy(condition, pc);
  for (int thread = 0; thread < kMaxThreads; ++thread) {
    if (waits_at(thread) == condition)
      g_control->fail(FindingKind::kMisuse, "a condition variable at which a thread waits is destroyed", pc,
                      condition);
  }
  return 0;
}

}  // namespace plumb::runtime

namespace rt = plumb::runtime;

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
int pthread_cond_destroy(pthread_cond_t* condition) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_cond_destroy)(condition);
  return rt::destroy(condition, PLUMB_CALLER);
}

}  // extern "C"
