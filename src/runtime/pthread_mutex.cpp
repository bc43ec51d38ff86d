// Mutexes. The holder stands in the object itself, in the fields that the C library has for it: a zeroed object is free, and
// memory that is put back puts locks back.
#include <pthread.h>

#include <cerrno>

#include "runtime/lock_state.hpp"
#include "runtime/pause.hpp"
#include "runtime/real.hpp"
#include "runtime/threads.hpp"
#include "runtime/virtual_clock.hpp"
#include "runtime/waiting.hpp"

namespace plumb::runtime {
namespace {

int kind_of(const pthread_mutex_t* mutex) { return mutex->__data.__kind & 3; }

// Others leave what happens undefined where their holder takes them again, or another thread releases them.
bool checks_its_holder(const pthread_mutex_t* mutex) {
  return kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE || kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK ||
         is_robust(mutex);
}

bool mutex_free(const Step& step, int) { return is_free(static_cast<const pthread_mutex_t*>(step.address)); }

Step mutex_step(StepKind kind, const pthread_mutex_t* mutex, const void* pc) {
  return {.kind = kind, .writes = true, .size = 1, .address = mutex, .pc = pc};
}

}  // namespace

int lock(pthread_mutex_t* mutex, Try how, const timespec* deadline, const void* pc) {
  const int self = t_fiber;
  const bool mine = holder(mutex) == self;
  if (mine && how == Try::kWait && kind_of(mutex) == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
  const bool again = mine && kind_of(mutex) == PTHREAD_MUTEX_RECURSIVE;
  Step step = mutex_step(how == Try::kOnce ? StepKind::kTryLock : StepKind::kLock, mutex, pc);
  if (how == Try::kWait && !again) step.ready = &mutex_free;
  step.operand = again ? 1 : 0;
  set_deadline(step, deadline);
  const bool ready = g_control->point(step);
  const bool free = is_free(mutex) || again;
  const int told = free ? take(mutex, self) : EBUSY;
  const bool taken = told == 0 || told == EOWNERDEAD;
  g_control->executed(step, 0, taken ? 1 : 0, taken);
  if (!ready) {
    go_on_at(*deadline);
    return ETIMEDOUT;
  }
  if (!taken) return told;
  if (is_robust(mutex)) holds_robust(mutex);
  g_control->acquire(mutex);
  return told;
}

int unlock(pthread_mutex_t* mutex, const void* pc) {
  if (holder(mutex) != t_fiber) {
    if (checks_its_holder(mutex)) return EPERM;
    g_control->fail(FindingKind::kMisuse, "unlock of a mutex that this thread does not hold", pc, mutex);
  }
  const Step step = mutex_step(StepKind::kUnlock, mutex, pc);
  g_control->point(step);
  g_control->executed(step, 1, 0, true);
  g_control->release(mutex);
  give_back(mutex);
  if (is_robust(mutex) && is_free(mutex)) holds_robust_no_more(mutex);
  return 0;
}

int destroy(pthread_mutex_t* mutex, const void* pc) {
  come_to_destroy(mutex, pc);
  if (!is_free(mutex))
    g_control->fail(FindingKind::kMisuse, "a mutex that a thread holds is destroyed", pc, mutex);
  return PLUMB_REAL(pthread_mutex_destroy)(mutex);
}

}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (!rt::exploring()) {
    rt::maybe_pause();
    return PLUMB_REAL(pthread_mutex_lock)(mutex);
  }
  return rt::lock(mutex, rt::Try::kWait, nullptr, PLUMB_CALLER);
}
int pthread_mutex_trylock(pthread_mutex_t* mutex) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_mutex_trylock)(mutex);
  return rt::lock(mutex, rt::Try::kOnce, nullptr, PLUMB_CALLER);
}
int pthread_mutex_timedlock(pthread_mutex_t* mutex, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_mutex_timedlock)(mutex, deadline);
  return rt::lock(mutex, rt::Try::kWait, deadline, PLUMB_CALLER);
}
int pthread_mutex_clocklock(pthread_mutex_t* mutex, clockid_t clock, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_mutex_clocklock)(mutex, clock, deadline);
  return rt::lock(mutex, rt::Try::kWait, deadline, PLUMB_CALLER);
}
int pthread_mutex_unlock(pthread_mutex_t* mutex) {
  if (!rt::exploring()) {
    rt::maybe_pause();
    return PLUMB_REAL(pthread_mutex_unlock)(mutex);
  }
  return rt::unlock(mutex, PLUMB_CALLER);
}
int pthread_mutex_destroy(pthread_mutex_t* mutex) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_mutex_destroy)(mutex);
  return rt::destroy(mutex, PLUMB_CALLER);
}
int pthread_mutex_consistent(pthread_mutex_t* mutex) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_mutex_consistent)(mutex);
  if (!rt::is_robust(mutex) || mutex->__data.__owner != rt::kInconsistent) return EINVAL;
  mutex->__data.__owner = 0;
  return 0;
}

}  // extern "C"
