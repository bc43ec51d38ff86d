// Hooks as requests, on a stack of their own. What the engine does in a hook leaves return addresses, counters and stale registers below
// the program's frames, and the program's next functions come to lie there: then two equal states of a program would not look equal
// (explore/states/). While such a stack is set, the hooks of atomic operations, and of calls of operations under test, note the
// program's registers, themselves and their own arguments, and go to whoever resumed the fiber; that is all there is of a thread that
// stands before its next step. When it is to take the step, the hook begins, on the stack that is meant for it, and returns to the program.
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

// Of one thread under exploration. The assembly in side_stack.cpp knows where its members are.
struct SideStack {
  // Of the program, when it called the hook: what a called function leaves as it is, and the arguments that matter.
  struct Registers {
    std::uint64_t rsp, rbx, rbp, r12, r13, r14, r15;
    std::uint64_t arguments[4];
  };
  Registers at_hook;
  std::uint64_t inside;  // such a hook: one of the Inside below, then the number of its points
  void (*hook)();
  std::uint64_t orders;  // one of the Orders
  char* top;             // of the stack; 16 bytes aligned
};
enum Inside : std::uint64_t { kOutside, kAsks, kBegun };
// Which argument of a hook is the memory order of what it reads; of a compare-exchange there are two in one. None: it reads nothing.
enum Orders : std::uint64_t { kNoOrder, kSecondOrder, kThirdOrder, kFourthOrders };

// Of the thread that runs; null: it is inside a hook, or hooks run where they are called.
extern "C" {
extern SideStack* plumb_side_stack;
// Of the fiber that is resumed next, if it asks; it goes on at plumb_answer then. And who it goes to when it asks: see Fibers.
extern SideStack* plumb_answered;
extern const void* plumb_resumed_by;
void plumb_answer();
// Nothing is left in the registers that a called function may change: some functions write them to their stack, whatever is in them.
void plumb_clear_registers();
// The same after it has called function(argument) on a stack that ends there, 16 bytes aligned; nothing may switch to another thread meanwhile.
void plumb_call_on(char* top, void (*function)(void*), void* argument);
// Asks for function(a, b), to be called on the side stack.
void plumb_call_aside(void (*function)(std::uint64_t, std::uint64_t), std::uint64_t a, std::uint64_t b);
}

// Of the hook `name`, which is `function` on the side stack, if there is one, else where it is called. `note` are the instructions
// that note its arguments, %rax being the SideStack.
#define PLUMB_ASIDE(name, function, note)                        \
  asm(".text\n"                                                  \
      ".globl " name                                             \
      "\n"                                                       \
      ".type " name ", @function\n" name                         \
      ":\n"                                                      \
      "  movq plumb_side_stack(%rip), %rax\n"                    \
      "  testq %rax, %rax\n"                                     \
      "  je " function                                           \
      "\n"                                                       \
      "  cmpb $0, _ZN5plumb7runtime11g_in_engineE(%rip)\n"       \
      "  jne " function                                          \
      "\n"                                                       \
      "  movq _ZN5plumb7runtime7t_fiberE@gottpoff(%rip), %r11\n" \
      "  cmpl $0, %fs:(%r11)\n"                                  \
      "  jl " function "\n" note "  leaq " function              \
      "(%rip), %r11\n"                                           \
      "  jmp plumb_ask\n"                                        \
      ".size " name ", .-" name "\n")

}  // namespace plumb::runtime
