// What a search may still use: time, and the word of someone who waits. Cheap enough to ask in the inner
// loop: the clock is read once in a while only, and more often where a step takes long.
#pragma once

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <optional>

namespace plumb {

// Why a search ended without an answer.
enum class StopReason : std::uint8_t {
  kNothing,
  kTime,
  kMemory,
  kStopped,
  kCancelled,
  kRound,
  kTooLarge,
  kNoMonitor,
  kNoFrontiers,  // this part has none that could be kept
  kNoWitness,
  kInternalError,
  kWrongClaim,  // the model does not belong to the family that it claims
};

// The limits of one check, shared by all its searches.
class Budget {
 public:
  using Clock = std::chrono::steady_clock;

  Budget(std::optional<std::chrono::duration<double>> timeout, const std::atomic<bool>* stop) : stop_(stop) {
    if (timeout) deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(*timeout);
  }

  // A part has decided the verdict. Only the parts ranked after it stop, which could not have changed what is told: so the
  // answer does not depend on which thread was faster.
  void cancel_after(std::uint32_t rank) {
    std::uint32_t current = cancelled_after_.load(std::memory_order_relaxed);
    while (rank < current &&
           !cancelled_after_.compare_exchange_weak(current, rank, std::memory_order_relaxed)) {
    }
  }

  [[nodiscard]] StopReason spent(std::uint32_t rank) const {
    if (rank > cancelled_after_.load(std::memory_order_relaxed)) return StopReason::kCancelled;
    if (stop_ != nullptr && stop_->load(std::memory_order_relaxed)) return StopReason::kStopped;
    if (deadline_ && Clock::now() >= *deadline_) return StopReason::kTime;
    return StopReason::kNothing;
  }
  // Nothing: there is no limit.
  [[nodiscard]] std::optional<double> seconds_left() const {
    if (!deadline_) return std::nullopt;
    return std::max(std::chrono::duration<double>(*deadline_ - Clock::now()).count(), 0.0);
  }

 private:
  std::optional<Clock::time_point> deadline_;
  const std::atomic<bool>* stop_;
  std::atomic<std::uint32_t> cancelled_after_ = ~std::uint32_t{0};
};

// One search's view of the budget: asks it every 1024th time where steps are quick, every time where one takes a millisecond.
class BudgetGauge {
 public:
  BudgetGauge(const Budget& budget, std::uint32_t rank) : budget_(budget), rank_(rank) {}

  // Sticky: once spent, always spent.
  bool spent() {
    if (spent_ == StopReason::kNothing && --ticks_left_ == 0) look();
    return spent_ != StopReason::kNothing;
  }
  void spend(StopReason what) { spent_ = what; }
  [[nodiscard]] StopReason reason() const { return spent_; }

 private:
  void look() {
    constexpr std::uint32_t kSeldom = 1024;
    constexpr auto kSoon = std::chrono::microseconds(100);
    constexpr auto kLate = std::chrono::milliseconds(1);
    spent_ = budget_.spent(rank_);
    const auto now = Budget::Clock::now();
    const auto took = now - looked_;
    looked_ = now;
    if (took > kLate) {
      ticks_ = std::max(ticks_ / 16, 1U);
    } else if (took < kSoon) {
      ticks_ = std::min(2 * ticks_, kSeldom);
    }
    ticks_left_ = ticks_;
  }

  const Budget& budget_;
  std::uint32_t rank_;
  std::uint32_t ticks_ = 1;  // from one look to the next
  std::uint32_t ticks_left_ = 1;
  Budget::Clock::time_point looked_ = {};
  StopReason spent_ = StopReason::kNothing;
};

}  // namespace plumb
