/* Concurrency Kit is C, and C++ does not take its casts. With the compiler's builtins: nobody sees into inline assembly. And as for a
   processor that orders nothing by itself, so that its fences are there: with builtins all of them are full ones. */
#include <ck_md.h>
#undef CK_MD_TSO
#define CK_MD_RMO
#define CK_USE_CC_BUILTINS 1
#include <ck_fifo.h>
#include <ck_ring.h>
#include <ck_stack.h>

void ck_push(void* stack, void* entry) { ck_stack_push_upmc(stack, entry); }
void* ck_pop(void* stack) { return ck_stack_pop_upmc(stack); }

void ck_fifo_make(void* fifo, void* stub) { ck_fifo_spsc_init(fifo, stub); }
void ck_fifo_put(void* fifo, void* entry, void* value) { ck_fifo_spsc_enqueue(fifo, entry, value); }
int ck_fifo_take(void* fifo, void** value) { return ck_fifo_spsc_dequeue(fifo, value); }

void ck_ring_make(void* ring, unsigned size) { ck_ring_init(ring, size); }
int ck_ring_put(void* ring, void* buffer, void* value) { return ck_ring_enqueue_spsc(ring, buffer, value); }
int ck_ring_take(void* ring, void* buffer, void** value) { return ck_ring_dequeue_spsc(ring, buffer, value); }
int ck_ring_put_mpmc(void* ring, void* buffer, void* value) {
  return ck_ring_enqueue_mpmc(ring, buffer, value);
}
int ck_ring_take_mpmc(void* ring, void* buffer, void** value) {
  return ck_ring_dequeue_mpmc(ring, buffer, value);
}
