// oneTBB's containers as they come. What stands in its shared library runs as one step.
#include <tbb/concurrent_hash_map.h>
#include <tbb/concurrent_queue.h>
#include <tbb/concurrent_unordered_map.h>

#include <array>
#include <numeric>

#include "explore/programs.hpp"

namespace {

// Everything within the bound, races and leaks included.
void expect_pass_within(plumb_tests::Body program, unsigned preemptions) {
  const auto result = plumb::explore(program, {.preemptions = preemptions});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  EXPECT_GT(result.executions, 2);
}

template <class Queue>
void push_and_pop(plumb::Program& p) {
  Queue queue;
  std::array<int, 3> popped{};
  for (std::size_t i = 0; i < 2; ++i) {
    p.thread([&, i] {
      queue.push(static_cast<int>(i) + 1);
      queue.try_pop(popped[i]);
    });
  }
  p.check([&] {
    queue.try_pop(popped[2]);
    return std::accumulate(popped.begin(), popped.end(), 0) == 3;
  });
}
TEST(Tbb, Queue) { expect_pass_within(push_and_pop<tbb::concurrent_queue<int>>, 2); }
TEST(Tbb, BoundedQueue) { expect_pass_within(push_and_pop<tbb::concurrent_bounded_queue<int>>, 1); }

void bounded_queue_that_waits(plumb::Program& p) {
  tbb::concurrent_bounded_queue<int> queue;
  int got = 0;
  p.thread([&] { queue.pop(got); });
  p.thread([&] { queue.push(7); });
  p.check([&] { return got == 7; });
}
TEST(Tbb, BoundedQueueThatWaits) { expect_pass_within(bounded_queue_that_waits, 1); }

void hash_map(plumb::Program& p) {
  using Map = tbb::concurrent_hash_map<int, int>;
  Map map;
  std::array<bool, 2> inserted{};
  for (std::size_t i = 0; i < 2; ++i) {
    p.thread([&, i] {
      Map::accessor at;
      inserted[i] = map.insert(at, 1);
      at->second += 1;
    });
  }
  p.check([&] {
    Map::const_accessor at;
    return inserted[0] != inserted[1] && map.find(at, 1) && at->second == 2;
  });
}
TEST(Tbb, HashMap) { expect_pass_within(hash_map, 1); }

void unordered_map(plumb::Program& p) {
  tbb::concurrent_unordered_map<int, int> map;
  std::array<bool, 2> inserted{};
  for (std::size_t i = 0; i < 2; ++i) {
    p.thread([&, i] { inserted[i] = map.insert({1, static_cast<int>(i)}).second; });
  }
  p.check([&] { return inserted[0] != inserted[1] && map.size() == 1; });
}
TEST(Tbb, UnorderedMap) { expect_pass_within(unordered_map, 1); }

}  // namespace
