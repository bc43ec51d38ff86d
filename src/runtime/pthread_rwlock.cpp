// Reader-writer locks. The holders of one stand in fields of the object that the C library leaves alone: the writer's number plus one,
// and for each thread how often it reads, four bits. Neither the one that waits longest nor writers are preferred: any order is explored.
#include <pthread.h>

#include <cerrno>

#include "runtime/real.hpp"
#include "runtime/threads.hpp"
#include "runtime/virtual_clock.hpp"
#include "runtime/waiting.hpp"

namespace plumb::runtime {
namespace {

constexpr unsigned kBits = 4;
constexpr unsigned long kMost = (1UL << kBits) - 1;
static_assert(kMaxThreads * kBits <= 64);

unsigned& writer_of(pthread_rwlock_t* lock) { return lock->__data.__pad4; }
unsigned long& readers_of(pthread_rwlock_t* lock) { return lock->__data.__pad2; }
const pthread_rwlock_t* lock_of(const Step& step) {
  return static_cast<const pthread_rwlock_t*>(step.address);
}
bool no_writer(const Step& step, int) { return lock_of(step)->__data.__pad4 == 0; }
bool nobody(const Step& step, int thread) {
  return no_writer(step, thread) && lock_of(step)->__data.__pad2 == 0;
}
unsigned own_bits() { return static_cast<unsigned>(t_fiber) * kBits; }
bool writes_itself(pthread_rwlock_t* lock) { return writer_of(lock) == static_cast<unsigned>(t_fiber) + 1; }
unsigned long own_reads(pthread_rwlock_t* lock) { return readers_of(lock) >> own_bits() & kMost; }

// What readers release: another byte of the same object.
const void* reader_side(const pthread_rwlock_t* lock) { return reinterpret_cast<const char*>(lock) + 1; }

int lock_shared(pthread_rwlock_t* lock, bool write, Try how, const timespec* deadline, const void* pc) {
  if (deadline != nullptr && !is_valid(*deadline)) return EINVAL;
  if (how == Try::kWait && writes_itself(lock)) return EDEADLK;
  if (!write && own_reads(lock) == kMost) return EAGAIN;
  auto* ready_when = write ? &nobody : &no_writer;
  const StepKind once = write ? StepKind::kTryLock : StepKind::kTryReadLock;
  const StepKind wait = write ? StepKind::kLock : StepKind::kReadLock;
  Step step{.kind = how == Try::kOnce ? once : wait,
            .writes = write,  // readers commute
            .size = 1,
            .address = lock,
            .pc = pc,
            .ready = how == Try::kOnce ? nullptr : ready_when,
            .shares = true};
  set_deadline(step, deadline);
  const bool ready = g_control->point(step);
  const bool free = ready_when(step, t_fiber);
  g_control->executed(step, 0, free ? 1 : 0, free);
  if (!ready) go_on_at(*deadline);
  if (!free) return ready ? EBUSY : ETIMEDOUT;
  if (write) {
    writer_of(lock) = static_cast<unsigned>(t_fiber) + 1;
  } else {
    readers_of(lock) += 1UL << own_bits();
  }
  // A writer comes after readers, too; readers only after writers.
  g_control->acquire(lock);
  if (write) g_control->acquire(reader_side(lock));
  return 0;
}

int unlock_shared(pthread_rwlock_t* lock, const void* pc) {
  const bool write = writes_itself(lock);
  if (!write && own_reads(lock) == 0) {
    g_control->fail(FindingKind::kMisuse, "unlock of a reader-writer lock that this thread does not hold", pc,
                    lock);
  }
  const Step step{
      .kind = StepKind::kUnlock, .writes = write, .size = 1, .address = lock, .pc = pc, .shares = true};
  g_control->point(step);
  g_control->executed(step, 1, 0, true);
  g_control->release(write ? static_cast<const void*>(lock) : reader_side(lock));
  if (write) {
    writer_of(lock) = 0;
  } else {
    readers_of(lock) -= 1UL << own_bits();
  }
  return 0;
}

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" {

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
int pthread_rwlock_clockrdlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_rwlock_clockrdlock)(lock, clock, deadline);
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
int pthread_rwlock_clockwrlock(pthread_rwlock_t* lock, clockid_t clock, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_rwlock_clockwrlock)(lock, clock, deadline);
  return rt::lock_shared(lock, true, rt::Try::kWait, deadline, PLUMB_CALLER);
}
int pthread_rwlock_unlock(pthread_rwlock_t* lock) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_rwlock_unlock)(lock);
  return rt::unlock_shared(lock, PLUMB_CALLER);
}
int pthread_rwlock_destroy(pthread_rwlock_t* lock) {
  if (rt::exploring()) rt::come_to_destroy(lock, PLUMB_CALLER);
  if (rt::exploring() && (rt::writer_of(lock) != 0 || rt::readers_of(lock) != 0)) {
    rt::g_control->fail(plumb::FindingKind::kMisuse, "a reader-writer lock that a thread holds is destroyed",
                        PLUMB_CALLER, lock);
  }
  return PLUMB_REAL(pthread_rwlock_destroy)(lock);
}

}  // extern "C"
