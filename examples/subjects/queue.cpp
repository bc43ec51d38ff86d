// A queue under one lock.
//
// Fault B of the Line-Up paper (figure 1): try_dequeue() takes the lock with a time-out, and says "empty"
// when time runs out. Time is the engine's, so that running out of it is one more choice of the scheduler.
#include <chrono>
#include <deque>
#include <mutex>
#include <optional>
#include <vector>

#include <plumb/plumb.hpp>

template <bool kGivesUp>
class LockedQueue {
 public:
  void enqueue(int value) {
    const std::lock_guard lock(mutex_);
    items_.push_back(value);
  }

  std::optional<int> try_dequeue() {
    std::unique_lock lock(mutex_, std::defer_lock);
    if constexpr (kGivesUp) {
      if (!lock.try_lock_for(std::chrono::milliseconds(1))) return std::nullopt;
    } else {
      lock.lock();
    }
    if (items_.empty()) return std::nullopt;
    const int first = items_.front();
    items_.pop_front();
    return first;
  }

  std::optional<int> try_peek() {
    const std::lock_guard lock(mutex_);
    if (items_.empty()) return std::nullopt;
    return items_.front();
  }

  std::size_t count() {
    const std::lock_guard lock(mutex_);
    return items_.size();
  }

  bool is_empty() { return count() == 0; }

  std::vector<int> to_array() {
    const std::lock_guard lock(mutex_);
    return {items_.begin(), items_.end()};
  }

 private:
  std::timed_mutex mutex_;
  std::deque<int> items_;
};

template <class Queue>
void define(plumb::Test<Queue>& test) {
  test.operation("enqueue", &Queue::enqueue, plumb::values(200, 400));
  test.operation("try_dequeue", &Queue::try_dequeue);
  test.operation("try_peek", &Queue::try_peek);
  test.operation("count", &Queue::count);
  test.operation("is_empty", &Queue::is_empty);
  test.operation("to_array", &Queue::to_array);
}

using CorrectQueue = LockedQueue<false>;
using TimeOutQueue = LockedQueue<true>;
PLUMB_TEST(CorrectQueue, test) { define(test); }
PLUMB_TEST(TimeOutQueue, test) { define(test); }

// The test of the paper's figure 1.
using Figure1 = LockedQueue<true>;
PLUMB_TEST(Figure1, test) {
  using plumb::call;
  define(test);
  test.scenario({{call("enqueue", 200), call("try_dequeue")}, {call("enqueue", 400), call("try_dequeue")}});
}
