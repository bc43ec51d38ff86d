#include "base/huge_pages.hpp"

#include <cstdint>

#include <sys/mman.h>

namespace plumb {

void prefer_huge_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t bytes) {
#ifdef MADV_HUGEPAGE
  constexpr std::size_t kPage = 4096;
  constexpr std::size_t kHuge = std::size_t{1} << 21U;
  if (bytes < 2 * kHuge) return;
  const std::size_t skipped = (kPage - reinterpret_cast<std::uintptr_t>(memory) % kPage) % kPage;
  ::madvise(static_cast<char*>(memory) + skipped, (bytes - skipped) / kPage * kPage, MADV_HUGEPAGE);
#endif
}

}  // namespace plumb
