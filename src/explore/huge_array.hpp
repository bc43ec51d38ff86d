// Zeroed memory for a table: only what is touched of it takes room, in large pages where the system has them, since a table that is hit at
// random misses the TLB otherwise at each access. A small one comes from the heap: most explorations are small, and pages that are mapped
// for each of them would cost more than the search does.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <cstdlib>
#include <type_traits>
#include <utility>

namespace plumb::engine {

template <class T>
class HugeArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  explicit HugeArray(std::size_t size)
      : items_(static_cast<T*>(is_small(size) ? std::calloc(size, sizeof(T))
                                              : mapped(size * sizeof(T), MAP_PRIVATE))),
        size_(size),
        is_mapped_(!is_small(size)) {
    if (items_ == nullptr) __builtin_trap();
  }
  // With MAP_SHARED, one that forks of this process have in common; empty where the system gives none.
  HugeArray(std::size_t size, int flags)
      : items_(static_cast<T*>(mapped(size * sizeof(T), flags))),
        size_(items_ == nullptr ? 0 : size),
        is_mapped_(items_ != nullptr) {}
  ~HugeArray() {
    if (is_mapped_) {
      munmap(items_, size_ * sizeof(T));
    } else {
      std::free(items_);
    }
  }
  HugeArray(const HugeArray&) = delete;
  HugeArray& operator=(const HugeArray&) = delete;

  T& operator[](std::size_t i) { return items_[i]; }
  const T& operator[](std::size_t i) const { return items_[i]; }
  T* begin() { return items_; }
  T* end() { return items_ + size_; }
  [[nodiscard]] std::size_t size() const { return size_; }
  void swap(HugeArray& other) {
    std::swap(items_, other.items_);
    std::swap(size_, other.size_);
    std::swap(is_mapped_, other.is_mapped_);
  }

 private:
  static constexpr std::size_t kSmall = std::size_t{64} << 10U;

  static bool is_small(std::size_t size) { return size * sizeof(T) <= kSmall; }
  static void* mapped(std::size_t bytes, int flags) {
    void* const memory =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) return nullptr;
    madvise(memory, bytes, MADV_HUGEPAGE);
    return memory;
  }

  T* items_;
  std::size_t size_;
  bool is_mapped_;
};

}  // namespace plumb::engine
