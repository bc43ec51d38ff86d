// Boost.Lockfree as it comes. Races are not asked for: its free list writes plainly where a late reader still
// loads (and throws the value away). There is room for whatever a scenario pushes: a node that was popped but
// not yet given back counts as used, so that a small stack is full too early.
#include <optional>

#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <boost/lockfree/stack.hpp>

#include <plumb/plumb.hpp>

template <class Container>
class Boost {
 public:
  bool push(int value) { return container_.push(value); }
  std::optional<int> pop() {
    int value = 0;
    return container_.pop(value) ? std::optional(value) : std::nullopt;
  }

 private:
  Container container_;
};

using BoostQueue =
    Boost<boost::lockfree::queue<int, boost::lockfree::fixed_sized<true>, boost::lockfree::capacity<16>>>;
PLUMB_TEST(BoostQueue, test) {
  test.operation("push", &BoostQueue::push, plumb::values(1, 2));
  test.operation("pop", &BoostQueue::pop);
  test.allow_races();
}

using BoostStack =
    Boost<boost::lockfree::stack<int, boost::lockfree::fixed_sized<true>, boost::lockfree::capacity<16>>>;
PLUMB_TEST(BoostStack, test) {
  test.operation("push", &BoostStack::push, plumb::values(1, 2));
  test.operation("pop", &BoostStack::pop);
  test.allow_races();
}

// One producer, one consumer: two threads, and each scenario gives one of them all pushes, the other all
// pops.
using BoostSpscQueue = Boost<boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>>>;
PLUMB_TEST(BoostSpscQueue, test) {
  test.operation("push", &BoostSpscQueue::push, plumb::values(1, 2)).one_thread("producer");
  test.operation("pop", &BoostSpscQueue::pop).one_thread("consumer");
}

// The same, used against its rules.
using TwoProducersSpsc = Boost<boost::lockfree::spsc_queue<int, boost::lockfree::capacity<2>>>;
PLUMB_TEST(TwoProducersSpsc, test) {
  test.operation("push", &TwoProducersSpsc::push, plumb::values(1, 2));
  test.operation("pop", &TwoProducersSpsc::pop).one_thread("consumer");
}
