// The structures of gives_up.cpp with one line changed, as one changes lines by mistake: what any strategy finds of them the default is to
// find, too (benchmarks/portfolio.py).
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include <plumb/plumb.hpp>

enum class Mutation {
  kDroppedRetry,   // a compare-exchange that fails is not tried again
  kEarlyExit,      // after two rounds
  kSwappedLines,   // what has to be written first comes second
  kLostExchange,   // a store in the place of a compare-exchange
  kDroppedReread,  // what was read before the loop is not read again
};

template <Mutation kMutation>
class MutantQueue {
 public:
  void push(int value) {
    Node* const node = &nodes_.at(used_.fetch_add(1));
    node->value = value;
    for (int round = 0;; ++round) {
      if (kMutation == Mutation::kEarlyExit && round == 2) return;
      Node* last = tail_.load();
      Node* next = last->next.load();
      if (next != nullptr) {
        tail_.compare_exchange_strong(last, next);
        continue;
      }
      if (kMutation == Mutation::kSwappedLines) {
        if (!tail_.compare_exchange_strong(last, node)) continue;
        last->next.store(node);
        return;
      }
      if (kMutation == Mutation::kLostExchange) {
        last->next.store(node);
      } else if (!last->next.compare_exchange_strong(next, node)) {
        if (kMutation == Mutation::kDroppedRetry) return;
        continue;
      }
      tail_.compare_exchange_strong(last, node);
      return;
    }
  }

  std::optional<int> pop() {
    Node* first = head_.load();
    for (;;) {
      if (kMutation != Mutation::kDroppedReread) first = head_.load();
      Node* last = tail_.load();
      Node* const next = first->next.load();
      if (next == nullptr) return std::nullopt;
      if (first == last) {
        tail_.compare_exchange_strong(last, next);
        continue;
      }
      Node* expected = first;
      if (head_.compare_exchange_strong(expected, next)) return next->value;
      if (kMutation == Mutation::kDroppedReread) return next->value;
    }
  }

 private:
  struct Node {
    int value = 0;
    std::atomic<Node*> next{nullptr};
  };

  std::array<Node, 64> nodes_;
  std::atomic<std::size_t> used_{1};
  std::atomic<Node*> head_{nodes_.data()};
  std::atomic<Node*> tail_{nodes_.data()};
};

template <Mutation kMutation>
class MutantStack {
 public:
  void push(int value) {
    Node* const node = &nodes_.at(used_.fetch_add(1));
    node->value = value;
    Node* next = top_.load();
    node->next.store(next);
    for (int round = 0;; ++round) {
      if (kMutation == Mutation::kEarlyExit && round == 2) return;
      if (kMutation == Mutation::kLostExchange) {
        top_.store(node);
        return;
      }
      if (kMutation == Mutation::kSwappedLines) {
        if (!top_.compare_exchange_strong(next, node)) continue;
        node->next.store(next);
        return;
      }
      if (top_.compare_exchange_strong(next, node)) return;
      if (kMutation == Mutation::kDroppedRetry) return;
      if (kMutation != Mutation::kDroppedReread) node->next.store(next);
    }
  }

  std::optional<int> pop() {
    for (;;) {
      Node* first = top_.load();
      if (first == nullptr) return std::nullopt;
      if (top_.compare_exchange_strong(first, first->next.load())) return first->value;
    }
  }

 private:
  struct Node {
    int value = 0;
    std::atomic<Node*> next{nullptr};
  };

  std::array<Node, 64> nodes_;
  std::atomic<std::size_t> used_{0};
  std::atomic<Node*> top_{nullptr};
};

template <class S>
void define(plumb::Test<S>& test) {
  test.operation("push", &S::push, plumb::values(1, 2));
  test.operation("pop", &S::pop);
}

using QueueDroppedRetry = MutantQueue<Mutation::kDroppedRetry>;
using QueueEarlyExit = MutantQueue<Mutation::kEarlyExit>;
using QueueSwappedLines = MutantQueue<Mutation::kSwappedLines>;
using QueueLostExchange = MutantQueue<Mutation::kLostExchange>;
using QueueDroppedReread = MutantQueue<Mutation::kDroppedReread>;
using StackDroppedRetry = MutantStack<Mutation::kDroppedRetry>;
using StackEarlyExit = MutantStack<Mutation::kEarlyExit>;
using StackSwappedLines = MutantStack<Mutation::kSwappedLines>;
using StackLostExchange = MutantStack<Mutation::kLostExchange>;
using StackDroppedReread = MutantStack<Mutation::kDroppedReread>;
PLUMB_TEST(QueueDroppedRetry, test) { define(test); }
PLUMB_TEST(QueueEarlyExit, test) { define(test); }
PLUMB_TEST(QueueSwappedLines, test) { define(test); }
PLUMB_TEST(QueueLostExchange, test) { define(test); }
PLUMB_TEST(QueueDroppedReread, test) { define(test); }
PLUMB_TEST(StackDroppedRetry, test) { define(test); }
PLUMB_TEST(StackEarlyExit, test) { define(test); }
PLUMB_TEST(StackSwappedLines, test) { define(test); }
PLUMB_TEST(StackLostExchange, test) { define(test); }
PLUMB_TEST(StackDroppedReread, test) { define(test); }
