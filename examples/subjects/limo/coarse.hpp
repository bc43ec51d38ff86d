// A stack and a queue, each under one lock.
#pragma once

#include <deque>
#include <mutex>
#include <optional>

namespace limo {

enum class Order { kNewestFirst, kOldestFirst };

template <Order kOrder>
class Coarse {
 public:
  void put(int value) {
    const std::lock_guard lock(mutex_);
    items_.push_back(value);
  }

  std::optional<int> take() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return std::nullopt;
    if constexpr (kOrder == Order::kNewestFirst) {
      const int value = items_.back();
      items_.pop_back();
      return value;
    } else {
      const int value = items_.front();
      items_.pop_front();
      return value;
    }
  }

 private:
  std::mutex mutex_;
  std::deque<int> items_;
};

using CoarseStack = Coarse<Order::kNewestFirst>;
using CoarseQueue = Coarse<Order::kOldestFirst>;

}  // namespace limo
