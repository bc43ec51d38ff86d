#include "base/huge_pages.hpp"

#include <cstdint>
#include <cstdlib>

#ifdef __GLIBC__
#include <malloc.h>
#endif
#include <sys/mman.h>
#include <unistd.h>

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

void prepare_heap() {
#if defined(__GLIBC__) && defined(MADV_HUGEPAGE)
  constexpr int kStep = 64 << 20;
  constexpr int kLargestBlock = 16 << 20;  // larger ones come and go by themselves
  ::mallopt(M_TOP_PAD, kStep);
  ::mallopt(M_TRIM_THRESHOLD, 8 * kStep);
  ::mallopt(M_MMAP_THRESHOLD, kLargestBlock);
  auto* begin = static_cast<char*>(::sbrk(0));
  void* volatile block = std::malloc(kLargestBlock / 2);  // volatile: the heap really takes its first step
  std::free(block);
  prefer_huge_pages(begin, static_cast<std::size_t>(static_cast<char*>(::sbrk(0)) - begin));
#endif
}

}  // namespace plumb
