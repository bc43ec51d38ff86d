// What a search under a bound remembers, against what a map would.
#include "explore/seen_states.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <tuple>

namespace plumb::engine {
namespace {

Hash trace_of(std::uint64_t number) { return mix128(mix128(0, number), number); }

TEST(SeenStates, AWayIsSearchedWithAtLeastAsManyLeft) {
  SeenStates seen(1 << 20);
  auto* const state = seen.state(trace_of(1), 7);
  ASSERT_NE(state, nullptr);
  EXPECT_FALSE(state->search(1, 1));
  EXPECT_TRUE(state->search(1, 1));
  EXPECT_TRUE(state->search(1, 0));
  EXPECT_FALSE(state->search(2, 0));
  EXPECT_FALSE(state->search(1, 2));
  EXPECT_TRUE(state->searched(1, 2));
  EXPECT_FALSE(seen.state(trace_of(1), 8)->searched(1, 0));  // known by something else
  EXPECT_FALSE(seen.state(trace_of(2), 7)->searched(1, 0));
}

TEST(SeenStates, NothingElseFollowsHoweverManyAreLeft) {
  SeenStates seen(1 << 20);
  auto* const state = seen.state(trace_of(1), 0);
  state->search_with_any(3);
  EXPECT_TRUE(state->searched(3, 0));
  EXPECT_TRUE(state->searched(3, 100));
  EXPECT_FALSE(state->searched(3, 1'000));  // more than are told apart
  EXPECT_FALSE(state->searched(2, 0));
}

TEST(SeenStates, EnabledThreadsAreKnownByTheTraceAlone) {
  SeenStates seen(1 << 20);
  EXPECT_EQ(seen.known(trace_of(1)), nullptr);
  auto* const state = seen.state(trace_of(1), 5);
  EXPECT_EQ(seen.known(trace_of(1)), nullptr);
  EXPECT_FALSE(state->search(2, 1));
  state->remember(0b1110, 0b100);
  const auto* const known = seen.known(trace_of(1));
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->enabled(), 0b1110U);
  EXPECT_TRUE(known->yields(2));
  EXPECT_FALSE(known->yields(1));
  EXPECT_TRUE(known->searched(2, 1));
  EXPECT_FALSE(known->searched(2, 2));
}

// Threads beyond those that an entry has room for are searched each time.
TEST(SeenStates, OfManyThreadsTheLastAreNotRemembered) {
  SeenStates seen(1 << 20);
  auto* const state = seen.state(trace_of(1), 0);
  EXPECT_FALSE(state->search(13, 0));
  EXPECT_TRUE(state->search(13, 0));
  EXPECT_FALSE(state->search(15, 0));
  EXPECT_FALSE(state->search(15, 0));
  state->remember(ThreadSet{1} << 15U | 1U, 0);
  EXPECT_EQ(seen.known(trace_of(1)), nullptr);
}

TEST(SeenStates, AgreesWithAMapWhileItGrows) {
  SeenStates seen(std::size_t{1} << 24U);
  std::map<std::tuple<std::uint64_t, std::uint64_t, int>, int> most;
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    const std::uint64_t number = random() % 30'000;
    const std::uint64_t rest = random() % 2;
    const int thread = static_cast<int>(random() % 4);
    const int left = static_cast<int>(random() % 4);
    const auto [known, is_new] = most.try_emplace({number, rest, thread}, left);
    const bool expected = !is_new && known->second >= left;
    known->second = std::max(known->second, left);
    ASSERT_EQ(seen.state(trace_of(number), rest)->search(thread, left), expected) << i;
  }
}

TEST(SeenStates, AFullTableOnlyLooksUp) {
  SeenStates seen(0);
  std::uint64_t kept = 0;
  while (seen.state(trace_of(kept), 0) != nullptr) (void)seen.state(trace_of(kept++), 0)->search(1, 1);
  EXPECT_GT(kept, 0U);
  EXPECT_LT(kept, 100U);
  for (std::uint64_t i = 0; i < kept; ++i) EXPECT_TRUE(seen.state(trace_of(i), 0)->searched(1, 1));
  EXPECT_EQ(seen.state(trace_of(kept + 1), 0), nullptr);
}

}  // namespace
}  // namespace plumb::engine
