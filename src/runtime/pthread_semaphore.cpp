// Semaphores and barriers. The count of a semaphore is the first word of the object, a barrier's numbers are where the
// C library has them: those who arrived, how many are awaited, the round.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>

#include "runtime/real.hpp"
#include "runtime/waiting.hpp"

namespace plumb::runtime {
namespace {

unsigned& count_of(sem_t* semaphore) { return *reinterpret_cast<unsigned*>(semaphore); }
bool positive(const Step& step, int) { return *static_cast<const unsigned*>(step.address) > 0; }

int fails(int error) {
  errno = error;
  return -1;
}

int acquire(sem_t* semaphore, bool wait, const timespec* deadline, const void* pc) {
  Step step{.kind = wait ? StepKind::kAcquire : StepKind::kTryAcquire,
            .writes = true,
            .size = 4,
            .address = semaphore,
            .pc = pc};
  if (wait) step.ready = &positive;
  step.timed = deadline != nullptr;
  const bool ready = g_control->point(step);
  unsigned& count = count_of(semaphore);
  const unsigned before = count;
  const bool taken = before > 0;
  if (taken) --count;
  g_control->did(step, before, count, taken);
  if (!ready) advance_to(to_nanoseconds(*deadline));
  if (!taken) return fails(ready ? EAGAIN : ETIMEDOUT);
  g_control->acquire(semaphore);
  return 0;
}

int post(sem_t* semaphore, const void* pc) {
  const Step step{.kind = StepKind::kPost, .writes = true, .size = 4, .address = semaphore, .pc = pc};
  g_control->point(step);
  unsigned& count = count_of(semaphore);
  ++count;
  g_control->did(step, count - 1, count, true);
  g_control->release(semaphore);
  return 0;
}

struct BarrierState {  // as in the C library
  unsigned arrived;
  unsigned round;
  unsigned awaited;
};
BarrierState& state_of(const void* barrier) {
  return *static_cast<BarrierState*>(const_cast<void*>(barrier));
}
bool next_round(const Step& step, int) { return state_of(step.address).round != step.operand; }

int arrive(pthread_barrier_t* barrier, const void* pc) {
  Step step{.kind = StepKind::kBarrier, .writes = true, .size = 4, .address = barrier, .pc = pc};
  g_control->point(step);
  BarrierState& state = state_of(barrier);
  g_control->acquire(barrier);
  g_control->release(barrier);
  const unsigned round = state.round;
  ++state.arrived;
  const bool last = state.arrived == state.awaited;
  if (last) {
    state.arrived = 0;
    ++state.round;
  }
  g_control->did(step, round, state.round, true);
  if (last) return PTHREAD_BARRIER_SERIAL_THREAD;
  step.kind = StepKind::kBarrierLeave;
  step.writes = false;
  step.operand = round;
  step.ready = &next_round;
  g_control->point(step);
  g_control->did(step, round, state.round, false);
  g_control->acquire(barrier);
  return 0;
}

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;
#define PLUMB_CALLER __builtin_return_address(0)

extern "C" {

int sem_wait(sem_t* semaphore) {
  if (!rt::exploring()) return PLUMB_REAL(sem_wait)(semaphore);
  return rt::acquire(semaphore, true, nullptr, PLUMB_CALLER);
}
int sem_trywait(sem_t* semaphore) {
  if (!rt::exploring()) return PLUMB_REAL(sem_trywait)(semaphore);
  return rt::acquire(semaphore, false, nullptr, PLUMB_CALLER);
}
int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(sem_timedwait)(semaphore, deadline);
  return rt::acquire(semaphore, true, deadline, PLUMB_CALLER);
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(sem_clockwait)(semaphore, clock, deadline);
  return rt::acquire(semaphore, true, deadline, PLUMB_CALLER);
}
int sem_post(sem_t* semaphore) {
  if (!rt::exploring()) return PLUMB_REAL(sem_post)(semaphore);
  return rt::post(semaphore, PLUMB_CALLER);
}
int pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_barrier_wait)(barrier);
  return rt::arrive(barrier, PLUMB_CALLER);
}
// The real one would wait for threads that left as fibers.
int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_barrier_destroy)(barrier);
  return 0;
}

}  // extern "C"
