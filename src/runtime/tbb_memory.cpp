// Memory of oneTBB's containers: what its library has no hooks for, and does by malloc() unless it finds an allocator of its own. In its
// place, as for malloc() itself (malloc.cpp). Weak, for programs that have the library in themselves.
#include <cstdlib>

namespace tbb::detail::r1 {

// So far apart that no two blocks share a line of the processor's caches.
constexpr std::size_t kApart = 128;

// NOLINTBEGIN(cppcoreguidelines-no-malloc): that is what they are
__attribute__((weak)) void* cache_aligned_allocate(std::size_t size) {
  return std::aligned_alloc(kApart, (size + kApart - 1) / kApart * kApart);
}
__attribute__((weak)) void cache_aligned_deallocate(void* block) { std::free(block); }
__attribute__((weak)) void* allocate_memory(std::size_t size) { return std::malloc(size); }
__attribute__((weak)) void deallocate_memory(void* block) { std::free(block); }
// NOLINTEND(cppcoreguidelines-no-malloc)

}  // namespace tbb::detail::r1
