// Semaphores and barriers. The count of a semaphore is the first word of the object, a barrier's numbers are where the
// C library has them: the threads that arrived, how many are awaited, the round.
#include <pthread.h>
#include <semaphore.h>

#include <cerrno>
#include <climits>

#include "runtime/real.hpp"
#include "runtime/threads.hpp"
#include "runtime/virtual_clock.hpp"
#include "runtime/waiting.hpp"

namespace plumb::runtime {
namespace {

unsigned& count_of(sem_t* semaphore) { return *reinterpret_cast<unsigned*>(semaphore); }
bool positive(const Step& step, int) { return *static_cast<const unsigned*>(step.address) > 0; }

int fails(int error) {
  errno = error;
  return -1;
}

int acquire(sem_t* semaphore, Try how, const timespec* deadline, const void* pc) {
  if (deadline != nullptr && !is_valid(*deadline)) return fails(EINVAL);
  Step step{.kind = how == Try::kWait ? StepKind::kAcquire : StepKind::kTryAcquire,
            .writes = true,
            .size = 4,
            .address = semaphore,
            .pc = pc};
  if (how == Try::kWait) step.ready = &positive;
  set_deadline(step, deadline);
  const bool ready = g_control->point(step);
  unsigned& count = count_of(semaphore);
  const unsigned before = count;
  const bool taken = before > 0;
  if (taken) --count;
  g_control->executed(step, before, count, taken);
  if (!ready) go_on_at(*deadline);
  if (!taken) return fails(ready ? EAGAIN : ETIMEDOUT);
  g_control->acquire(semaphore);
  return 0;
}

int post(sem_t* semaphore, const void* pc) {
  const Step step{.kind = StepKind::kPost, .writes = true, .size = 4, .address = semaphore, .pc = pc};
  g_control->point(step);
  unsigned& count = count_of(semaphore);
  const bool full = count == SEM_VALUE_MAX;
  if (!full) ++count;
  g_control->executed(step, full ? count : count - 1, count, !full);
  if (full) return fails(EOVERFLOW);
  g_control->release(semaphore);
  return 0;
}

int look(sem_t* semaphore, int* value, const void* pc) {
  const Step step{.kind = StepKind::kLook, .size = 4, .address = semaphore, .pc = pc};
  g_control->point(step);
  *value = static_cast<int>(count_of(semaphore));
  g_control->executed(step, count_of(semaphore), count_of(semaphore), false);
  return 0;
}

struct BarrierState {  // as in the C library
  unsigned arrived;
  unsigned round;
  unsigned awaited;
  int shared;
  unsigned leaving;  // threads that were released and have not left yet
};
BarrierState& state_of(const void* barrier) {
  return *static_cast<BarrierState*>(const_cast<void*>(barrier));
}
bool next_round(const Step& step, int) { return state_of(step.address).round != step.operand; }
bool all_left(const Step& step, int) { return state_of(step.address).leaving == 0; }

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
    state.leaving += state.awaited - 1;
    ++state.round;
    g_control->opened(barrier, round);
  }
  g_control->executed(step, round, state.round, true);
  if (last) return PTHREAD_BARRIER_SERIAL_THREAD;
  step.kind = StepKind::kBarrierLeave;
  step.writes = false;
  step.operand = round;
  step.ready = &next_round;
  g_control->point(step);
  g_control->executed(step, round, state.round, false);
  g_control->acquire(barrier);
  --state.leaving;
  return 0;
}

// As the real one, it waits for those that were released.
int destroy_barrier(pthread_barrier_t* barrier, const void* pc) {
  come_to_destroy(barrier, pc);
  if (state_of(barrier).arrived != 0)
    g_control->fail(FindingKind::kMisuse, "a barrier at which a thread waits is destroyed", pc, barrier);
  if (state_of(barrier).leaving == 0) return 0;
  const Step step{.kind = StepKind::kDestroy,
                  .writes = true,
                  .size = 4,
                  .address = barrier,
                  .pc = pc,
                  .ready = &all_left};
  g_control->point(step);
  g_control->executed(step, 0, 0, false);
  return 0;
}

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" {

int sem_wait(sem_t* semaphore) {
  if (!rt::exploring()) return PLUMB_REAL(sem_wait)(semaphore);
  return rt::acquire(semaphore, rt::Try::kWait, nullptr, PLUMB_CALLER);
}
int sem_trywait(sem_t* semaphore) {
  if (!rt::exploring()) return PLUMB_REAL(sem_trywait)(semaphore);
  return rt::acquire(semaphore, rt::Try::kOnce, nullptr, PLUMB_CALLER);
}
int sem_timedwait(sem_t* semaphore, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(sem_timedwait)(semaphore, deadline);
  return rt::acquire(semaphore, rt::Try::kWait, deadline, PLUMB_CALLER);
}
int sem_clockwait(sem_t* semaphore, clockid_t clock, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(sem_clockwait)(semaphore, clock, deadline);
  return rt::acquire(semaphore, rt::Try::kWait, deadline, PLUMB_CALLER);
}
int sem_post(sem_t* semaphore) {
  if (!rt::exploring()) return PLUMB_REAL(sem_post)(semaphore);
  return rt::post(semaphore, PLUMB_CALLER);
}
int sem_getvalue(sem_t* __restrict semaphore, int* __restrict value) {
  if (!rt::exploring()) return PLUMB_REAL(sem_getvalue)(semaphore, value);
  return rt::look(semaphore, value, PLUMB_CALLER);
}
int pthread_barrier_wait(pthread_barrier_t* barrier) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_barrier_wait)(barrier);
  return rt::arrive(barrier, PLUMB_CALLER);
}
int pthread_barrier_destroy(pthread_barrier_t* barrier) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_barrier_destroy)(barrier);
  return rt::destroy_barrier(barrier, PLUMB_CALLER);
}

}  // extern "C"
