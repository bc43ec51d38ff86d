// A heap against a sorted list: the same entries, in the same order.
#include "base/wide_heap.hpp"

#include <functional>
#include <set>

#include <gtest/gtest.h>

#include "base/rng.hpp"

namespace plumb {
namespace {

TEST(WideHeap, GivesTheLeastFirst) {
  Rng rng(3);
  for (std::size_t round = 0; round < 200; ++round) {
    std::vector<std::uint64_t> first(rng.below(100));
    for (auto& entry : first) entry = rng.below(50);
    std::multiset<std::uint64_t> expected(first.begin(), first.end());
    WideHeap<std::uint64_t, std::less<>> heap(std::less<>(), first);
    for (std::size_t step = 0; step < 500; ++step) {
      if (rng.chance(0.5)) {
        const std::uint64_t entry = rng.below(50);
        heap.push(entry);
        expected.insert(entry);
      } else if (!expected.empty()) {
        ASSERT_EQ(heap.top(), *expected.begin());
        heap.pop();
        expected.erase(expected.begin());
      }
      ASSERT_EQ(heap.empty(), expected.empty());
    }
  }
}

// So many that memory is fetched ahead.
TEST(WideHeap, SortsMany) {
  Rng rng(4);
  WideHeap<std::uint64_t, std::less<>> heap{std::less<>()};
  constexpr std::size_t kMany = 300'000;
  for (std::size_t i = 0; i < kMany; ++i) heap.push(rng.below(1U << 30U));
  std::uint64_t last = 0;
  for (std::size_t i = 0; i < kMany; ++i, heap.pop()) {
    ASSERT_LE(last, heap.top());
    last = heap.top();
  }
  EXPECT_TRUE(heap.empty());
}

}  // namespace
}  // namespace plumb
