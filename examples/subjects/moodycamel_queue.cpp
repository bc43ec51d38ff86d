// moodycamel::ConcurrentQueue as it comes. It keeps the order of each producer only, and says so: what two
// threads have put in one after the other may come out the other way round, which no queue does. It does so
// serially, too, so that only a model of a queue tells.
#include <algorithm>
#include <deque>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

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

// What it does promise: the elements of one thread in their order, whoever takes them.
struct QueueOfEachProducer {
  std::vector<std::pair<plumb::Process, std::deque<int>>> queues;  // none is empty

  void enqueue(plumb::Process producer, int value) {
    auto own = std::ranges::find(queues, producer, [](const auto& queue) { return queue.first; });
    if (own == queues.end()) own = queues.insert(own, {producer, {}});
    own->second.push_back(value);
  }
  [[nodiscard]] plumb::Choices<std::optional<int>, QueueOfEachProducer> dequeue() const {
    plumb::Choices<std::optional<int>, QueueOfEachProducer> choices;
    if (queues.empty()) choices.add(std::nullopt, *this);
    for (std::size_t i = 0; i < queues.size(); ++i) {
      QueueOfEachProducer after = *this;
      std::deque<int>& queue = after.queues[i].second;
      const int first = queue.front();
      queue.pop_front();
      if (queue.empty()) after.queues.erase(after.queues.begin() + static_cast<std::ptrdiff_t>(i));
      choices.add(first, after);
    }
    return choices;
  }
  auto fields() const { return std::tie(queues); }
};
PLUMB_MODEL(QueueOfEachProducer, model) {
  model.operation("enqueue", &QueueOfEachProducer::enqueue);
  model.operation("dequeue", &QueueOfEachProducer::dequeue);
}
// Elements that are on their way need not be found.
PLUMB_TEST(MoodycamelQueue, test, "MoodycamelQueueOfEachProducer") {
  test.operation("enqueue", &MoodycamelQueue::enqueue, plumb::values(1, 2));
  test.operation("dequeue", &MoodycamelQueue::dequeue).may_fail_when_contended();
  test.model<QueueOfEachProducer>();
}
