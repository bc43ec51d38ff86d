// Increments that are one step: n threads, all orders.
#include <gtest/gtest.h>
#include <plumb/explore.hpp>

#include <atomic>

namespace {

void increments(plumb::Program& p) {
  std::atomic<int> n{0};
  for (int i = 0; i < 3; ++i) p.thread([&] { n.fetch_add(1); });
  p.check([&] { return n == 3; });
}

TEST(Counter, AllOrders) {
  const auto result = plumb::explore(increments);
  EXPECT_TRUE(result.passed()) << result.text();
  EXPECT_EQ(result.executions, 6);
}

}  // namespace
