// Local variables that other threads use while their function waits: nothing is wrong with that.
#include <array>
#include <atomic>
#include <condition_variable>
#include <future>
#include <mutex>
#include <thread>

#include "explore/programs.hpp"

namespace {

__attribute__((noinline)) int call_deeper(const std::atomic<int*>& slot, int depth) {
  std::array<int, 8> locals{};
  locals[static_cast<std::size_t>(depth % 8)] = depth;
  if (depth == 0) {
    while (slot.load() != nullptr) {
    }
    return 0;
  }
  return call_deeper(slot, depth - 1) + locals[static_cast<std::size_t>(depth % 8)];
}

// The variable lives as long as the function that lends it, in whatever deeper function the thread stands.
TEST(LentVariables, AreLentWhileTheFunctionWaits) {
  const auto result = plumb::explore([](plumb::Program& p) {
    std::atomic<int*> slot{nullptr};
    p.thread([&] {
      int local = 7;
      slot.store(&local);
      p.require(call_deeper(slot, 3) == 6, "the sum of the depths");
      p.require(local == 8, "the other one had it");
    });
    p.thread([&] {
      int* borrowed = slot.load();
      while (borrowed == nullptr) borrowed = slot.load();
      ++*borrowed;
      slot.store(nullptr);
    });
    p.check([] { return true; });
  });
  EXPECT_TRUE(result.passed()) << result.text();
}

// Wait nodes on the stacks of those who wait, as MCS locks have them.
struct Node {
  std::atomic<Node*> next{nullptr};
  std::atomic<bool> waits{true};
};
class Mcs {
 public:
  void lock(Node& node) {
    Node* before = tail_.exchange(&node);
    if (before == nullptr) return;
    before->next.store(&node);
    while (node.waits.load()) {
    }
  }
  void unlock(Node& node) {
    Node* expected = &node;
    if (node.next.load() == nullptr && tail_.compare_exchange_strong(expected, nullptr)) return;
    Node* after = node.next.load();
    while (after == nullptr) after = node.next.load();
    after->waits.store(false);
  }

 private:
  std::atomic<Node*> tail_{nullptr};
};
TEST(LentVariables, NodesOfAQueueLock) {
  const auto result = plumb::explore([](plumb::Program& p) {
    Mcs mcs;
    int count = 0;
    const auto increment = [&] {
      Node node;
      mcs.lock(node);
      ++count;
      mcs.unlock(node);
    };
    p.thread(increment);
    p.thread(increment);
    p.check([&] { return count == 2; });
  });
  EXPECT_TRUE(result.passed()) << result.text();
}

// A lock and a condition on the stack of who waits there; a promise, whose state is not.
TEST(LentVariables, WhoWaitsOnItsOwn) {
  const auto program = [](plumb::Program& p) {
    bool ready = false;
    std::mutex mutex;
    std::condition_variable condition;
    std::thread other([&] {
      const std::scoped_lock lock(mutex);
      ready = true;
      condition.notify_one();
    });
    {
      std::unique_lock lock(mutex);
      condition.wait(lock, [&] { return ready; });
    }
    other.join();
    std::promise<int> promise;
    std::thread third([&promise] { promise.set_value(7); });
    p.require(promise.get_future().get() == 7, "its value");
    third.join();
  };
  for (const bool real_threads : {false, true}) {
    const auto result = plumb::explore(program, {.preemptions = 2, .real_threads = real_threads});
    EXPECT_TRUE(result.passed()) << result.text();
  }
}

}  // namespace
