// Two structures as users write them, for the search of states (states.py): each keeps all nodes that were ever made in a list of its own,
// from which the destructor frees them. That list is state, too: in which order nodes were hung into it.
#include <atomic>
#include <optional>

#include <plumb/plumb.hpp>

template <class Node>
class KeptNodes {
 public:
  KeptNodes() = default;
  KeptNodes(const KeptNodes&) = delete;
  KeptNodes& operator=(const KeptNodes&) = delete;
  ~KeptNodes() {
    for (Node* node = all_.load(); node != nullptr;) {
      Node* const older = node->older;
      delete node;
      node = older;
    }
  }

  Node* make(int value) {
    Node* const node = new Node;
    node->value = value;
    node->older = all_.load();
    while (!all_.compare_exchange_weak(node->older, node)) {
    }
    return node;
  }

 private:
  std::atomic<Node*> all_{nullptr};
};

class TreiberStack {
 public:
  void push(int value) {
    Node* const node = nodes_.make(value);
    node->next = top_.load();
    while (!top_.compare_exchange_weak(node->next, node)) {
    }
  }
  std::optional<int> pop() {
    Node* top = top_.load();
    while (top != nullptr && !top_.compare_exchange_weak(top, top->next)) {
    }
    return top == nullptr ? std::nullopt : std::optional(top->value);
  }

 private:
  struct Node {
    int value = 0;
    Node* next = nullptr;
    Node* older = nullptr;
  };
  KeptNodes<Node> nodes_;
  std::atomic<Node*> top_{nullptr};
};

class MichaelScottQueue {
 public:
  void enqueue(int value) {
    Node* const node = nodes_.make(value);
    for (;;) {
      Node* last = tail_.load();
      Node* next = last->next.load();
      if (last != tail_.load()) continue;
      if (next != nullptr) {
        tail_.compare_exchange_weak(last, next);
      } else if (last->next.compare_exchange_weak(next, node)) {
        tail_.compare_exchange_strong(last, node);
        return;
      }
    }
  }
  std::optional<int> dequeue() {
    for (;;) {
      Node* first = head_.load();
      Node* last = tail_.load();
      Node* const next = first->next.load();
      if (first != head_.load()) continue;
      if (next == nullptr) return std::nullopt;
      if (first == last) {
        tail_.compare_exchange_weak(last, next);
      } else if (head_.compare_exchange_weak(first, next)) {
        return next->value;
      }
    }
  }

 private:
  struct Node {
    int value = 0;
    std::atomic<Node*> next{nullptr};
    Node* older = nullptr;
  };
  KeptNodes<Node> nodes_;
  std::atomic<Node*> head_{nodes_.make(0)};
  std::atomic<Node*> tail_{head_.load()};
};

PLUMB_TEST(TreiberStack, test) {
  test.operation("push", &TreiberStack::push, plumb::values(1, 2));
  test.operation("pop", &TreiberStack::pop);
}
PLUMB_TEST(MichaelScottQueue, test) {
  test.operation("enqueue", &MichaelScottQueue::enqueue, plumb::values(1, 2));
  test.operation("dequeue", &MichaelScottQueue::dequeue);
}
