// A Treiber stack whose nodes are not used again: correct. Each of two threads pushes and pops.
#include <array>
#include <atomic>

#include "explore/programs.hpp"

namespace {

struct Node {
  Node* next = nullptr;
};
struct Stack {
  std::atomic<Node*> top{nullptr};

  void push(Node* node) {
    node->next = top.load();
    while (!top.compare_exchange_strong(node->next, node)) {
    }
  }
  Node* pop() {
    Node* node = top.load();
    while (node != nullptr && !top.compare_exchange_strong(node, node->next)) {
    }
    return node;
  }
};

template <std::size_t kThreads>
void push_and_pop(plumb::Program& p) {
  Stack stack;
  std::array<Node, kThreads> nodes;
  std::array<bool, kThreads> popped{};
  for (Node& node : nodes) {
    p.thread([&] {
      stack.push(&node);
      Node* taken = stack.pop();
      p.require(taken != nullptr, "the stack held at least this thread's node");
      popped[static_cast<std::size_t>(taken - nodes.data())] = true;
    });
  }
  p.check([&] {
    for (const bool one : popped) {
      if (!one) return false;
    }
    return stack.top == nullptr;
  });
}
TEST(TreiberStack, TwoThreads) { plumb_tests::expect_pass(push_and_pop<2>, 40, 126); }
TEST(TreiberStack, ThreeThreads) { plumb_tests::expect_pass_reduced(push_and_pop<3>, 25680); }

}  // namespace
