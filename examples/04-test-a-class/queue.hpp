// A queue without locks: push() takes the next cell and fills it, pop() takes the first filled one. It has
// a fault: a cell that was taken but is not filled yet makes pop() believe that the queue is empty,
// whatever stands behind it.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

class Queue {
 public:
  void push(int value) {
    const std::size_t at = tail_.fetch_add(1);
    cells_.at(at).store(value);
  }

  std::optional<int> pop() {
    std::size_t at = head_.load();
    for (;;) {
      const int value = cells_.at(at).load();
      if (value == kNothing) return std::nullopt;
      if (head_.compare_exchange_strong(at, at + 1)) return value;
    }
  }

 private:
  static constexpr int kNothing = 0;
  std::array<std::atomic<int>, 64> cells_{};
  std::atomic<std::size_t> head_{0};
  std::atomic<std::size_t> tail_{0};
};
