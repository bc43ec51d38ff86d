// The holder of a mutex, as the object has it: field __lock is the fiber's number plus one, __count the depth. Of a robust
// mutex __owner says, as in the C library, that its holder has ended, and whether what it guards was put right since.
#pragma once

#include <pthread.h>

#include <cerrno>
#include <climits>

#include "runtime/control.hpp"

namespace plumb::runtime {

constexpr int kInconsistent = INT_MAX;
constexpr int kNotRecoverable = INT_MAX - 1;
constexpr int kRobust = 16;  // a bit of __kind

inline int holder(const pthread_mutex_t* mutex) { return mutex->__data.__lock - 1; }
inline bool is_robust(const pthread_mutex_t* mutex) { return (mutex->__data.__kind & kRobust) != 0; }
inline bool is_free(const pthread_mutex_t* mutex) { return holder(mutex) < 0; }
// What a thread that takes it, once it is free, is told.
inline int take(pthread_mutex_t* mutex, int thread) {
  if (mutex->__data.__owner == kNotRecoverable) return ENOTRECOVERABLE;
  mutex->__data.__lock = thread + 1;
  ++mutex->__data.__count;
  return mutex->__data.__owner == kInconsistent ? EOWNERDEAD : 0;
}
inline void give_back(pthread_mutex_t* mutex) {
  if (--mutex->__data.__count != 0) return;
  mutex->__data.__lock = 0;
  if (mutex->__data.__owner == kInconsistent) mutex->__data.__owner = kNotRecoverable;
}

}  // namespace plumb::runtime
