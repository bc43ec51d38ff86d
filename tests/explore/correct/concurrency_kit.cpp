// The stack of Concurrency Kit as it comes (concurrency_kit.c). It reads and writes shared words plainly, by
// volatile: races are not asked for, and only its compare-exchanges are steps.
#include <array>

#include "explore/programs.hpp"

extern "C" {
void push_ck_stack(void* stack, void* entry);
void* pop_ck_stack(void* stack);
}

namespace {

struct CkStack {
  void* head = nullptr;
  char* generation = nullptr;
};
struct Item {
  void* next = nullptr;
  int value = 0;
};

void push_and_pop(plumb::Program& p) {
  CkStack stack;
  std::array<Item, 2> items;
  std::array<int, 2> got{};
  for (std::size_t i = 0; i < 2; ++i) {
    items[i].value = static_cast<int>(i) + 1;
    p.thread([&, i] {
      push_ck_stack(&stack, &items[i]);
      got[i] = static_cast<Item*>(pop_ck_stack(&stack))->value;
    });
  }
  p.check([&] { return got[0] + got[1] == 3; });
}
TEST(ConcurrencyKit, Stack) {
  const auto result = plumb::explore(push_and_pop, {.races = false});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}

// For unique producers only, says its manual: a node that is pushed again while it is popped is one of two.
void pushed_again(plumb::Program& p) {
  CkStack stack;
  std::array<Item, 2> items;
  std::array<void*, 3> got{};
  for (Item& item : items) push_ck_stack(&stack, &item);
  p.thread([&] { got[0] = pop_ck_stack(&stack); });
  p.thread([&] {
    void* back = pop_ck_stack(&stack);
    got[1] = pop_ck_stack(&stack);
    if (back != nullptr) push_ck_stack(&stack, back);
  });
  p.check([&] {
    got[2] = pop_ck_stack(&stack);
    return got[2] == nullptr || (got[2] != got[0] && got[2] != got[1]);
  });
}
TEST(ConcurrencyKit, ANodePushedAgainIsAba) {
  const auto result = plumb::explore(pushed_again, {.races = false});
  EXPECT_EQ(result.kind, plumb::FindingKind::kCheck) << result.text();
}

}  // namespace
