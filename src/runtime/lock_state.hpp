// Who holds a mutex, as it stands in the object: field __lock is the fiber's number plus one, __count the depth.
#pragma once

#include <pthread.h>

#include "runtime/control.hpp"

namespace plumb::runtime {

inline int holder(const pthread_mutex_t* mutex) { return mutex->__data.__lock - 1; }
inline bool mutex_free(const Step& step, int) {
  return holder(static_cast<const pthread_mutex_t*>(step.address)) < 0;
}

inline void take(pthread_mutex_t* mutex, int thread) {
  mutex->__data.__lock = thread + 1;
  ++mutex->__data.__count;
}
inline void give_back(pthread_mutex_t* mutex) {
  if (--mutex->__data.__count == 0) mutex->__data.__lock = 0;
}

}  // namespace plumb::runtime
