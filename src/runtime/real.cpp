#include "runtime/real.hpp"

namespace plumb::runtime {

pthread_t real_self() { return pthread_self(); }

bool real_create_detached(void* (*entry)(void*), void* argument) {
  pthread_t thread = 0;
  if (PLUMB_REAL(pthread_create)(&thread, nullptr, entry, argument) != 0) return false;
  PLUMB_REAL(pthread_detach)(thread);
  return true;
}

}  // namespace plumb::runtime
