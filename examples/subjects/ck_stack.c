/* Concurrency Kit is C, and C++ does not take its casts. With the compiler's builtins: nobody sees into inline assembly. */
#define CK_USE_CC_BUILTINS 1
#include <ck_stack.h>

void ck_push(void* stack, void* entry) { ck_stack_push_upmc(stack, entry); }
void* ck_pop(void* stack) { return ck_stack_pop_upmc(stack); }
