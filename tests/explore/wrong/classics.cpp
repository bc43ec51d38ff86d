// The programs of the textbooks, each with the mistake that is usually made.
#include <array>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "explore/programs.hpp"

namespace {

using plumb::FindingKind;
using plumb_tests::expect_found;

// Without the flag that says that somebody is choosing, both can believe to be first.
void bakery_without_choosing(plumb::Program& p) {
  std::array<std::atomic<int>, 2> number{};
  int n = 0;
  for (std::size_t me = 0; me < 2; ++me) {
    p.thread([&, me] {
      const std::size_t other = 1 - me;
      number[me] = number[other] + 1;
      for (;;) {
        const int theirs = number[other];
        if (theirs == 0 || std::pair(theirs, other) > std::pair(number[me].load(), me)) break;
      }
      ++n;
      number[me] = 0;
    });
  }
  p.check([&] { return n == 2; });
}
TEST(Classics, BakeryWithoutChoosing) { expect_found(bakery_without_choosing, FindingKind::kRace); }

// The data of a seqlock is read while it is written: plain variables race.
void seqlock_with_plain_data(plumb::Program& p) {
  std::atomic<unsigned> count{0};
  int x = 0;
  p.thread([&] {
    count.fetch_add(1);
    x = 1;
    count.fetch_add(1);
  });
  p.thread([&] {
    const unsigned before = count;
    const int seen = x;
    if (before % 2 == 0 && count == before) p.require(seen == static_cast<int>(before) / 2, "whole");
  });
  p.check([] { return true; });
}
TEST(Classics, SeqlockWithPlainData) { expect_found(seqlock_with_plain_data, FindingKind::kRace); }

// It forgets to look at the count again.
void seqlock_that_looks_once(plumb::Program& p) {
  std::atomic<unsigned> count{0};
  std::atomic<int> x{0};
  std::atomic<int> y{0};
  p.thread([&] {
    count.fetch_add(1);
    x = 1;
    y = 1;
    count.fetch_add(1);
  });
  p.thread([&] {
    if (count % 2 == 1) return;
    const int seen = x;
    p.require(seen == y, "what was read belongs together");
  });
  p.check([] { return true; });
}
TEST(Classics, SeqlockThatLooksOnce) { expect_found(seqlock_that_looks_once, FindingKind::kCheck); }

// Looks whether somebody writes, then counts itself: two steps.
void reader_writer_lock(plumb::Program& p) {
  std::atomic<int> readers{0};
  std::atomic<bool> writing{false};
  int data = 0;
  p.thread([&] {
    while (readers != 0) {
    }
    writing = true;
    ++data;
    writing = false;
  });
  p.thread([&] {
    while (writing) {
    }
    readers.fetch_add(1);
    p.require(data >= 0, "readable");
    readers.fetch_sub(1);
  });
  p.check([&] { return data == 1; });
}
TEST(Classics, ReaderWriterLockInTwoSteps) { expect_found(reader_writer_lock, FindingKind::kRace); }

// A barrier without a sense: who comes round first takes the count of the next phase for that of the last.
void barrier_used_twice(plumb::Program& p) {
  std::atomic<int> waiting{0};
  for (int i = 0; i < 2; ++i) {
    p.thread([&] {
      for (int round = 0; round < 2; ++round) {
        if (waiting.fetch_add(1) == 1) {
          waiting = 0;
        } else {
          while (waiting != 0) {
          }
        }
      }
    });
  }
  p.check([] { return true; });
}
TEST(Classics, BarrierUsedTwice) { expect_found(barrier_used_twice, FindingKind::kDeadlock); }

// The flag is set without the mutex: a worker that has just looked goes to sleep forever.
void pool_that_does_not_stop(plumb::Program& p) {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> stopped{false};
  p.thread([&] {
    std::thread worker([&] {
      std::unique_lock lock(mutex);
      while (!stopped) changed.wait(lock);
    });
    stopped = true;
    changed.notify_all();
    worker.join();
  });
  p.check([&] { return stopped.load(); });
}
TEST(Classics, PoolThatDoesNotStop) { expect_found(pool_that_does_not_stop, FindingKind::kDeadlock); }

// Michael and Scott's queue, whose nodes are freed as soon as they are taken off: others still look at them.
struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};
struct Queue {
  std::atomic<Node*> head{new Node};
  std::atomic<Node*> tail{head.load()};

