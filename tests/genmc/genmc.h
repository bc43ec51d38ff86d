/* What programs of GenMC's suite ask their checker for, as plumb has it (program.cpp). Comes before each of them, and in the place of GenMC's own
   header of this name. Annotations that spare GenMC work mean nothing here. */
#ifndef PLUMB_GENMC_H
#define PLUMB_GENMC_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
int main_of_program();
#endif

void __VERIFIER_assume(int holds);
int __VERIFIER_nondet_int(void);

/* A thread that waits for one which an assumption has stopped stops, too; who waits for its locks does not. */
int join_for_program(pthread_t thread, void** result);
int lock_for_program(pthread_mutex_t* mutex);
int unlock_for_program(pthread_mutex_t* mutex);

void touch_for_program(void); /* touch.c */

#ifdef __cplusplus
}
#endif

#define main main_of_program
#define pthread_join join_for_program
#define pthread_mutex_lock lock_for_program
#define pthread_mutex_unlock unlock_for_program

typedef pthread_t __VERIFIER_thread_t;
static inline __VERIFIER_thread_t __VERIFIER_spawn(void* (*entry)(void*), void* argument) {
  __VERIFIER_thread_t thread;
  pthread_create(&thread, 0, entry, argument);
  return thread;
}
static inline void* __VERIFIER_join(__VERIFIER_thread_t thread) {
  void* result;
  join_for_program(thread, &result);
  return result;
}
#define __VERIFIER_spawn_symmetric(entry, argument, other) __VERIFIER_spawn(entry, argument)
#define __VERIFIER_join_symmetric(thread) __VERIFIER_join(thread)

#define __VERIFIER_loop_begin() ((void)0)
#define __VERIFIER_spin_start() ((void)0)
#define __VERIFIER_spin_end(condition) __VERIFIER_assume(condition)
#define __VERIFIER_optional(x)
#define __VERIFIER_local_write(x) x
#define __VERIFIER_final_write(x) x
#define __VERIFIER_helped_CAS(x) x
#define __VERIFIER_helping_CAS(x) x
#define __VERIFIER_speculative_read(x) x
#define __VERIFIER_confirming_read(x) x
#define __VERIFIER_confirming_CAS(x) x
#define __VERIFIER_final_CAS(x) x
#define __VERIFIER_method_begin(name, value)
#define __VERIFIER_method_end(name, value)

#endif
