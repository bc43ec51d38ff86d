// The queue of Michael and Scott (PODC 1996): a list with a dummy in front, changed by compare and swap at
// both ends. Nodes come from an arena that lives as long as the queue, so that nobody reads what was freed
// and no address comes twice.
//
// The fault: the link to the new node is stored, not swapped in, so that of two nodes linked at once one is
// lost.
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include <plumb/plumb.hpp>

template <bool kStoresLink>
class MichaelScottQueue {
 public:
  void enqueue(int value) {
    Node* const node = &nodes_.at(used_.fetch_add(1));
    node->value = value;
    for (;;) {
      Node* last = tail_.load();
      Node* next = last->next.load();
      if (next != nullptr) {
        tail_.compare_exchange_strong(last, next);
        continue;
      }
      if constexpr (kStoresLink) {
        last->next.store(node);
      } else if (!last->next.compare_exchange_strong(next, node)) {
        continue;
      }
      tail_.compare_exchange_strong(last, node);
      return;
    }
  }

  std::optional<int> try_dequeue() {
    for (;;) {
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

  std::optional<int> try_peek() const {
    for (;;) {
      const Node* const first = head_.load();
      const Node* const next = first->next.load();
      if (next == nullptr) return std::nullopt;
      if (first == head_.load()) return next->value;
    }
  }

 private:
  struct Node {
    int value = 0;
    std::atomic<Node*> next{nullptr};
  };

  std::array<Node, 16> nodes_;
  std::atomic<std::size_t> used_{1};
  std::atomic<Node*> head_{nodes_.data()};
  std::atomic<Node*> tail_{nodes_.data()};
};

template <class Queue>
void define(plumb::Test<Queue>& test) {
  test.operation("enqueue", &Queue::enqueue, plumb::values(1, 2));
  test.operation("try_dequeue", &Queue::try_dequeue);
  test.operation("try_peek", &Queue::try_peek);
}

using CorrectLockFreeQueue = MichaelScottQueue<false>;
using LostNodeQueue = MichaelScottQueue<true>;
PLUMB_TEST(CorrectLockFreeQueue, test) { define(test); }
PLUMB_TEST(LostNodeQueue, test) { define(test); }
