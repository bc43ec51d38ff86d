// Large arrays on large pages: the kernel then fills them two megabytes at a time, which is faster than
// anything else that can be done about them.
#pragma once

#include <cstddef>
#include <vector>

namespace plumb {

// A hint for memory that is about to be written. Small pieces are left as they are.
void prefer_huge_pages(void* memory, std::size_t bytes);

// For a program that works through one large thing and ends: its heap grows in large steps, on large pages, and what is
// freed is kept for the next pass instead of being given back and cleared again. Call it first of all.
void prepare_heap();

// Room for `size` entries, on large pages where that helps.
template <class T>
void reserve_large(std::vector<T>& column, std::size_t size) {
  if (size <= column.capacity()) return;
  column.reserve(size);
  prefer_huge_pages(column.data(), column.capacity() * sizeof(T));
}

// As many entries of a value as asked for, likewise.
template <class T>
[[nodiscard]] std::vector<T> large_vector(std::size_t size, const T& value = {}) {
  std::vector<T> column;
  reserve_large(column, size);
  column.assign(size, value);
  return column;
}

}  // namespace plumb
