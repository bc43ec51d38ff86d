// A channel from one thread to another, which holds one value.
#pragma once

#include <atomic>
#include <optional>

class Channel {
 public:
  bool push(int value) {
    const unsigned sent = sent_.load(std::memory_order_relaxed);
    if (sent != received_.load(std::memory_order_acquire)) return false;
    value_ = value;
    sent_.store(sent + 1, std::memory_order_release);
    return true;
  }
  std::optional<int> pop() {
    const unsigned received = received_.load(std::memory_order_relaxed);
    if (received == sent_.load(std::memory_order_acquire)) return std::nullopt;
    const int value = value_;
    received_.store(received + 1, std::memory_order_release);
    return value;
  }

 private:
  int value_ = 0;
  std::atomic<unsigned> sent_{0};
  std::atomic<unsigned> received_{0};
};
