// Memory of a table is zeroed, whether it comes from the heap or is mapped, also where it lay in use before.
#include "explore/huge_array.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

namespace plumb::engine {
namespace {

using Array = HugeArray<std::uint64_t>;

constexpr std::size_t kLargestFromTheHeap = (std::size_t{64} << 10U) / sizeof(std::uint64_t);
constexpr std::size_t kSizes[] = {1, 512, kLargestFromTheHeap, kLargestFromTheHeap + 1,
                                  std::size_t{1} << 20U};

bool is_zeroed(Array& array) {
  return std::all_of(array.begin(), array.end(), [](std::uint64_t word) { return word == 0; });
}

TEST(HugeArray, IsZeroedEachTime) {
  for (const std::size_t size : kSizes) {
    for (int round = 0; round < 3; ++round) {
      Array array(size);
      ASSERT_EQ(array.size(), size);
      ASSERT_EQ(static_cast<std::size_t>(array.end() - array.begin()), size);
      ASSERT_TRUE(is_zeroed(array)) << size << ", round " << round;
      std::fill(array.begin(), array.end(), ~std::uint64_t{0});
    }
  }
}

TEST(HugeArray, OneFromTheHeapAndAMappedOneChangePlaces) {
  for (const std::size_t one : kSizes) {
    for (const std::size_t other : kSizes) {
      Array first(one);
      Array second(other);
      first[one - 1] = 1;
      second[other - 1] = 2;
      first.swap(second);
      ASSERT_EQ(first.size(), other);
      ASSERT_EQ(second.size(), one);
      EXPECT_EQ(first[other - 1], 2U);
      EXPECT_EQ(second[one - 1], 1U);
    }
  }
}

}  // namespace
}  // namespace plumb::engine
