// Boost.Lockfree as it comes: a queue and a stack, two threads with two operations each. Everything pushed
// is popped once. Races are not asked for: its free list writes plainly where a late reader still loads
// (and throws the value away).
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>

#include <array>
#include <numeric>

#include "explore/programs.hpp"

namespace {

template <class Container>
void push_and_pop(plumb::Program& p) {
  Container container(4);
  std::array<int, 3> popped{};
  for (std::size_t i = 0; i < 2; ++i) {
    p.thread([&, i] {
      container.push(static_cast<int>(i) + 1);
      container.pop(popped[i]);
    });
  }
  p.check([&] {
    container.pop(popped[2]);
    return std::accumulate(popped.begin(), popped.end(), 0) == 3;
  });
}

TEST(BoostLockfree, QueueWithinTwoPreemptions) {
  const auto result =
      plumb::explore(push_and_pop<boost::lockfree::queue<int>>,
                     {.order = plumb::SearchOrder::kDepthFirst, .preemptions = 2, .races = false});
  EXPECT_TRUE(result.passed()) << result.text();
}

TEST(BoostLockfree, StackWithinTwoPreemptions) {
  const auto result =
      plumb::explore(push_and_pop<boost::lockfree::stack<int>>,
                     {.order = plumb::SearchOrder::kDepthFirst, .preemptions = 2, .races = false});
  EXPECT_TRUE(result.passed()) << result.text();
}

// One producer, one consumer: here races are asked for.
void single(plumb::Program& p) {
  boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>> queue;
  std::array<int, 3> popped{};
  p.thread([&] {
    for (int i = 1; i <= 3; ++i) queue.push(i);
  });
  p.thread([&] {
    std::size_t count = 0;
    for (int i = 0; i < 3; ++i) count += queue.pop(popped[count]) ? 1 : 0;
    for (std::size_t i = 1; i < count; ++i) p.require(popped[i - 1] < popped[i], "in order");
  });
  p.check([&] { return popped[0] <= 1; });
}
TEST(BoostLockfree, SingleProducerQueue) {
  const auto result = plumb::explore(single);
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}

}  // namespace
