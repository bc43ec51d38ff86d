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

// Nodes are used again, and a count beside the pointer keeps them apart: sixteen bytes in one step.
struct alignas(16) Tagged {
  Node* node = nullptr;
  std::uint64_t count = 0;
};
struct TaggedStack {
  std::atomic<Tagged> top{};

  void push(Node* node) {
    Tagged old = top.load();
    do {
      next_of(node).store(old.node);
    } while (!top.compare_exchange_strong(old, {node, old.count + 1}));
  }
  Node* pop() {
    Tagged old = top.load();
    while (old.node != nullptr &&
           !top.compare_exchange_strong(old, {next_of(old.node).load(), old.count + 1})) {
    }
    return old.node;
  }
  static std::atomic_ref<Node*> next_of(Node* node) { return std::atomic_ref<Node*>(node->next); }
};

void tagged(plumb::Program& p) {
  TaggedStack stack;
  std::array<Node, 2> nodes;
  std::array<Node*, 3> taken{};
  stack.push(&nodes[0]);
  stack.push(&nodes[1]);
  p.thread([&] { taken[0] = stack.pop(); });
  p.thread([&] {
    Node* first = stack.pop();
    taken[1] = stack.pop();
    if (first != nullptr) stack.push(first);
  });
  p.check([&] {
    taken[2] = stack.pop();
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < i; ++j) {
        if (taken[i] != nullptr && taken[i] == taken[j]) return false;
      }
    }
    return true;
  });
}
TEST(TreiberStack, ATagPreventsAba) { plumb_tests::expect_pass(tagged, 23, 897); }

}  // namespace
