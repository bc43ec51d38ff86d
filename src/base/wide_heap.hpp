// A heap whose nodes have eight children each: of millions of entries, few cache lines lie on the way of one.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

#include "base/huge_pages.hpp"

namespace plumb {

// `Less(a, b)`: a comes out before b.
template <class T, class Less>
class WideHeap {
 public:
  explicit WideHeap(Less less, std::vector<T> entries = {}) : less_(less), entries_(std::move(entries)) {
    for (std::size_t i = entries_.size(); i-- > 0;) sink(i, entries_[i]);
  }

  [[nodiscard]] bool empty() const { return entries_.empty(); }
  [[nodiscard]] const T& top() const { return entries_.front(); }

  void push(T entry) {
    std::size_t at = entries_.size();
    if (at == entries_.capacity()) reserve_large(entries_, 2 * at + kChildren);
    entries_.push_back(entry);
    for (; at != 0 && less_(entry, entries_[parent(at)]); at = parent(at))
      entries_[at] = entries_[parent(at)];
    entries_[at] = entry;
  }
  void pop() {
    const T last = entries_.back();
    entries_.pop_back();
    if (!entries_.empty()) sink(0, last);
  }

 private:
  static constexpr std::size_t kChildren = 8;
  static constexpr std::size_t kLarge = std::size_t{1} << 20U;  // bytes: beyond that, memory is far away
  static std::size_t parent(std::size_t i) { return (i - 1) / kChildren; }

  // All that may be needed when one of the children at this place has been chosen.
  void prefetch_below(std::size_t first) const {
    constexpr std::size_t kLine = 64 / sizeof(T);
    const std::size_t below = first * kChildren + 1;
    if (below + kChildren * kChildren > entries_.size()) return;
    for (std::size_t i = 0; i < kChildren * kChildren; i += kLine) __builtin_prefetch(&entries_[below + i]);
  }

  // Puts an entry at this place or below.
  void sink(std::size_t at, T entry) {
    for (;;) {
      const std::size_t first = at * kChildren + 1;
      if (first >= entries_.size()) break;
      const std::size_t end = first + kChildren < entries_.size() ? first + kChildren : entries_.size();
      if (entries_.size() * sizeof(T) > kLarge) prefetch_below(first);
      std::size_t where = first;
      T least = entries_[first];
      for (std::size_t i = first + 1; i < end; ++i) {  // without a branch: which it is, is as good as random
        const T other = entries_[i];
        const bool smaller = less_(other, least);
        where = smaller ? i : where;
        least = smaller ? other : least;
      }
      if (!less_(least, entry)) break;
      entries_[at] = least;
      at = where;
    }
    entries_[at] = entry;
  }

  Less less_;
  std::vector<T> entries_;
};

}  // namespace plumb
