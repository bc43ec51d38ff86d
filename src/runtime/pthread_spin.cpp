// Spin locks. To the scheduler they are locks for which a thread waits. As in the C library of x86-64 a free one is 1 and one that
// was never initialised looks taken; one that is held tells its holder, below zero.
#include <pthread.h>

#include <cerrno>

#include "runtime/real.hpp"
#include "runtime/threads.hpp"
#include "runtime/waiting.hpp"

namespace plumb::runtime {
namespace {

constexpr int kFree = 1;
int held_by(int thread) { return -1 - thread; }

bool spin_free(const Step& step, int) { return *static_cast<const volatile int*>(step.address) == kFree; }

Step spin_step(StepKind kind, const volatile int* lock, const void* pc) {
  return {.kind = kind, .writes = true, .size = 4, .address = const_cast<const int*>(lock), .pc = pc};
}

int spin_lock(pthread_spinlock_t* lock, Try how, const void* pc) {
  if (*lock == 0)
    g_control->fail(FindingKind::kMisuse, "a spin lock that was never initialised", pc,
                    const_cast<int*>(lock));
  Step step = spin_step(how == Try::kOnce ? StepKind::kTryLock : StepKind::kLock, lock, pc);
  if (how == Try::kWait) step.ready = &spin_free;
  g_control->point(step);
  const bool free = *lock == kFree;
  g_control->executed(step, 0, free ? 1 : 0, free);
  if (!free) return EBUSY;
  *lock = held_by(t_fiber);
  g_control->acquire(step.address);
  return 0;
}

int spin_unlock(pthread_spinlock_t* lock, const void* pc) {
  if (*lock != held_by(t_fiber)) {
    g_control->fail(FindingKind::kMisuse, "unlock of a spin lock that this thread does not hold", pc,
                    const_cast<int*>(lock));
  }
  const Step step = spin_step(StepKind::kUnlock, lock, pc);
  g_control->point(step);
  g_control->executed(step, 1, 0, true);
  g_control->release(step.address);
  *lock = kFree;
  return 0;
}

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" {

int pthread_spin_lock(pthread_spinlock_t* lock) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_spin_lock)(lock);
  return rt::spin_lock(lock, rt::Try::kWait, PLUMB_CALLER);
}
int pthread_spin_trylock(pthread_spinlock_t* lock) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_spin_trylock)(lock);
  return rt::spin_lock(lock, rt::Try::kOnce, PLUMB_CALLER);
}
int pthread_spin_unlock(pthread_spinlock_t* lock) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_spin_unlock)(lock);
  return rt::spin_unlock(lock, PLUMB_CALLER);
}
int pthread_spin_destroy(pthread_spinlock_t* lock) {
  if (rt::exploring()) rt::come_to_destroy(const_cast<int*>(lock), PLUMB_CALLER);
  if (rt::exploring() && *lock < 0) {
    rt::g_control->fail(plumb::FindingKind::kMisuse, "a spin lock that a thread holds is destroyed",
                        PLUMB_CALLER, const_cast<int*>(lock));
  }
  return PLUMB_REAL(pthread_spin_destroy)(lock);
}

}  // extern "C"
