// Ctrl-C and SIGTERM: the first asks for the end, with what is known by then; a second one, half a second later or more, kills.
// What comes sooner is the same request: coreutils' timeout asks the program and then its whole group, so the program twice.
#pragma once

#include <atomic>
#include <csignal>
#include <cstdint>
#include <ctime>

namespace plumb {

class StopRequest {
 public:
  [[nodiscard]] static bool asked() { return asked_.load(std::memory_order_relaxed); }
  [[nodiscard]] static const std::atomic<bool>* flag() { return &asked_; }

  // A handler for both signals.
  static void on_signal(int signal) {
    if (note() || milliseconds() - asked_at_ < kSameRequest) return;
    std::signal(signal, SIG_DFL);
    std::raise(signal);
  }

  // The end is asked for. False: it was before.
  static bool note() {
    const std::int64_t now = milliseconds();
    std::int64_t never = 0;
    const bool first = asked_at_.compare_exchange_strong(never, now);
    asked_ = true;
    return first;
  }

 private:
  static constexpr std::int64_t kSameRequest = 500;

  static std::int64_t milliseconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return std::int64_t{now.tv_sec} * 1'000 + now.tv_nsec / 1'000'000;
  }

  static inline std::atomic<bool> asked_{false};
  static inline std::atomic<std::int64_t> asked_at_{0};
};

}  // namespace plumb
