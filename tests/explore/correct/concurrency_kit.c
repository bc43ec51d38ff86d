/* Concurrency Kit is C: its stack, with the compiler's builtins instead of inline assembly, which nobody sees. */
#define CK_USE_CC_BUILTINS 1
#include <ck_stack.h>

void push_ck_stack(void* stack, void* entry) { ck_stack_push_upmc(stack, entry); }
void* pop_ck_stack(void* stack) { return ck_stack_pop_upmc(stack); }
