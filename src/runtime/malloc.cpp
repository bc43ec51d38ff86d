// Allocation: the code under test gets its memory from the arena, everything else from the C library. Calls that the C
// library makes for itself (buffers of stdio, locales) outlive an execution, so they are not the arena's.
#include <link.h>
#include <malloc.h>

#include <cerrno>
#include <cstring>

#include "runtime/arena.hpp"
#include "runtime/control.hpp"
#include "runtime/real.hpp"

extern "C" {
void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* block, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);
void __libc_free(void* block);
}

namespace plumb::runtime {
namespace {

struct Range {
  std::uintptr_t begin = 0;
  std::uintptr_t end = 0;

  bool contains(std::uintptr_t address) const { return address >= begin && address < end; }
};
// The C library, and the loader, which makes the thread_local variables of shared libraries when they are first used.
struct System {
  Range libc;
  Range loader;
};

System find_system() {
  System system;
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* out) {
        const bool libc = std::strstr(info->dlpi_name, "/libc.so") != nullptr;
        if (!libc && std::strstr(info->dlpi_name, "/ld-linux") == nullptr) return 0;
        auto& found = *static_cast<System*>(out);
        for (int i = 0; i < info->dlpi_phnum; ++i) {
          const auto& header = info->dlpi_phdr[i];
          if (header.p_type == PT_LOAD && (header.p_flags & PF_X) != 0) {
            const auto begin = info->dlpi_addr + header.p_vaddr;
            (libc ? found.libc : found.loader) = {begin, begin + header.p_memsz};
          }
        }
        return 0;
      },
      &system);
  return system;
}

bool ours(const void* caller) {
  if (!exploring()) return false;
  static const System system = find_system();
  const auto at = reinterpret_cast<std::uintptr_t>(caller);
  return !system.libc.contains(at) && !system.loader.contains(at);
}

// A scheduling point, where freed memory goes to any thread: which comes first makes a difference.
void contend(StepKind kind, std::size_t size, const void* pc) {
  if (!g_multithreaded) return;
  const void* list = Arena::instance().contended(size);
  if (list == nullptr) return;
  const Step step{.kind = kind, .writes = true, .size = 1, .address = list, .pc = pc};
  g_control->point(step);
  g_control->executed(step, 0, 1, true);
}

void* allocate(std::size_t size, std::size_t alignment, const void* pc) {
  Arena& arena = Arena::instance();
  contend(StepKind::kAllocate, size, pc);
  void* block = nullptr;
  {
    const EngineScope in_engine;  // to fill it is no access of the program
    block = arena.allocate(t_fiber, size, alignment);
  }
  if (block != nullptr) {
    g_control->allocated(block, arena.size_of(block), pc);
  } else {
    g_control->refuse("a thread allocates more memory than the arena has (64 MiB)", pc);
  }
  return block;
}

void release(void* block, const void* pc) {
  Arena& arena = Arena::instance();
  if (!exploring()) return;  // memory of an execution that is over: gone already
  if (arena.is_block(block)) contend(StepKind::kFree, arena.size_of(block), pc);
  if (!arena.is_live_block(block)) {
    g_control->fail(FindingKind::kDoubleFree,
                    arena.is_block(block) ? "free of a block that was already freed"
                                          : "free of an address that is not a block",
                    pc, block);
  }
  g_control->freed(block, arena.size_of(block), pc);
  arena.release(t_fiber, block);
}

void* reallocate(void* block, std::size_t size, const void* pc) {
  void* moved = allocate(size, 16, pc);
  const std::size_t old = Arena::instance().size_of(block);
  g_control->read(block, old, pc);
  {
    const EngineScope in_engine;
    std::memcpy(moved, block, old < size ? old : size);
  }
  release(block, pc);
  return moved;
}

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" {

void* malloc(std::size_t size) {
  if (!rt::ours(PLUMB_CALLER)) return __libc_malloc(size);
  return rt::allocate(size, 16, PLUMB_CALLER);
}

void free(void* block) {
  if (block == nullptr) return;
  if (rt::Arena::owns(block)) {
    rt::release(block, PLUMB_CALLER);
  } else {
    __libc_free(block);
  }
}

void* calloc(std::size_t count, std::size_t size) {
  if (!rt::ours(PLUMB_CALLER)) return __libc_calloc(count, size);
  std::size_t bytes = 0;
  if (__builtin_mul_overflow(count, size, &bytes)) return nullptr;
  void* block = rt::allocate(bytes, 16, PLUMB_CALLER);
  const rt::EngineScope in_engine;
  std::memset(block, 0, bytes);
  return block;
}

void* realloc(void* block, std::size_t size) {
  if (block != nullptr && rt::Arena::owns(block) && rt::exploring())
    return rt::reallocate(block, size, PLUMB_CALLER);
  if (block != nullptr || !rt::ours(PLUMB_CALLER)) return __libc_realloc(block, size);
  return rt::allocate(size, 16, PLUMB_CALLER);
}

void* memalign(std::size_t alignment, std::size_t size) {
  if (!rt::ours(PLUMB_CALLER)) return __libc_memalign(alignment, size);
  return rt::allocate(size, alignment < 16 ? 16 : alignment, PLUMB_CALLER);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
  if (!rt::ours(PLUMB_CALLER)) return __libc_memalign(alignment, size);
  return rt::allocate(size, alignment < 16 ? 16 : alignment, PLUMB_CALLER);
}

int posix_memalign(void** block, std::size_t alignment, std::size_t size) {
  *block = rt::ours(PLUMB_CALLER) ? rt::allocate(size, alignment < 16 ? 16 : alignment, PLUMB_CALLER)
                                  : __libc_memalign(alignment, size);
  return *block == nullptr ? ENOMEM : 0;
}

std::size_t malloc_usable_size(void* block) {
  if (block == nullptr) return 0;
  if (rt::Arena::owns(block)) return rt::Arena::instance().size_of(block);
  return reinterpret_cast<std::size_t*>(block)[-1] / 16 * 16 - 8;  // glibc: the chunk's size stands before it
}

}  // extern "C"
