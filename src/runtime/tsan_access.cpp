// The compiler's hooks for plain accesses: each is told to the race detector, none is a scheduling point. Function
// entries, and g++'s and clang's start-up calls, need nothing here.
#include "runtime/access.hpp"
#include "runtime/pause.hpp"

namespace rt = plumb::runtime;

namespace {

inline void access(const void* address, std::size_t size, bool write, const void* pc) {
  if (!rt::exploring()) return rt::maybe_pause();
  rt::g_is_instrumented = true;
  rt::report_access(address, size, write, pc);
}

}  // namespace

#define PLUMB_ACCESS(name, bytes, writes) \
  void __tsan_##name(void* address) { access(address, bytes, writes, __builtin_return_address(0)); }
#define PLUMB_ACCESSES(bytes)                                \
  PLUMB_ACCESS(read##bytes, bytes, false)                    \
  PLUMB_ACCESS(write##bytes, bytes, true)                    \
  PLUMB_ACCESS(unaligned_read##bytes, bytes, false)          \
  PLUMB_ACCESS(unaligned_write##bytes, bytes, true)          \
  PLUMB_ACCESS(volatile_read##bytes, bytes, false)           \
  PLUMB_ACCESS(volatile_write##bytes, bytes, true)           \
  PLUMB_ACCESS(unaligned_volatile_read##bytes, bytes, false) \
  PLUMB_ACCESS(unaligned_volatile_write##bytes, bytes, true) \
  PLUMB_ACCESS(read_write##bytes, bytes, true)               \
  PLUMB_ACCESS(unaligned_read_write##bytes, bytes, true)

extern "C" {

PLUMB_ACCESSES(1)
PLUMB_ACCESSES(2)
PLUMB_ACCESSES(4)
PLUMB_ACCESSES(8)
PLUMB_ACCESSES(16)
PLUMB_ACCESS(vptr_read, 8, false)

// An object's constructor sets its table pointer again to what it is; only a change is a write that can race.
void __tsan_vptr_update(void** address, void* value) {
  access(address, 8, *address != value, __builtin_return_address(0));
}
void __tsan_read_range(void* address, unsigned long size) {
  if (size != 0) access(address, size, false, __builtin_return_address(0));
}
void __tsan_write_range(void* address, unsigned long size) {
  if (size != 0) access(address, size, true, __builtin_return_address(0));
}

void __tsan_init() {}
void __tsan_func_entry(void* /*caller*/) {}
void __tsan_func_exit() {
  if (rt::g_surveyed && rt::exploring()) rt::g_control->leaves_function(__builtin_return_address(0));
}

}  // extern "C"
