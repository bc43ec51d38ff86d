// What a search may still use: time, and the word of someone who waits. Cheap enough to ask in the inner loop: the
// clock is read once in a while only.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace plumb {

enum class Spent : std::uint8_t { kNothing, kTime, kStopped, kCancelled };

// The limits of one check, shared by all its searches.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  Budget(std::optional<std::chrono::duration<double>> timeout, const std::atomic<bool>* stop) : stop_(stop) {
    if (timeout) deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(*timeout);
  }

  // Another part has decided the verdict: what is still running is of no use.
  void cancel() { cancelled_.store(true, std::memory_order_relaxed); }

  [[nodiscard]] Spent spent() const {
    if (cancelled_.load(std::memory_order_relaxed)) return Spent::kCancelled;
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) return Spent::kStopped;
    if (deadline_ && Clock::now() >= *deadline_) return Spent::kTime;
    return Spent::kNothing;
  }

 private:
  std::optional<Clock::time_point> deadline_;
  const std::atomic<bool>* stop_;
  std::atomic<bool> cancelled_ = false;
};

// One search's view of the budget: asks it every 1024th time.
class BudgetGauge {
 public:
  explicit BudgetGauge(const Budget& budget) : budget_(budget) {}

  // Sticky: once spent, always spent.
  bool spent() {
    if (spent_ == Spent::kNothing && (++ticks_ & 1023U) == 0) spent_ = budget_.spent();
    return spent_ != Spent::kNothing;
  }
  [[nodiscard]] Spent reason() const { return spent_; }

 private:
  const Budget& budget_;
  std::uint32_t ticks_ = 0;
  Spent spent_ = Spent::kNothing;
};

}  // namespace plumb
