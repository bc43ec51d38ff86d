// A lock-free stack (Treiber's) that pushes and pops whole ranges at once. A node never changes after it
// was published, so whoever has read the top holds a snapshot: count() and to_array() need no lock. Nodes
// live as long as the stack.
//
// The fault: push_range() pushes its values one by one, so that others see half of a range.
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>
#include <vector>

#include <plumb/plumb.hpp>

template <bool kOneByOne>
class TreiberStack {
 public:
  void push(int value) {
    Node* const node = make(value);
    publish(node, node);
  }

  // The last one is on top.
  void push_range(const std::vector<int>& values) {
    if constexpr (kOneByOne) {
      for (const int value : values) push(value);
    } else {
      Node* bottom = nullptr;
      Node* top = nullptr;
      for (const int value : values) {
        Node* const node = make(value);
        node->next = top;
        top = node;
        if (bottom == nullptr) bottom = node;
      }
      if (top != nullptr) publish(top, bottom);
    }
  }

  std::optional<int> try_pop() {
    const std::vector<int> popped = try_pop_range(1);
    return popped.empty() ? std::nullopt : std::optional(popped.front());
  }

  // As many as there are, at most so many.
  std::vector<int> try_pop_range(std::size_t most) {
    Node* top = top_.load();
    Node* rest = nullptr;
    std::vector<int> popped;
    do {
      popped.clear();
      for (rest = top; rest != nullptr && popped.size() < most; rest = rest->next) {
        popped.push_back(rest->value);
      }
    } while (top != rest && !top_.compare_exchange_weak(top, rest));
    return popped;
  }

  void clear() { top_.store(nullptr); }

  std::vector<int> to_array() const {
    std::vector<int> all;
    for (const Node* node = top_.load(); node != nullptr; node = node->next) all.push_back(node->value);
    return all;
  }

  std::size_t count() const { return to_array().size(); }

 private:
  struct Node {
    int value = 0;
    Node* next = nullptr;
  };

  Node* make(int value) {
    Node* const node = &nodes_.at(used_.fetch_add(1));
    node->value = value;
    return node;
  }

  void publish(Node* top, Node* bottom) {
    bottom->next = top_.load();
    while (!top_.compare_exchange_weak(bottom->next, top)) {
    }
  }

  std::array<Node, 32> nodes_;
  std::atomic<std::size_t> used_{0};
  std::atomic<Node*> top_{nullptr};
};

template <class Stack>
void define(plumb::Test<Stack>& test) {
  test.operation("push", &Stack::push, plumb::values(1, 2));
  test.operation("push_range", &Stack::push_range, plumb::values(std::vector{3, 4}));
  test.operation("try_pop", &Stack::try_pop);
  test.operation("try_pop_range", &Stack::try_pop_range, plumb::values<std::size_t>(1, 2, 4));
  test.operation("clear", &Stack::clear);
  test.operation("count", &Stack::count);
  test.operation("to_array", &Stack::to_array);
}

using CorrectStack = TreiberStack<false>;
using OneByOneStack = TreiberStack<true>;
PLUMB_TEST(CorrectStack, test) { define(test); }
PLUMB_TEST(OneByOneStack, test) { define(test); }