  Queue() = default;
  ~Queue() {
    for (Node* node = head; node != nullptr;) delete std::exchange(node, node->next.load());
  }
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  void enqueue(Node* node) {
    for (;;) {
      Node* last = tail.load();
      Node* next = last->next.load();
      if (next != nullptr) {
        tail.compare_exchange_strong(last, next);
      } else if (last->next.compare_exchange_strong(next, node)) {
        tail.compare_exchange_strong(last, node);
        return;
      }
    }
  }
  template <bool kFrees>
  int dequeue() {
    for (;;) {
      Node* first = head.load();
      Node* next = first->next.load();
      if (next == nullptr) return 0;
      const int value = next->value;
      if (!head.compare_exchange_strong(first, next)) continue;
      if (kFrees) delete first;
      return value;
    }
  }
};
void frees_at_once(plumb::Program& p) {
  Queue queue;
  for (int i = 1; i <= 2; ++i) queue.enqueue(new Node{i});
  for (int i = 0; i < 2; ++i) p.thread([&] { queue.dequeue<true>(); });
  p.check([] { return true; });
}
TEST(MichaelScott, FreesAtOnce) { expect_found(frees_at_once, FindingKind::kUseAfterFree); }

// The tail is moved forward by whoever finds it behind: here the head overtakes it, and the next node is lost with it.
void head_overtakes_tail(plumb::Program& p) {
  Queue queue;
  Node* first = queue.head;
  p.thread([&] { queue.enqueue(new Node{1}); });
  p.thread([&] { queue.dequeue<false>(); });
  p.check([&] { return queue.tail == queue.head || queue.head == first; });
}
TEST(MichaelScott, HeadOvertakesTail) {
  const auto result = plumb_tests::explore_and_replay(head_overtakes_tail, {.leaks = false});
  EXPECT_TRUE(result.passed()) << result.text();  // at rest it is well again
  const auto halfway = plumb_tests::explore_and_replay(
      [](plumb::Program& p) {
        Queue queue;
        p.thread([&] { queue.enqueue(new Node{1}); });
        p.thread([&] {
          if (queue.dequeue<false>() != 0)
            p.require(queue.tail.load() == queue.head.load(), "the tail is not behind the head");
        });
        p.check([] { return true; });
      },
      {.leaks = false});
  EXPECT_EQ(halfway.kind, FindingKind::kCheck) << halfway.text();
}

// A weak pointer's lock is right; to take the raw pointer out of a shared one that others reset is not.
void raw_pointer_of_a_shared_one(plumb::Program& p) {
  std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(1)};
  p.thread([&] { shared.store(nullptr); });
  p.thread([&] {
    const int* raw = shared.load().get();
    if (raw != nullptr) p.require(*raw == 1, "it lives");
  });
  p.check([] { return true; });
}
// What the pointer points to is not ordered by anything but the pointer.
void written_after_it_is_shared(plumb::Program& p) {
  std::atomic<std::shared_ptr<int>> shared{std::make_shared<int>(1)};
  p.thread([&] { *shared.load() = 2; });
  p.thread([&] { p.require(*shared.load() > 0, "readable"); });
  p.check([] { return true; });
}
TEST(Classics, WrittenAfterItIsShared) { expect_found(written_after_it_is_shared, FindingKind::kRace); }

TEST(Classics, RawPointerOfASharedOne) {
  const auto result = plumb_tests::explore_and_replay(raw_pointer_of_a_shared_one);
  EXPECT_TRUE(result.kind == FindingKind::kUseAfterFree || result.kind == FindingKind::kRace)
      << result.text();
}

}  // namespace
