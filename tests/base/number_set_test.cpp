// A set of numbers against std::set: the same members, the least first.
#include "base/number_set.hpp"

#include <limits>
#include <set>

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kLast = std::numeric_limits<std::uint32_t>::max();

std::uint32_t number_below(Rng& rng, std::uint32_t end) { return static_cast<std::uint32_t>(rng.below(end)); }

TEST(NumberSet, GivesTheLeastFirst) {
  Rng rng(7);
  for (const std::uint32_t range : {1U, 63U, 64U, 65U, 4097U, 1'000'000U}) {
    NumberSet set;
    const std::uint32_t first = number_below(rng, kLast - range);
    const std::uint32_t last = first + range;
    set.cover(first, last);
    std::set<std::uint32_t> expected;
    for (int i = 0; i < 20'000; ++i) {
      if (expected.empty() || rng.chance(0.6)) {
        const std::uint32_t number = first + number_below(rng, range + 1);
        ASSERT_EQ(set.insert(number), expected.insert(number).second);
      } else {
        set.erase_least();
        expected.erase(expected.begin());
      }
      ASSERT_EQ(set.empty(), expected.empty());
      if (!expected.empty()) {
        ASSERT_EQ(set.least(), *expected.begin());
      }
    }
  }
}

TEST(NumberSet, KeepsItsMembersWhenItIsWidened) {
  Rng rng(8);
  for (int round = 0; round < 200; ++round) {
    NumberSet set;
    std::set<std::uint32_t> expected;
    const std::uint32_t low = number_below(rng, kLast - 400'000);
    for (int i = 0; i < 100; ++i) {
      const std::uint32_t number = low + number_below(rng, rng.chance(0.25) ? 400'000 : 4000);
      if (!set.covers(number) && !set.widen(number, 20'000)) continue;
      set.insert(number);
      expected.insert(number);
    }
    for (const std::uint32_t number : expected) {
      ASSERT_EQ(set.least(), number);
      set.erase_least();
    }
    ASSERT_TRUE(set.empty());
  }
}

TEST(NumberSet, IsWidenedOnlyAsFarAsAllowed) {
  NumberSet set;
  EXPECT_TRUE(set.widen(1000, 64));
  EXPECT_TRUE(set.covers(1000));
  EXPECT_FALSE(set.widen(1'000'000, 64));
  EXPECT_FALSE(set.covers(1'000'000));
}

TEST(NumberSet, HasTheFirstAndTheLastOfAllNumbers) {
  NumberSet low;
  ASSERT_TRUE(low.widen(5000, 4096));
  ASSERT_TRUE(low.widen(0, 4096));
  EXPECT_TRUE(low.insert(0));
  EXPECT_EQ(low.least(), 0);
  NumberSet high;
  ASSERT_TRUE(high.widen(kLast - 5000, 4096));
  ASSERT_TRUE(high.widen(kLast, 4096));
  EXPECT_TRUE(high.insert(kLast));
  EXPECT_FALSE(high.insert(kLast));
  EXPECT_EQ(high.least(), kLast);
}

}  // namespace
}  // namespace plumb
