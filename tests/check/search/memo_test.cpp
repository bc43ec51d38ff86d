// The memo alone: what it must refuse, what it must not, and that forgetting only ever says "new" once too
// often.
#include <algorithm>
#include <array>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "check/search/memo.hpp"

namespace plumb {
namespace {

constexpr std::size_t kPlenty = std::size_t{1} << 30U;

using Record = std::array<std::uint64_t, 3>;  // two words of key, one of pending operations

bool insert(Memo& memo, const Record& record) { return memo.insert(record.data()); }

TEST(Memo, RefusesWhatItHasMet) {
  Memo memo(2, 1, kPlenty);
  EXPECT_TRUE(insert(memo, {1, 0, 0}));
  EXPECT_FALSE(insert(memo, {1, 0, 0}));
  EXPECT_TRUE(insert(memo, {1, 1, 0})) << "another window";
  EXPECT_TRUE(insert(memo, {2, 0, 0})) << "another state";
}

TEST(Memo, FewerPendingOperationsAreBetter) {
  Memo memo(2, 1, kPlenty);
  EXPECT_TRUE(insert(memo, {1, 0, 0b011}));
  EXPECT_FALSE(insert(memo, {1, 0, 0b111})) << "it used more";
  EXPECT_TRUE(insert(memo, {1, 0, 0b100})) << "it used others";
  EXPECT_TRUE(insert(memo, {1, 0, 0b001})) << "it used fewer";
  EXPECT_FALSE(insert(memo, {1, 0, 0b011}));
}

TEST(Memo, ClearForgetsAll) {
  Memo memo(2, 1, kPlenty);
  EXPECT_TRUE(insert(memo, {1, 0, 0}));
  memo.clear();
  EXPECT_TRUE(insert(memo, {1, 0, 0}));
}

TEST(Memo, GrowsWithoutForgetting) {
  Memo memo(2, 1, kPlenty);
  for (std::uint64_t i = 1; i <= 100'000; ++i) ASSERT_TRUE(insert(memo, {i, i * i, 0}));
  for (std::uint64_t i = 1; i <= 100'000; ++i) ASSERT_FALSE(insert(memo, {i, i * i, 1}));
  EXPECT_FALSE(memo.forgets());
}

TEST(Memo, ForgetsAtItsLimitAndStaysWithinIt) {
  constexpr std::size_t kLimit = 64 * 1024;
  Memo memo(2, 1, kLimit);
  for (std::uint64_t i = 1; i <= 100'000; ++i) ASSERT_TRUE(insert(memo, {i, i, 0}));
  EXPECT_TRUE(memo.forgets());
  EXPECT_LE(memo.memory(), kLimit);
  EXPECT_FALSE(insert(memo, {100'000, 100'000, 0})) << "the last one is still known";
  EXPECT_TRUE(insert(memo, {1, 1, 0})) << "the first one is long forgotten";
}

TEST(Memo, ALimitOfNothingStillWorks) {
  Memo memo(2, 1, 0);
  for (std::uint64_t i = 1; i <= 10'000; ++i) {
    ASSERT_TRUE(insert(memo, {i, 0, 0}));
    ASSERT_FALSE(insert(memo, {i, 0, 0}));
  }
}

// What was used lately stays: a record that is asked for again and again outlives a stream of others.
TEST(Memo, KeepsWhatIsUsed) {
  Memo memo(2, 1, 0);
  insert(memo, {7, 7, 0});
  for (std::uint64_t i = 100; i < 10'000; ++i) {
    insert(memo, {i, 0, 0});
    ASSERT_FALSE(insert(memo, {7, 7, 0})) << "after " << i;
  }
}

// Against a plain list, on records that meet often. Without forgetting the answers are the same; with it,
// "met" is still always true, and only "new" may be said again.
void compare_with_list(const std::vector<std::array<std::uint8_t, 3>>& input, std::size_t limit) {
  Memo memo(2, 1, limit);
  std::vector<Record> met;
  for (const auto& [state, window, pending] : input) {
    const Record record = {1U + state % 4U, window % 4U, pending % 16U};
    const bool covered = std::ranges::any_of(met, [&](const Record& m) {
      return m[0] == record[0] && m[1] == record[1] && (m[2] & ~record[2]) == 0;
    });
    const bool is_new = insert(memo, record);
    if (memo.forgets()) {
      RC_ASSERT(covered || is_new);
    } else {
      RC_ASSERT(is_new == !covered);
    }
    met.push_back(record);
  }
}

RC_GTEST_PROP(Memo, AnswersAsAPlainList, (const std::vector<std::array<std::uint8_t, 3>>& input)) {
  compare_with_list(input, kPlenty);
}

RC_GTEST_PROP(Memo, NeverRefusesWhatIsNotCovered, (const std::vector<std::array<std::uint8_t, 3>>& input)) {
  compare_with_list(input, 0);
}

}  // namespace
}  // namespace plumb
