// Hooks on a stack of their own. What the engine does in a hook leaves return addresses, counters and stale registers below the
// program's frames, and the program's next functions come to lie there: then two equal states of a program would not look equal
// (explore/states/). While such a stack is set, the hooks of atomic operations, and of calls and returns of operations under test, note the
// program's registers and their own arguments and continue on it; nothing of them is ever on the program's stack.
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
  std::uint64_t inside;  // 1: the thread is in such a hook
  char* top;             // of the stack; 16 bytes aligned
};

// Of the thread that runs; null: it is inside a hook, or hooks run where they are called.
extern "C" {
extern SideStack* plumb_side_stack;
// Nothing is left in the registers that a called function may change: some functions write them to their stack, whatever is in them.
void plumb_clear_registers();
// The same after it has called function(argument) on a stack that ends there, 16 bytes aligned; nothing may switch to another thread meanwhile.
void plumb_call_on(char* top, void (*function)(void*), void* argument);
// Calls function(a, b) on the side stack.
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
      "  jmp plumb_go_aside\n"                                   \
      ".size " name ", .-" name "\n")

}  // namespace plumb::runtime
