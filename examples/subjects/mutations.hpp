// Two structures that are right, and the same with one line changed, as one changes lines by mistake. The queue is that of Michael and
// Scott (PODC 1996), the stack that of Treiber (IBM, 1986); no address comes twice, so that nothing else is wrong with them.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include <plumb/plumb.hpp>

enum class Mutation {
  kNone,
  kGivesUp,  // after three rounds `pop` of the queue says that it is empty; after four `push` of the stack drops the value
  kDroppedRetry,   // a compare-exchange that fails is not tried again
  kEarlyExit,      // `push` drops the value after two rounds
  kSwappedLines,   // what has to be written first comes second
  kLostExchange,   // a store in the place of a compare-exchange
  kDroppedReread,  // what was read before the loop is not read again
};

template <Mutation kMutation>
class Queue {
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
    Node* first = kMutation == Mutation::kDroppedReread ? head_.load() : nullptr;
    for (int round = 0;; ++round) {
      if (kMutation == Mutation::kGivesUp && round == 3) return std::nullopt;
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
class Stack {
 public:
  void push(int value) {
    Node* const node = &nodes_.at(used_.fetch_add(1));
    node->value = value;
    Node* next = top_.load();
    node->next.store(next);
    for (int round = 0;; ++round) {
      if (kMutation == Mutation::kEarlyExit && round == 2) return;
      if (kMutation == Mutation::kGivesUp && round == 4) return;
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
