// Two small libraries of queues as they come: atomic_queue, and moodycamel's readerwriterqueue.
#include <optional>

#include <atomic_queue/atomic_queue.h>
#include <readerwriterqueue/readerwriterqueue.h>

#include "by_value.hpp"

// Cells hold the values themselves, 0 means nothing; the second has a state beside each cell.
using AtomicQueue = ByValue<atomic_queue::AtomicQueue<int, 8>>;
PLUMB_TEST(AtomicQueue, test) { push_and_pop(test); }
using AtomicQueue2 = ByValue<atomic_queue::AtomicQueue2<int, 8>>;
PLUMB_TEST(AtomicQueue2, test) { push_and_pop(test); }
// As it is documented for several producers and consumers: in total order.
using AtomicQueueOrdered = ByValue<atomic_queue::AtomicQueue<int, 8, 0, true, true, true>>;
PLUMB_TEST(AtomicQueueOrdered, test) { push_and_pop(test); }

class ReaderWriterQueue {
 public:
  bool try_enqueue(int value) { return queue_.try_enqueue(value); }
  bool enqueue(int value) { return queue_.enqueue(value); }
  std::optional<int> dequeue() {
    int value = 0;
    return queue_.try_dequeue(value) ? std::optional(value) : std::nullopt;
  }

 private:
  moodycamel::ReaderWriterQueue<int, 4> queue_{1};
};
PLUMB_TEST(ReaderWriterQueue, test) {
  test.operation("try_enqueue", &ReaderWriterQueue::try_enqueue, plumb::values(1, 2)).one_thread("writer");
  test.operation("enqueue", &ReaderWriterQueue::enqueue, plumb::values(1, 2)).one_thread("writer");
  test.operation("dequeue", &ReaderWriterQueue::dequeue).one_thread("reader");
}
