// The stack of Concurrency Kit as it comes. It reads and writes shared words plainly, by volatile:
// races are not asked for, and only its compare-exchanges are steps. Nodes live as long as the
// stack, as its manual asks.
#include <array>
#include <atomic>
#include <cstddef>
#include <optional>

#include <plumb/plumb.hpp>

extern "C" {
void ck_push(void* stack, void* entry);
void* ck_pop(void* stack);
}

class CkStack {
 public:
  void push(int value) {
    Node& node = nodes_.at(used_.fetch_add(1));
    node.value = value;
    ck_push(&stack_, &node);
  }
  std::optional<int> pop() {
    auto* const node = static_cast<Node*>(ck_pop(&stack_));
    return node == nullptr ? std::nullopt : std::optional(node->value);
  }

 private:
  struct Stack {  // ck_stack_t
    void* head = nullptr;
    char* generation = nullptr;
  };
  struct Node {
    void* next = nullptr;  // ck_stack_entry_t
    int value = 0;
  };
  Stack stack_;
  std::array<Node, 16> nodes_;
  std::atomic<std::size_t> used_{0};
};

PLUMB_TEST(CkStack, test) {
  test.operation("push", &CkStack::push, plumb::values(1, 2));
  test.operation("pop", &CkStack::pop);
  test.allow_races();
}
