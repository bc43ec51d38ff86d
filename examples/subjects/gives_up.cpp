// Two structures that are right, and the same with a loop that gives up: faults that need three and four switches inside one operation,
// each right after another thread has changed what it read. Both come from LTest's examples.
//
// The queue of Michael and Scott (PODC 1996) says that it is empty after three rounds that failed; the stack of Treiber (IBM, 1986)
// drops the value after four.
#include <array>
#include <atomic>
#include <cstddef>
#include <limits>
#include <optional>

#include <plumb/plumb.hpp>

namespace {

constexpr int kForever = std::numeric_limits<int>::max();

}  // namespace

template <int kRounds>
class Queue {
 public:
  void push(int value) {
    Node* const node = &nodes_.at(used_.fetch_add(1));
    node->value = value;
    for (;;) {
      Node* last = tail_.load();
      Node* next = last->next.load();
      if (next != nullptr) {
        tail_.compare_exchange_strong(last, next);
      } else if (last->next.compare_exchange_strong(next, node)) {
        tail_.compare_exchange_strong(last, node);
        return;
      }
    }
  }

  std::optional<int> pop() {
    for (int round = 0; round < kRounds; ++round) {
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
    return std::nullopt;
  }

 private:
  struct Node {
    int value = 0;
    std::atomic<Node*> next{nullptr};
  };

  std::array<Node, 64> nodes_;  // no address comes twice
  std::atomic<std::size_t> used_{1};
  std::atomic<Node*> head_{nodes_.data()};
  std::atomic<Node*> tail_{nodes_.data()};
};

template <int kRounds>
class Stack {
 public:
  void push(int value) {
    Node* const node = &nodes_.at(used_.fetch_add(1));
    node->value = value;
    for (int round = 0; round < kRounds; ++round) {
      node->next = top_.load();
      if (top_.compare_exchange_strong(node->next, node)) return;
    }
  }

  std::optional<int> pop() {
    for (;;) {
      Node* first = top_.load();
      if (first == nullptr) return std::nullopt;
      if (top_.compare_exchange_strong(first, first->next)) return first->value;
    }
  }

 private:
  struct Node {
    int value = 0;
    Node* next = nullptr;
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

using PatientQueue = Queue<kForever>;
using GivesUpQueue = Queue<3>;
using PatientStack = Stack<kForever>;
using GivesUpStack = Stack<4>;
PLUMB_TEST(PatientQueue, test) { define(test); }
PLUMB_TEST(GivesUpQueue, test) { define(test); }
PLUMB_TEST(PatientStack, test) { define(test); }
PLUMB_TEST(GivesUpStack, test) { define(test); }
