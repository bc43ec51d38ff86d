// What the engine cannot run, and says so instead of running something else: to end other threads, to make processes, semaphores
// that outlive an execution.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include <cstdarg>

#include "runtime/control.hpp"
#include "runtime/real.hpp"

namespace rt = plumb::runtime;

namespace {

void refuse(const char* why, const void* pc) {
  if (rt::exploring()) rt::g_control->refuse(why, pc);
}

}  // namespace

extern "C" {

int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* library);

int pthread_cancel(pthread_t thread) {
  refuse("pthread_cancel is not modelled: let the thread look at a flag instead", PLUMB_CALLER);
  return PLUMB_REAL(pthread_cancel)(thread);
}
// A cleanup handler of C that was compiled without -fexceptions: a thread that exits would not run it.
void __pthread_register_cancel(__pthread_unwind_buf_t* buffer) {
  refuse("pthread_cleanup_push in C is modelled only with -fexceptions: compile it with that option",
         PLUMB_CALLER);
  PLUMB_REAL(__pthread_register_cancel)(buffer);
}
int pthread_mutex_setprioceiling(pthread_mutex_t* __restrict mutex, int ceiling, int* __restrict old) {
  refuse("pthread_mutex_setprioceiling is not modelled: set it before the exploration", PLUMB_CALLER);
  return PLUMB_REAL(pthread_mutex_setprioceiling)(mutex, ceiling, old);
}

sem_t* sem_open(const char* name, int flags, ...) {
  refuse("sem_open is not modelled, since a semaphore with a name outlives the execution: use sem_init",
         PLUMB_CALLER);
  if ((flags & O_CREAT) == 0) return PLUMB_REAL(sem_open)(name, flags);
  std::va_list list;
  va_start(list, flags);
  const auto mode = va_arg(list, mode_t);
  const auto value = va_arg(list, unsigned);
  va_end(list);
  return PLUMB_REAL(sem_open)(name, flags, mode, value);
}

pid_t fork() {
  refuse("fork is not modelled: the process that explores cannot be duplicated", PLUMB_CALLER);
  return PLUMB_REAL(fork)();
}
// pthread_atfork is this.
int __register_atfork(void (*prepare)(), void (*parent)(), void (*child)(), void* library) {
  refuse("pthread_atfork is not modelled: what it registers would outlive the execution", PLUMB_CALLER);
  return PLUMB_REAL(__register_atfork)(prepare, parent, child, library);
}

}  // extern "C"
