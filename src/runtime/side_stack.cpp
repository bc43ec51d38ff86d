#include "runtime/side_stack.hpp"

#include "runtime/control.hpp"

namespace plumb::runtime {

static_assert(offsetof(SideStack, at_hook.arguments) == 56 && offsetof(SideStack, inside) == 88 &&
              offsetof(SideStack, top) == 96);

extern "C" {
SideStack* plumb_side_stack = nullptr;
}

}  // namespace plumb::runtime

// %rax: the SideStack, %r11: the function. Registers that a called function leaves as they are need not be restored: it does. Those that
// it does not are zero afterwards, so that nothing of the engine is carried over in them.
asm(R"(
    .text
    .globl plumb_go_aside
    .hidden plumb_go_aside
    .type plumb_go_aside, @function
plumb_go_aside:
    movq %rsp, 0(%rax)
    movq %rbx, 8(%rax)
    movq %rbp, 16(%rax)
    movq %r12, 24(%rax)
    movq %r13, 32(%rax)
    movq %r14, 40(%rax)
    movq %r15, 48(%rax)
    movq $1, 88(%rax)
    movq $0, plumb_side_stack(%rip)
    movq 96(%rax), %rsp
    subq $8, %rsp
    pushq %rax
    call *%r11
    popq %r11
    movq %r11, plumb_side_stack(%rip)
    movq $0, 88(%r11)
    movq 0(%r11), %rsp
    xorl %ecx, %ecx
    xorl %edx, %edx
    xorl %esi, %esi
    xorl %edi, %edi
    xorl %r8d, %r8d
    xorl %r9d, %r9d
    xorl %r10d, %r10d
    xorl %r11d, %r11d
    ret
    .size plumb_go_aside, .-plumb_go_aside

    .globl plumb_call_on
    .type plumb_call_on, @function
plumb_call_on:
    pushq %rbp
    movq %rsp, %rbp
    movq %rdi, %rsp
    movq %rdx, %rdi
    call *%rsi
    movq %rbp, %rsp
    popq %rbp
    .globl plumb_clear_registers
    .type plumb_clear_registers, @function
plumb_clear_registers:
    xorl %eax, %eax
    xorl %ecx, %ecx
    xorl %edx, %edx
    xorl %esi, %esi
    xorl %edi, %edi
    xorl %r8d, %r8d
    xorl %r9d, %r9d
    xorl %r10d, %r10d
    xorl %r11d, %r11d
    pxor %xmm0, %xmm0
    pxor %xmm1, %xmm1
    pxor %xmm2, %xmm2
    pxor %xmm3, %xmm3
    pxor %xmm4, %xmm4
    pxor %xmm5, %xmm5
    pxor %xmm6, %xmm6
    pxor %xmm7, %xmm7
    ret
    .size plumb_clear_registers, .-plumb_clear_registers
    .size plumb_call_on, .-plumb_call_on

    .globl plumb_call_aside
    .type plumb_call_aside, @function
plumb_call_aside:
    movq %rdi, %r11
    movq %rsi, %rdi
    movq %rdx, %rsi
    movq plumb_side_stack(%rip), %rax
    testq %rax, %rax
    je 1f
    movq %r11, 56(%rax)
    movq %rdi, 64(%rax)
    movq %rsi, 72(%rax)
    movq $0, 80(%rax)
    jmp plumb_go_aside
1:  jmp *%r11
    .size plumb_call_aside, .-plumb_call_aside
)");
