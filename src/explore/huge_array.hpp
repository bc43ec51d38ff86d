// Zeroed memory for a table: only what is touched of it takes room, in large pages where the system has them, since a table that is hit at
// random misses the TLB otherwise at each access.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <type_traits>
#include <utility>

namespace plumb::engine {

template <class T>
class HugeArray {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  explicit HugeArray(std::size_t size) : size_(size) {
    void* const memory = mmap(nullptr, size * sizeof(T), PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) __builtin_trap();
    madvise(memory, size * sizeof(T), MADV_HUGEPAGE);
    items_ = static_cast<T*>(memory);
  }
  ~HugeArray() { munmap(items_, size_ * sizeof(T)); }
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
  }

 private:
  T* items_ = nullptr;
  std::size_t size_;
};

}  // namespace plumb::engine
