// The stacks and queues that the LiMo paper records (section 7), each with its test, and a queue that is
// wrong.
#include "../kept.hpp"
#include "../quasi/classic.hpp"
#include "coarse.hpp"
#include "time_stamped_stack.hpp"

#include <plumb/plumb.hpp>

using namespace limo;
using TreiberStack = quasi::BasicTreiberStack<Kept>;
using TimeStampedStack = BasicTimeStampedStack<false, 5>;  // that many threads
using ClockGoesBackStack = BasicTimeStampedStack<true, 5>;
using MichaelScottQueue = quasi::BasicMichaelScottQueue<Kept>;
using SingleThreadedQueue = quasi::BasicSingleThreadedQueue<Kept>;

template <class Stack>
void stack(plumb::Test<Stack>& test) {
  test.operation("push", &Stack::put, plumb::values(1, 2));
  test.operation("pop", &Stack::take);
  test.model("stack");
}

template <class Queue>
void queue(plumb::Test<Queue>& test) {
  test.operation("enqueue", &Queue::put, plumb::values(1, 2));
  test.operation("dequeue", &Queue::take);
  test.model("queue");
}

PLUMB_TEST(CoarseStack, test) { stack(test); }
PLUMB_TEST(TreiberStack, test) { stack(test); }
PLUMB_TEST(TimeStampedStack, test) { stack(test); }
PLUMB_TEST(ClockGoesBackStack, test) { stack(test); }
PLUMB_TEST(CoarseQueue, test) { queue(test); }
PLUMB_TEST(MichaelScottQueue, test) { queue(test); }
PLUMB_TEST(SingleThreadedQueue, test) { queue(test); }
