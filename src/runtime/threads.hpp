// The functions behind those of <pthread.h>, for those of <threads.h>, which are the same but for their names and results. All of
// them return what the POSIX function returns; `pc` is where it was called.
#pragma once

#include <pthread.h>

#include <ctime>

#include <cstdint>

#include "runtime/step.hpp"

namespace plumb::runtime {

enum class Try : std::uint8_t { kWait, kOnce };

// With a deadline the scheduler may let it pass.
int lock(pthread_mutex_t* mutex, Try how, const timespec* deadline, const void* pc);
int unlock(pthread_mutex_t* mutex, const void* pc);
int destroy(pthread_mutex_t* mutex, const void* pc);

int wait(pthread_cond_t* condition, pthread_mutex_t* mutex, const timespec* deadline, const void* pc);
int notify(pthread_cond_t* condition, StepKind kind, const void* pc);
int destroy(pthread_cond_t* condition, const void* pc);

int once(int* word, void (*function)(), const void* pc);

// An object is about to be destroyed, which does not commute with its use; alone there is nothing to choose.
void come_to_destroy(const void* object, const void* pc);

enum class Returns : std::uint8_t { kPointer, kInt };  // what the function of the thread does
int create(pthread_t* thread, const pthread_attr_t* attributes, void* (*entry)(void*), void* argument,
           Returns returns, const void* pc);
int join(pthread_t thread, void** result, const void* pc);
int detach(pthread_t thread, const void* pc);
[[noreturn]] void exit_thread(void* result, const void* pc);

void yield(const void* pc);
void sleep_for(const timespec& duration, const void* pc);

// What is new in each execution.
void begin_thread_ends();
void begin_shared_ptr_locks();

// What a thread leaves for its end: keys with destructors, robust mutexes that it holds.
void begin_keys();
void run_key_destructors();
void holds_robust(pthread_mutex_t* mutex);
void holds_robust_no_more(const pthread_mutex_t* mutex);

}  // namespace plumb::runtime
