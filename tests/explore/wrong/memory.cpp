// Memory: ABA in a Treiber stack, use after free, double free, leaks.
#include <array>
#include <atomic>

#include "explore/programs.hpp"
#include "runtime/control.hpp"

namespace {

using plumb::FindingKind;
using plumb_tests::expect_found;

struct Node {
  int value = 0;
  std::atomic<Node*> next{nullptr};
};

struct Stack {
  std::atomic<Node*> top{nullptr};

  void push(Node* node) {
    Node* old = top.load();
    do {
      node->next.store(old);
    } while (!top.compare_exchange_weak(old, node));
  }
  Node* pop() {
    Node* node = top.load();
    while (node != nullptr && !top.compare_exchange_weak(node, node->next.load())) {
    }
    return node;
  }
};

// Nodes are pushed again after they were popped: a node that is taken off twice at once is lost or doubled.
void aba(plumb::Program& p) {
  Stack stack;
  std::array<Node, 2> nodes;
  std::array<Node*, 3> taken{};
  stack.push(&nodes[0]);
  stack.push(&nodes[1]);
  p.name(&stack.top, "stack.top");
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
TEST(TreiberStack, Aba) { expect_found(aba, FindingKind::kCheck); }

// The same with memory that is freed and handed out again.
void freed_too_early(plumb::Program& p) {
  Stack stack;
  for (int i = 0; i < 2; ++i) stack.push(new Node);
  for (int i = 0; i < 2; ++i) p.thread([&] { delete stack.pop(); });
  p.check([&] { return stack.top == nullptr; });
}
TEST(TreiberStack, UseAfterFree) { expect_found(freed_too_early, FindingKind::kUseAfterFree); }

TEST(Memory, DoubleFree) {
  expect_found(
      [](plumb::Program& p) {
        std::atomic<int*> shared{new int(1)};
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            int* mine = shared.load();
            if (mine == nullptr) return;
            shared.store(nullptr);
            delete mine;
          });
        }
        p.check([] { return true; });
      },
      FindingKind::kDoubleFree);
}

TEST(Memory, ALeakInSomeOrders) {
  expect_found(
      [](plumb::Program& p) {
        std::atomic<int*> slot{nullptr};
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            int* mine = new int(1);
            if (slot.load() == nullptr) {
              slot.store(mine);
            } else {
              delete mine;
            }
          });
        }
        p.check([] { return true; });
        delete slot.load();
      },
      FindingKind::kLeak);
}

TEST(Memory, WhatAGlobalHoldsIsNoLeak) {
  const auto result = plumb_tests::explore_and_replay([](plumb::Program& p) {
    static std::atomic<Node*> cache{nullptr};
    p.thread([] {
      cache = new Node;
      cache.load()->next = new Node;
    });
    p.check([] { return cache != nullptr; });
  });
  EXPECT_TRUE(result.passed()) << result.text();
}

// What is no step of the program nests, and threads may run in between: afterwards its memory is watched as before.
TEST(Memory, IsWatchedAfterWhatIsNoStep) {
  expect_found(
      [](plumb::Program& p) {
        {
          const plumb::runtime::EngineScope outer;
          const plumb::runtime::EngineScope inner;
          p.thread([] {});
          p.run();
        }
        int* freed = new int(7);
        delete freed;
        p.require(*static_cast<volatile int*>(freed) == 7, "still there");
      },
      FindingKind::kUseAfterFree);
}

}  // namespace
