// memcpy, memmove and memset: what they read and write is told to the race detector, as plain accesses are. The compilers leave
// the calls as they are (clang makes copies of structures of them, too), and so do libraries that are not instrumented: whoever
// calls, it is the program's memory. The C library's own calls do not come here.
#include <cstring>

#include "runtime/access.hpp"
#include "runtime/real.hpp"

namespace rt = plumb::runtime;

#define PLUMB_CALLER __builtin_return_address(0)

namespace {

void copies(const void* to, const void* from, std::size_t size, const void* pc) {
  if (size == 0 || !rt::exploring()) return;
  rt::tell(from, size, false, pc);
  rt::tell(to, size, true, pc);
}
void sets(const void* to, std::size_t size, const void* pc) {
  if (size != 0 && rt::exploring()) rt::tell(to, size, true, pc);
}

}  // namespace

extern "C" {

void* memcpy(void* __restrict to, const void* __restrict from, std::size_t size) {
  copies(to, from, size, PLUMB_CALLER);
  return PLUMB_REAL(memcpy)(to, from, size);
}
void* memmove(void* to, const void* from, std::size_t size) {
  copies(to, from, size, PLUMB_CALLER);
  return PLUMB_REAL(memmove)(to, from, size);
}
void* memset(void* to, int value, std::size_t size) {
  sets(to, size, PLUMB_CALLER);
  return PLUMB_REAL(memset)(to, value, size);
}

// The names that clang calls from version 15 on.
void* __tsan_memcpy(void* __restrict to, const void* __restrict from, std::size_t size) {
  copies(to, from, size, PLUMB_CALLER);
  return PLUMB_REAL(memcpy)(to, from, size);
}
void* __tsan_memmove(void* to, const void* from, std::size_t size) {
  copies(to, from, size, PLUMB_CALLER);
  return PLUMB_REAL(memmove)(to, from, size);
}
void* __tsan_memset(void* to, int value, std::size_t size) {
  sets(to, size, PLUMB_CALLER);
  return PLUMB_REAL(memset)(to, value, size);
}

}  // extern "C"
