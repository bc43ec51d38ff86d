#include "runtime/side_stack.hpp"

#include "runtime/control.hpp"

namespace plumb::runtime {

static_assert(offsetof(SideStack, at_hook.arguments) == 56 && offsetof(SideStack, inside) == 88 &&
              offsetof(SideStack, hook) == 96 && offsetof(SideStack, orders) == 104);

extern "C" {
SideStack* plumb_side_stack = nullptr;
SideStack* plumb_answered = nullptr;
const void* plumb_resumed_by = nullptr;
}

}  // namespace plumb::runtime

// plumb_ask: %rax is the SideStack, %r11 the hook. It goes on as Fibers::switch_context does, but leaves nothing on the stack.
// plumb_answer: registers that a called function may change are zero when it returns to the program, so that nothing of the engine is
// carried over in them; whoever resumed the fiber changed the others.
asm(R"(
    .text
    .globl plumb_ask
    .hidden plumb_ask
    .type plumb_ask, @function
plumb_ask:
    movq %rsp, 0(%rax)
    movq %rbx, 8(%rax)
    movq %rbp, 16(%rax)
    movq %r12, 24(%rax)
    movq %r13, 32(%rax)
    movq %r14, 40(%rax)
    movq %r15, 48(%rax)
    movq $1, 88(%rax)
    movq %r11, 96(%rax)
    movq $0, plumb_side_stack(%rip)
    movb $1, _ZN5plumb7runtime11g_in_engineE(%rip)
    movq plumb_resumed_by(%rip), %rsi
    movq 8(%rsi), %rax
    wrfsbase %rax
    movq 0(%rsi), %rsp
    popq %rax
    jmp *%rax
    .size plumb_ask, .-plumb_ask

    .globl plumb_answer
    .type plumb_answer, @function
plumb_answer:
    .cfi_startproc
    .cfi_undefined rip
    movq plumb_answered(%rip), %rax
    movq $2, 88(%rax)
    movb $0, _ZN5plumb7runtime11g_in_engineE(%rip)
    subq $8, %rsp
    pushq %rax
    movq 56(%rax), %rdi
    movq 64(%rax), %rsi
    movq 72(%rax), %rdx
    movl 80(%rax), %ecx
    movl 84(%rax), %r8d
    call *96(%rax)
    popq %r11
    movq %r11, plumb_side_stack(%rip)
    movq $0, 88(%r11)
    movq 8(%r11), %rbx
    movq 16(%r11), %rbp
    movq 24(%r11), %r12
    movq 32(%r11), %r13
    movq 40(%r11), %r14
    movq 48(%r11), %r15
    movq 0(%r11), %rsp
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
    .cfi_endproc
    .size plumb_answer, .-plumb_answer

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
    movq %rdi, 56(%rax)
    movq %rsi, 64(%rax)
    movq $0, 72(%rax)
    movq $0, 80(%rax)
    movq $0, 104(%rax)
    jmp plumb_ask
1:  jmp *%r11
    .size plumb_call_aside, .-plumb_call_aside
)");
