// Two threads increment a counter without care: an update is lost.
#include <gtest/gtest.h>
#include <plumb/explore.hpp>

#include <atomic>

namespace {

void increments(plumb::Program& p) {
  std::atomic<int> n{0};
  p.name(&n, "n");
  for (int i = 0; i < 2; ++i) p.thread([&] { n.store(n.load() + 1); });
  p.check([&] { return n == 2; });
}

TEST(LostUpdate, IsFound) {
  const auto result = plumb::explore(increments);
  EXPECT_EQ(result.kind, plumb::FindingKind::kCheck) << result.text();
}

}  // namespace
