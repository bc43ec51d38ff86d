// What a search under a bound remembers, against what a map would.
#include "explore/seen_states.hpp"

#include <sys/wait.h>
#include <unistd.h>

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
  EXPECT_FALSE(state->search(11, 0));
  EXPECT_TRUE(state->search(11, 0));
  EXPECT_FALSE(state->search(12, 0));
  EXPECT_FALSE(state->search(12, 0));
  state->remember(ThreadSet{1} << 12U | 1U, 0);
  EXPECT_EQ(seen.known(trace_of(1)), nullptr);
}

// `share_at`: from then on for all forks; never if it is not reached.
void expect_to_agree_with_a_map(int share_at) {
  SeenStates seen(std::size_t{1} << 24U);
  std::map<std::tuple<std::uint64_t, std::uint64_t, int>, int> most;
  std::mt19937_64 random(1);
  for (int i = 0; i < 200'000; ++i) {
    if (i == share_at) seen.share();
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

TEST(SeenStates, AgreesWithAMapWhileItGrows) { expect_to_agree_with_a_map(-1); }

TEST(SeenStates, AgreesWithAMapWhenItIsShared) {
  for (const int share_at : {0, 100, 60'000}) expect_to_agree_with_a_map(share_at);
}

// Each of two processes searches half of the ways, and finds all of the other's. They come from both ends, and meet.
TEST(SeenStates, IsOneForAllForks) {
  constexpr std::uint64_t kStates = 100'000;
  SeenStates seen(std::size_t{1} << 24U);
  for (std::uint64_t i = 0; i < kStates / 10; ++i) (void)seen.state(trace_of(i), 0)->search(0, 1);
  seen.share();
  const auto search = [&](int thread, bool from_the_end) {
    for (std::uint64_t i = 0; i < kStates; ++i) {
      auto* const state = seen.state(trace_of(from_the_end ? kStates - 1 - i : i), 0);
      (void)state->search(thread, 1);
      state->remember(0b110, 0b100);
    }
  };
  const pid_t child = fork();
  if (child == 0) {
    search(1, true);
    _exit(0);
  }
  ASSERT_GT(child, 0);
  search(2, false);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  ASSERT_EQ(status, 0);
  std::uint64_t twice = 0;  // states that both began at once
  for (std::uint64_t i = 0; i < kStates; ++i) {
    auto* const state = seen.state(trace_of(i), 0);
    EXPECT_EQ(state->searched(0, 1), i < kStates / 10);
    twice += state->searched(1, 1) && state->searched(2, 1) ? 0 : 1;
    const auto* const known = seen.known(trace_of(i));
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(known->enabled(), 0b110U);
    EXPECT_TRUE(known->yields(2));
    EXPECT_FALSE(known->yields(1));
  }
  EXPECT_LT(twice, kStates / 100);
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
