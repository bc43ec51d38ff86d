// Random numbers that are the same on every machine, and spread well enough.
#include "base/rng.hpp"

#include <array>

#include <gtest/gtest.h>

namespace plumb {
namespace {

// The first numbers of the reference implementation of splitmix64 for this seed.
TEST(Rng, IsSplitmix64) {
  Rng rng(1234567);
  EXPECT_EQ(rng.next(), 6457827717110365317ULL);
  EXPECT_EQ(rng.next(), 3203168211198807973ULL);
  EXPECT_EQ(rng.next(), 9817491932198370423ULL);
}

TEST(Rng, ASeedReproducesEverything) {
  Rng a(42);
  Rng b(42);
  Rng other(43);
  bool differs = false;
  for (int i = 0; i < 100; ++i) {
    const auto n = a.next();
    EXPECT_EQ(n, b.next());
    differs = differs || n != other.next();
  }
  EXPECT_TRUE(differs);
}

TEST(Rng, BelowIsUniformEnough) {
  Rng rng(7);
  std::array<int, 10> seen = {};
  for (int i = 0; i < 100'000; ++i) {
    const auto n = rng.below(10);
    ASSERT_LT(n, 10U);
    ++seen[n];
  }
  for (const int times : seen) EXPECT_NEAR(times, 10'000, 500);
  EXPECT_EQ(rng.below(1), 0U);
}

TEST(Rng, ChanceKeepsItsPromise) {
  Rng rng(7);
  int yes = 0;
  for (int i = 0; i < 100'000; ++i) yes += rng.chance(0.25) ? 1 : 0;
  EXPECT_NEAR(yes, 25'000, 1000);
  for (int i = 0; i < 1000; ++i) {
    EXPECT_FALSE(rng.chance(0.0));
    EXPECT_TRUE(rng.chance(1.0));
  }
}

}  // namespace
}  // namespace plumb
