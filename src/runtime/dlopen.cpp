// oneTBB loads tbbmalloc when it first needs memory, and that keeps what is freed from one execution to the next: addresses
// would not repeat. Where it cannot be loaded oneTBB takes malloc, which is the arena's under exploration.
#include <dlfcn.h>

#include <string_view>

#include "runtime/real.hpp"

extern "C" void* dlopen(const char* name, int flags) noexcept {
  if (name != nullptr && std::string_view(name).find("libtbbmalloc.so") != std::string_view::npos)
    return nullptr;
  return PLUMB_REAL(dlopen)(name, flags);  // a jump: the loader looks at the caller
}
