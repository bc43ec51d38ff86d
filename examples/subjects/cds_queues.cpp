// Two queues of libcds as they come, of those that need no thread to be attached.
#include <optional>

#include <cds/container/rwqueue.h>
#include <cds/container/vyukov_mpmc_cycle_queue.h>

#include <plumb/plumb.hpp>

// One lock for each end.
class CdsRwQueue {
 public:
  bool enqueue(int value) { return queue_.enqueue(value); }
  std::optional<int> dequeue() {
    int value = 0;
    return queue_.dequeue(value) ? std::optional(value) : std::nullopt;
  }

 private:
  struct Traits : cds::container::rwqueue::traits {
    using lock_type = std::mutex;
  };
  cds::container::RWQueue<int, Traits> queue_;
};
PLUMB_TEST(CdsRwQueue, test) {
  test.operation("enqueue", &CdsRwQueue::enqueue, plumb::values(1, 2));
  test.operation("dequeue", &CdsRwQueue::dequeue);
}

// Vyukov's bounded queue, which elsewhere may seem empty while a cell is taken but not filled.
// libcds waits for that cell.
class CdsVyukovQueue {
 public:
  bool enqueue(int value) { return queue_.enqueue(value); }
  std::optional<int> dequeue() {
    int value = 0;
    return queue_.dequeue(value) ? std::optional(value) : std::nullopt;
  }

 private:
  cds::container::VyukovMPMCCycleQueue<int> queue_{8};
};
PLUMB_TEST(CdsVyukovQueue, test) {
  test.operation("enqueue", &CdsVyukovQueue::enqueue, plumb::values(1, 2));
  test.operation("dequeue", &CdsVyukovQueue::dequeue);
}
