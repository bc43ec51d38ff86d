// Boost.Lockfree as it comes. Races are not asked for: its free list writes plainly where a late reader still
// loads (and throws the value away). There is room for whatever a scenario pushes: a node that was popped but
// not yet given back counts as used, so that a small stack is full too early.
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>

#include "by_value.hpp"

using BoostQueue =
    ByValue<boost::lockfree::queue<int, boost::lockfree::fixed_sized<true>, boost::lockfree::capacity<16>>>;
PLUMB_TEST(BoostQueue, test) {
  push_and_pop(test);
  test.allow_races();
}

using BoostStack =
    ByValue<boost::lockfree::stack<int, boost::lockfree::fixed_sized<true>, boost::lockfree::capacity<16>>>;
PLUMB_TEST(BoostStack, test) {
  push_and_pop(test);
  test.allow_races();
}

// One producer, one consumer: two threads, and each scenario gives one of them all pushes, the other all
// pops.
using BoostSpscQueue = ByValue<boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>>>;
PLUMB_TEST(BoostSpscQueue, test) {
  test.operation("push", &BoostSpscQueue::push, plumb::values(1, 2)).one_thread("producer");
  test.operation("pop", &BoostSpscQueue::pop).one_thread("consumer");
}

// The same, used against its rules.
using TwoProducersSpsc = ByValue<boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>>>;
PLUMB_TEST(TwoProducersSpsc, test) {
  test.operation("push", &TwoProducersSpsc::push, plumb::values(1, 2));
  test.operation("pop", &TwoProducersSpsc::pop).one_thread("consumer");
}

// The race that is not asked for above: push() of one thread writes the link of a node that another is about to take from the free list.
PLUMB_TEST(BoostStack, test, "BoostStackFreeList") { push_and_pop(test); }
PLUMB_TEST(BoostQueue, test, "BoostQueueFreeList") { push_and_pop(test); }
