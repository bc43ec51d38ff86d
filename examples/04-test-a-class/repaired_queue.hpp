// The queue of queue.hpp, repaired the simple way: with a lock.
#pragma once

#include <mutex>
#include <optional>
#include <queue>

class RepairedQueue {
 public:
  void push(int value) {
    const std::lock_guard lock(mutex_);
    items_.push(value);
  }

  std::optional<int> pop() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return std::nullopt;
    const int value = items_.front();
    items_.pop();
    return value;
  }

 private:
  std::mutex mutex_;
  std::queue<int> items_;
};
