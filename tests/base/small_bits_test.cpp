// A set of small numbers against std::set: the same members, and equal exactly when the members are.
#include "base/small_bits.hpp"

#include <set>
#include <utility>
#include <vector>

#include <absl/hash/hash.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

namespace plumb {
namespace {

SmallBits bits_of(const std::vector<std::uint8_t>& flips) {
  SmallBits bits;
  for (const std::uint8_t i : flips) bits.flip(i);
  return bits;
}

std::set<std::uint8_t> set_of(const std::vector<std::uint8_t>& flips) {
  std::set<std::uint8_t> members;
  for (const std::uint8_t i : flips) {
    if (!members.insert(i).second) members.erase(i);
  }
  return members;
}

RC_GTEST_PROP(SmallBits, HasTheMembersOfASet, (const std::vector<std::uint8_t>& flips)) {
  const SmallBits bits = bits_of(flips);
  const auto members = set_of(flips);
  for (std::size_t i = 0; i < 600; ++i) {
    RC_ASSERT(bits.test(i) == (i < 256 && members.contains(static_cast<std::uint8_t>(i))));
  }
}

RC_GTEST_PROP(SmallBits, EqualMembersAreEqualObjects,
              (const std::vector<std::uint8_t>& a, const std::vector<std::uint8_t>& b)) {
  const SmallBits x = bits_of(a);
  const SmallBits y = bits_of(b);
  RC_ASSERT((x == y) == (set_of(a) == set_of(b)));
  std::vector<std::uint8_t> there_and_back = a;  // adds the numbers of b and takes them away again
  there_and_back.insert(there_and_back.end(), b.begin(), b.end());
  there_and_back.insert(there_and_back.end(), b.rbegin(), b.rend());
  RC_ASSERT(bits_of(there_and_back) == x);
  RC_ASSERT(absl::Hash<SmallBits>()(bits_of(there_and_back)) == absl::Hash<SmallBits>()(x));
}

TEST(SmallBits, UpTo64NumbersTakeNoMemory) {
  SmallBits bits;
  bits.flip(0);
  bits.flip(63);
  EXPECT_EQ(bits.heap_bytes(), 0U);
  bits.flip(64);
  EXPECT_GT(bits.heap_bytes(), 0U);
  bits.flip(64);
  EXPECT_EQ(bits.heap_bytes(), 0U);
}

TEST(SmallBits, CopiesAreIndependent) {
  SmallBits a;
  a.flip(100);
  SmallBits b = a;
  b.flip(100);
  b.flip(3);
  EXPECT_TRUE(a.test(100));
  EXPECT_FALSE(a.test(3));
  SmallBits c;
  c = a;
  EXPECT_EQ(c, a);
  const SmallBits moved = std::move(c);
  EXPECT_EQ(moved, a);
}

}  // namespace
}  // namespace plumb
