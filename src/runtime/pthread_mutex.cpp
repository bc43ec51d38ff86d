// Mutexes and reader-writer locks. The holder stands in the object itself, in the fields that the C library has for it:
// a zeroed object is free, and memory that is put back puts locks back.
#include <pthread.h>

#include <cerrno>

#include "runtime/lock_state.hpp"
#include "runtime/pause.hpp"
#include "runtime/real.hpp"
#include "runtime/waiting.hpp"

namespace plumb::runtime {
namespace {

enum class Try : std::uint8_t { kWait, kOnce };

Step lock_step(StepKind kind, const void* address, const void* pc, bool (*ready)(const Step&, int)) {
  return {.kind = kind, .writes = true, .size = 1, .address = address, .pc = pc, .ready = ready};
}

// Takes the mutex; the step is ready when it is free. With a deadline the scheduler may let it pass.
int lock(pthread_mutex_t* mutex, Try how, const timespec* deadline, const void* pc) {
  const int self = t_fiber;
  const int kind = mutex->__data.__kind & 3;
  if (holder(mutex) == self && how == Try::kWait && kind == PTHREAD_MUTEX_ERRORCHECK) return EDEADLK;
  const bool again = holder(mutex) == self && kind == PTHREAD_MUTEX_RECURSIVE;
  Step step = lock_step(how == Try::kOnce ? StepKind::kTryLock : StepKind::kLock, mutex, pc,
                        how == Try::kOnce || again ? nullptr : &mutex_free);
  step.timed = deadline != nullptr;
  const bool ready = g_control->point(step);
  const bool free = holder(mutex) < 0 || again;
  g_control->did(step, 0, free ? 1 : 0, free);
  if (!ready) advance_to(to_nanoseconds(*deadline));
  if (!free) return ready ? EBUSY : ETIMEDOUT;
  take(mutex, self);
  g_control->acquire(mutex);
  return 0;
}

int unlock(pthread_mutex_t* mutex, const void* pc) {
  if (holder(mutex) != t_fiber) {
    if ((mutex->__data.__kind & 3) != PTHREAD_MUTEX_NORMAL) return EPERM;
    g_control->fail(Failure::kMisuse, "unlock of a mutex that this thread does not hold", pc);
  }
  const Step step = lock_step(StepKind::kUnlock, mutex, pc, nullptr);
  g_control->point(step);
  g_control->did(step, 1, 0, true);
  g_control->release(mutex);
  give_back(mutex);
  return 0;
}

bool no_writer(const Step& step, int) {
  return static_cast<const pthread_rwlock_t*>(step.address)->__data.__writers == 0;
}
bool nobody(const Step& step, int thread) {
  return no_writer(step, thread) && static_cast<const pthread_rwlock_t*>(step.address)->__data.__readers == 0;
}

// What readers release: another byte of the same object.
const void* reader_side(const pthread_rwlock_t* lock) { return reinterpret_cast<const char*>(lock) + 1; }

int lock_shared(pthread_rwlock_t* lock, bool write, Try how, const timespec* deadline, const void* pc) {
  auto* ready_when = write ? &nobody : &no_writer;
  const StepKind once = write ? StepKind::kTryLock : StepKind::kTryReadLock;
  const StepKind wait = write ? StepKind::kLock : StepKind::kReadLock;
  Step step = lock_step(how == Try::kOnce ? once : wait, lock, pc, how == Try::kOnce ? nullptr : ready_when);
  step.writes = write;  // readers commute
  step.timed = deadline != nullptr;
  const bool ready = g_control->point(step);
  const bool free = ready_when(step, t_fiber);
  g_control->did(step, 0, free ? 1 : 0, free);
  if (!ready) advance_to(to_nanoseconds(*deadline));
  if (!free) return ready ? EBUSY : ETIMEDOUT;
  if (write) {
    lock->__data.__writers = static_cast<unsigned>(t_fiber) + 1;
  } else {
    ++lock->__data.__readers;
  }
  // A writer comes after those who read, too; readers only after who wrote.
  g_control->acquire(lock);
  if (write) g_control->acquire(reader_side(lock));
  return 0;
}

int unlock_shared(pthread_rwlock_t* lock, const void* pc) {
  Step step = lock_step(StepKind::kUnlock, lock, pc, nullptr);
  step.writes = lock->__data.__writers != 0;
  if (lock->__data.__writers == 0 && lock->__data.__readers == 0) {
    g_control->fail(Failure::kMisuse, "unlock of a reader-writer lock that nobody holds", pc);
  }
  g_control->point(step);
  g_control->did(step, 1, 0, true);
  g_control->release(step.writes ? static_cast<const void*>(lock) : reader_side(lock));
  if (step.writes) {
    lock->__data.__writers = 0;
  } else {
    --lock->__data.__readers;
  }
  return 0;
}

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;
#define PLUMB_CALLER __builtin_return_address(0)

extern "C" {

int pthread_mutex_lock(pthread_mutex_t* mutex) {
  if (!rt::exploring()) {
    rt::outside_step();
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
    rt::outside_step();
    return PLUMB_REAL(pthread_mutex_unlock)(mutex);
  }
  return rt::unlock(mutex, PLUMB_CALLER);
}

int pthread_rwlock_rdlock(pthread_rwlock_t* lock) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_rwlock_rdlock)(lock);
  return rt::lock_shared(lock, false, rt::Try::kWait, nullptr, PLUMB_CALLER);
}
int pthread_rwlock_tryrdlock(pthread_rwlock_t* lock) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_rwlock_tryrdlock)(lock);
  return rt::lock_shared(lock, false, rt::Try::kOnce, nullptr, PLUMB_CALLER);
}
int pthread_rwlock_timedrdlock(pthread_rwlock_t* lock, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_rwlock_timedrdlock)(lock, deadline);
  return rt::lock_shared(lock, false, rt::Try::kWait, deadline, PLUMB_CALLER);
}
int pthread_rwlock_wrlock(pthread_rwlock_t* lock) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_rwlock_wrlock)(lock);
  return rt::lock_shared(lock, true, rt::Try::kWait, nullptr, PLUMB_CALLER);
}
int pthread_rwlock_trywrlock(pthread_rwlock_t* lock) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_rwlock_trywrlock)(lock);
  return rt::lock_shared(lock, true, rt::Try::kOnce, nullptr, PLUMB_CALLER);
}
int pthread_rwlock_timedwrlock(pthread_rwlock_t* lock, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_rwlock_timedwrlock)(lock, deadline);
  return rt::lock_shared(lock, true, rt::Try::kWait, deadline, PLUMB_CALLER);
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_rwlock_unlock)(lock);
  return rt::unlock_shared(lock, PLUMB_CALLER);
}

}  // extern "C"
