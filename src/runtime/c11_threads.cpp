// <threads.h>: in the C library these call the functions of <pthread.h> by names of its own, so they are put in their place here. A
// mtx_t is a pthread_mutex_t, and so on.
#include <pthread.h>
#include <threads.h>

#include <cerrno>

#include "runtime/control.hpp"
#include "runtime/real.hpp"
#include "runtime/threads.hpp"

namespace plumb::runtime {
namespace {

int result_of(int error) {
  switch (error) {
    case 0:
      return thrd_success;
    case EBUSY:
      return thrd_busy;
    case ETIMEDOUT:
      return thrd_timedout;
    case ENOMEM:
      return thrd_nomem;
    default:
      return thrd_error;
  }
}

static_assert(sizeof(mtx_t) == sizeof(pthread_mutex_t) && sizeof(cnd_t) == sizeof(pthread_cond_t));
pthread_mutex_t* mutex_of(mtx_t* mutex) { return reinterpret_cast<pthread_mutex_t*>(mutex); }
pthread_cond_t* condition_of(cnd_t* condition) { return reinterpret_cast<pthread_cond_t*>(condition); }

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" {

int mtx_lock(mtx_t* mutex) {
  if (!rt::exploring()) return PLUMB_REAL(mtx_lock)(mutex);
  return rt::result_of(rt::lock(rt::mutex_of(mutex), rt::Try::kWait, nullptr, PLUMB_CALLER));
}
int mtx_timedlock(mtx_t* __restrict mutex, const timespec* __restrict deadline) {
  if (!rt::exploring()) return PLUMB_REAL(mtx_timedlock)(mutex, deadline);
  return rt::result_of(rt::lock(rt::mutex_of(mutex), rt::Try::kWait, deadline, PLUMB_CALLER));
}
int mtx_trylock(mtx_t* mutex) {
  if (!rt::exploring()) return PLUMB_REAL(mtx_trylock)(mutex);
  return rt::result_of(rt::lock(rt::mutex_of(mutex), rt::Try::kOnce, nullptr, PLUMB_CALLER));
}
int mtx_unlock(mtx_t* mutex) {
  if (!rt::exploring()) return PLUMB_REAL(mtx_unlock)(mutex);
  return rt::result_of(rt::unlock(rt::mutex_of(mutex), PLUMB_CALLER));
}
void mtx_destroy(mtx_t* mutex) {
  if (!rt::exploring()) return PLUMB_REAL(mtx_destroy)(mutex);
  rt::destroy(rt::mutex_of(mutex), PLUMB_CALLER);
}

int cnd_wait(cnd_t* condition, mtx_t* mutex) {
  if (!rt::exploring()) return PLUMB_REAL(cnd_wait)(condition, mutex);
  return rt::result_of(rt::wait(rt::condition_of(condition), rt::mutex_of(mutex), nullptr, PLUMB_CALLER));
}
int cnd_timedwait(cnd_t* __restrict condition, mtx_t* __restrict mutex, const timespec* __restrict deadline) {
  if (!rt::exploring()) return PLUMB_REAL(cnd_timedwait)(condition, mutex, deadline);
  return rt::result_of(rt::wait(rt::condition_of(condition), rt::mutex_of(mutex), deadline, PLUMB_CALLER));
}
int cnd_signal(cnd_t* condition) {
  if (!rt::exploring()) return PLUMB_REAL(cnd_signal)(condition);
  return rt::result_of(rt::notify(rt::condition_of(condition), rt::StepKind::kSignal, PLUMB_CALLER));
}
int cnd_broadcast(cnd_t* condition) {
  if (!rt::exploring()) return PLUMB_REAL(cnd_broadcast)(condition);
  return rt::result_of(rt::notify(rt::condition_of(condition), rt::StepKind::kBroadcast, PLUMB_CALLER));
}
void cnd_destroy(cnd_t* condition) {
  if (!rt::exploring()) return PLUMB_REAL(cnd_destroy)(condition);
  rt::destroy(rt::condition_of(condition), PLUMB_CALLER);
}

int thrd_create(thrd_t* thread, thrd_start_t entry, void* argument) {
  if (!rt::exploring()) return PLUMB_REAL(thrd_create)(thread, entry, argument);
  // To be called as what it is: see rt::Returns.
  auto* kept = reinterpret_cast<void* (*)(void*)>(reinterpret_cast<void (*)()>(entry));
  return rt::result_of(rt::create(thread, nullptr, kept, argument, rt::Returns::kInt, PLUMB_CALLER));
}
int thrd_join(thrd_t thread, int* result) {
  if (!rt::exploring()) return PLUMB_REAL(thrd_join)(thread, result);
  void* returned = nullptr;
  const int error = rt::join(thread, &returned, PLUMB_CALLER);
  if (error == 0 && result != nullptr) *result = static_cast<int>(reinterpret_cast<std::intptr_t>(returned));
  return rt::result_of(error);
}
int thrd_detach(thrd_t thread) {
  if (!rt::exploring()) return PLUMB_REAL(thrd_detach)(thread);
  return rt::result_of(rt::detach(thread, PLUMB_CALLER));
}
void thrd_exit(int result) {
  if (rt::exploring())
    rt::exit_thread(reinterpret_cast<void*>(static_cast<std::intptr_t>(result)), PLUMB_CALLER);
  PLUMB_REAL(thrd_exit)(result);
  __builtin_unreachable();
}
int thrd_sleep(const timespec* duration, timespec* left) {
  if (!rt::exploring()) return PLUMB_REAL(thrd_sleep)(duration, left);
  rt::sleep_for(*duration, PLUMB_CALLER);
  return 0;
}
void thrd_yield() {
  if (!rt::exploring()) return PLUMB_REAL(thrd_yield)();
  rt::yield(PLUMB_CALLER);
}

void call_once(once_flag* flag, void (*function)()) {
  if (!rt::exploring()) return PLUMB_REAL(call_once)(flag, function);
  rt::once(&flag->__data, function, PLUMB_CALLER);
}

int tss_create(tss_t* key, tss_dtor_t destructor) {
  return rt::result_of(pthread_key_create(key, destructor));
}
void tss_delete(tss_t key) { pthread_key_delete(key); }
void* tss_get(tss_t key) { return pthread_getspecific(key); }
int tss_set(tss_t key, void* value) { return rt::result_of(pthread_setspecific(key, value)); }

}  // extern "C"
