// What libstdc++ keeps of the threads in std::atomic::wait, latches, barriers and semaphores: how many there are at each address, so that to notify nobody is
// quick. It counts them, and asks, with sequentially consistent operations, but the variable that is waited for may be stored and
// loaded with weaker ones: then, as C++ has it, the one who stores need not see the one who waits, nor the other way round, and a notification
// is lost. The standard says that it is not, so executions along graphs give these operations the fences that they lack: one orders who waits
// and who notifies, and nothing else.
#pragma once

#include <cstdint>

namespace plumb::runtime {

class LibraryWaits {
 public:
  LibraryWaits();

  [[nodiscard]] bool holds(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - first_ < size_;
  }

 private:
  std::uintptr_t first_;
  std::uintptr_t size_;
};

}  // namespace plumb::runtime
