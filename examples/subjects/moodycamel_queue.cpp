// moodycamel::ConcurrentQueue as it comes. It keeps the order of each producer only, and says so: what two
// threads have put in one after the other may come out the other way round, which no queue does. It does so
// serially, too, so that only a model of a queue tells.
#include <optional>

#include <concurrentqueue/concurrentqueue.h>

#include <plumb/plumb.hpp>

class MoodycamelQueue {
 public:
  void enqueue(int value) { queue_.enqueue(value); }
  std::optional<int> dequeue() {
    int value = 0;
    return queue_.try_dequeue(value) ? std::optional(value) : std::nullopt;
  }

 private:
  moodycamel::ConcurrentQueue<int> queue_;
};
PLUMB_TEST(MoodycamelQueue, test) {
  test.operation("enqueue", &MoodycamelQueue::enqueue, plumb::values(1, 2));
  test.operation("dequeue", &MoodycamelQueue::dequeue);
  test.model("queue");
}
