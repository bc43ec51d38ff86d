// moodycamel's queues as they come.
#include <concurrentqueue/blockingconcurrentqueue.h>
#include <concurrentqueue/concurrentqueue.h>

#include <array>
#include <numeric>

#include "explore/programs.hpp"

namespace {

void push_and_pop(plumb::Program& p) {
  moodycamel::ConcurrentQueue<int> queue;
  std::array<int, 3> popped{};
  for (std::size_t i = 0; i < 2; ++i) {
    p.thread([&, i] {
      queue.enqueue(static_cast<int>(i) + 1);
      queue.try_dequeue(popped[i]);
    });
  }
  p.check([&] {
    queue.try_dequeue(popped[2]);
    return std::accumulate(popped.begin(), popped.end(), 0) == 3;
  });
}
TEST(Moodycamel, Queue) {
  const auto result = plumb::explore(push_and_pop, {.preemptions = 1});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  EXPECT_GT(result.executions, 2);
}

void blocking(plumb::Program& p) {
  moodycamel::BlockingConcurrentQueue<int> queue;
  int got = 0;
  p.thread([&] { queue.wait_dequeue(got); });
  p.thread([&] { queue.enqueue(7); });
  p.check([&] { return got == 7; });
}
TEST(Moodycamel, BlockingQueue) {
  const auto result = plumb::explore(blocking, {.preemptions = 1});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  EXPECT_GT(result.executions, 2);
}

}  // namespace
