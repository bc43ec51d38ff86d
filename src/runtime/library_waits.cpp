#include "runtime/library_waits.hpp"

#include <atomic>

namespace plumb::runtime {

// An array, of which the library picks one by the address that is waited at.
LibraryWaits::LibraryWaits() {
  using Pool = std::__detail::__waiter_pool_base;
  constexpr std::uintptr_t kCount = 16;
  first_ = reinterpret_cast<std::uintptr_t>(&Pool::_S_for(nullptr));
  size_ = kCount * sizeof(Pool);
}

}  // namespace plumb::runtime
