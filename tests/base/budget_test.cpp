// What a budget answers: time, the stop flag, and who is cancelled by whom.
#include "base/budget.hpp"

#include <gtest/gtest.h>

namespace plumb {
namespace {

using namespace std::chrono_literals;

TEST(Budget, WithoutLimitsNothingIsEverSpent) {
  const Budget budget(std::nullopt, nullptr);
  EXPECT_EQ(budget.spent(0), StopReason::kNothing);
}

TEST(Budget, TimeIsSpent) {
  EXPECT_EQ(Budget(0s, nullptr).spent(0), StopReason::kTime);
  EXPECT_EQ(Budget(1000h, nullptr).spent(0), StopReason::kNothing);
}

TEST(Budget, TheStopFlagIsSeen) {
  std::atomic<bool> stop = false;
  const Budget budget(std::nullopt, &stop);
  EXPECT_EQ(budget.spent(0), StopReason::kNothing);
  stop = true;
  EXPECT_EQ(budget.spent(0), StopReason::kStopped);
}

TEST(Budget, OnlyThoseAfterAreCancelled) {
  Budget budget(std::nullopt, nullptr);
  budget.cancel_after(3);
  EXPECT_EQ(budget.spent(3), StopReason::kNothing);
  EXPECT_EQ(budget.spent(4), StopReason::kCancelled);
  budget.cancel_after(5);
  EXPECT_EQ(budget.spent(4), StopReason::kCancelled) << "a later one takes nothing back";
  budget.cancel_after(1);
  EXPECT_EQ(budget.spent(1), StopReason::kNothing);
  EXPECT_EQ(budget.spent(2), StopReason::kCancelled);
}

TEST(BudgetGauge, AsksOnceInAWhileAndRemembers) {
  std::atomic<bool> stop = true;
  const Budget budget(std::nullopt, &stop);
  BudgetGauge gauge(budget, 0);
  bool seen = false;
  for (int i = 0; i < 2048 && !seen; ++i) seen = gauge.spent();
  EXPECT_TRUE(seen);
  EXPECT_EQ(gauge.reason(), StopReason::kStopped);
  stop = false;
  EXPECT_TRUE(gauge.spent()) << "once spent, always spent";
}

TEST(BudgetGauge, CanBeSpentByItsSearch) {
  const Budget budget(std::nullopt, nullptr);
  BudgetGauge gauge(budget, 0);
  EXPECT_FALSE(gauge.spent());
  EXPECT_EQ(gauge.reason(), StopReason::kNothing);
  gauge.spend(StopReason::kMemory);
  EXPECT_TRUE(gauge.spent());
  EXPECT_EQ(gauge.reason(), StopReason::kMemory);
}

}  // namespace
}  // namespace plumb
