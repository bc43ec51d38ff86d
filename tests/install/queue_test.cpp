// A user's first test: a queue with a fault, pop() asks and takes in two steps, and one without.
#include <mutex>
#include <optional>
#include <queue>

#include <plumb/plumb.hpp>

struct LockedQueue {
  std::mutex mutex;
  std::queue<int> items;
  void push(int value) {
    const std::lock_guard lock(mutex);
    items.push(value);
  }
  bool empty() {
    const std::lock_guard lock(mutex);
    return items.empty();
  }
  std::optional<int> pop() {
    const std::lock_guard lock(mutex);
    if (items.empty()) return std::nullopt;
    const int value = items.front();
    items.pop();
    return value;
  }
};

struct FaultyQueue : LockedQueue {
  int pop() {
    if (empty()) return -1;
    return LockedQueue::pop().value_or(-2);
  }
};

PLUMB_TEST(LockedQueue, test) {
  test.operation("push", &LockedQueue::push, plumb::values(1, 2));
  test.operation("pop", &LockedQueue::pop);
}
PLUMB_TEST(FaultyQueue, test) {
  test.operation("push", &FaultyQueue::push, plumb::values(1, 2));
  test.operation("pop", &FaultyQueue::pop);
}
