// Structures that are not relaxed, for comparison: Treiber's stack, the queue of Michael and Scott, and a
// queue for one thread. Memory is where their nodes come from: the few of an arena here, any number (Kept)
// where they run for long.
#pragma once

#include <atomic>
#include <optional>

#include "parts.hpp"

namespace quasi {

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};

template <template <class> class Memory>
class BasicTreiberStack {
 public:
  void put(int value) {
    Node* const node = nodes_.make();
    node->value = value;
    Node* top = top_.load();
    do {
      node->next.store(top);
    } while (!top_.compare_exchange_strong(top, node));
  }

  std::optional<int> take() {
    Node* top = top_.load();
    while (top != nullptr && !top_.compare_exchange_strong(top, top->next.load())) {
    }
    return top == nullptr ? std::nullopt : std::optional(top->value);
  }

 private:
  Memory<Node> nodes_;
  std::atomic<Node*> top_{nullptr};
};

template <template <class> class Memory>
class BasicMichaelScottQueue {
 public:
  void put(int value) {
    Node* const node = nodes_.make();
    node->value = value;
    while (true) {
      Node* last = tail_.load();
      Node* next = nullptr;
      if (last->next.compare_exchange_strong(next, node)) {
        tail_.compare_exchange_strong(last, node);
        return;
      }
      tail_.compare_exchange_strong(last, next);
    }
  }

  std::optional<int> take() {
    while (true) {
      Node* first = head_.load();
      Node* last = tail_.load();
      Node* const next = first->next.load();
      if (next == nullptr) return std::nullopt;
      if (first == last) {
        tail_.compare_exchange_strong(last, next);
      } else if (head_.compare_exchange_strong(first, next)) {
        return next->value;
      }
    }
  }

 private:
  Memory<Node> nodes_;
  std::atomic<Node*> head_{nodes_.make()};
  std::atomic<Node*> tail_{head_.load()};
};

// Atomic only so that wrong results are reported, not the races that cause them.
template <template <class> class Memory>
class BasicSingleThreadedQueue {
 public:
  void put(int value) {
    Node* const node = nodes_.make();
    node->value = value;
    tail_.load()->next.store(node);
    tail_.store(node);
  }

  std::optional<int> take() {
    Node* const next = head_.load()->next.load();
    if (next == nullptr) return std::nullopt;
    head_.store(next);
    return next->value;
  }

 private:
  Memory<Node> nodes_;
  std::atomic<Node*> head_{nodes_.make()};
  std::atomic<Node*> tail_{head_.load()};
};

using TreiberStack = BasicTreiberStack<SmallArena>;
using MichaelScottQueue = BasicMichaelScottQueue<SmallArena>;
using SingleThreadedQueue = BasicSingleThreadedQueue<SmallArena>;

}  // namespace quasi
