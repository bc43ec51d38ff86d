// The binary heap of a PriorityBlockingQueue, step by step as OpenJDK 17 moves its elements: the array can be seen.
#pragma once

#include <cstddef>
#include <vector>

#include <plumb/value.hpp>

namespace plumb {

class JavaHeap {
 public:
  JavaHeap(std::vector<Value>& items, const Values& values) : items_(items), values_(values) {}

  void insert(Value element) {
    items_.push_back(element);
    sift_up(items_.size() - 1, element);
  }

  Value remove_at(std::size_t at) {
    const Value removed = items_[at];
    const Value last = items_.back();
    items_.pop_back();
    if (at == items_.size()) return removed;
    sift_down(at, last);
    if (items_[at] == last) sift_up(at, last);
    return removed;
  }

  void heapify() {
    for (std::size_t i = items_.size() / 2; i-- > 0;) sift_down(i, items_[i]);
  }

 private:
  void sift_up(std::size_t k, Value element) {
    while (k > 0) {
      const std::size_t parent = (k - 1) / 2;
      if (values_.compare(element, items_[parent]) >= 0) break;
      items_[k] = items_[parent];
      k = parent;
    }
    items_[k] = element;
  }

  void sift_down(std::size_t k, Value element) {
    const std::size_t n = items_.size();
    while (k < n / 2) {
      std::size_t child = 2 * k + 1;
      if (child + 1 < n && values_.compare(items_[child], items_[child + 1]) > 0) ++child;
      if (values_.compare(element, items_[child]) <= 0) break;
      items_[k] = items_[child];
      k = child;
    }
    items_[k] = element;
  }

  std::vector<Value>& items_;
  const Values& values_;
};

}  // namespace plumb
