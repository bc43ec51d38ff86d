// The stack, the queue and the rings of Concurrency Kit as they come. It reads and writes shared words plainly, by volatile: races
// are not asked for. Nodes live as long as the structure, as its manual asks.
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <plumb/plumb.hpp>

extern "C" {
void ck_push(void* stack, void* entry);
void* ck_pop(void* stack);
void ck_fifo_make(void* fifo, void* stub);
void ck_fifo_put(void* fifo, void* entry, void* value);
int ck_fifo_take(void* fifo, void** value);
void ck_ring_make(void* ring, unsigned size);
int ck_ring_put(void* ring, void* buffer, void* value);
int ck_ring_take(void* ring, void* buffer, void** value);
int ck_ring_put_mpmc(void* ring, void* buffer, void* value);
int ck_ring_take_mpmc(void* ring, void* buffer, void** value);
}

namespace {

// What is put there are pointers, and none of them is null.
void* pointer_of(int value) { return reinterpret_cast<void*>(std::intptr_t{value}); }
int value_of(void* pointer) { return static_cast<int>(reinterpret_cast<std::intptr_t>(pointer)); }

}  // namespace

class CkStack {
 public:
  void push(int value) {
    Node& node = nodes_.at(used_.fetch_add(1, std::memory_order_relaxed));
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

// For one producer and one consumer.
class CkFifo {
 public:
  CkFifo() { ck_fifo_make(&fifo_, nodes_.data()); }
  void enqueue(int value) { ck_fifo_put(&fifo_, &nodes_.at(++used_), pointer_of(value)); }
  std::optional<int> dequeue() {
    void* value = nullptr;
    return ck_fifo_take(&fifo_, &value) != 0 ? std::optional(value_of(value)) : std::nullopt;
  }

 private:
  struct Node {  // ck_fifo_spsc_entry_t
    void* value = nullptr;
    void* next = nullptr;
  };
  alignas(64) std::array<std::byte, 256> fifo_{};  // ck_fifo_spsc_t, and more
  std::array<Node, 16> nodes_;
  std::size_t used_ = 0;
};
PLUMB_TEST(CkFifo, test) {
  test.operation("enqueue", &CkFifo::enqueue, plumb::values(1, 2)).one_thread("producer");
  test.operation("dequeue", &CkFifo::dequeue).one_thread("consumer");
  test.allow_races();
}

// Four cells, of which three are used.
template <int (*kPut)(void*, void*, void*), int (*kTake)(void*, void*, void**)>
class Ring {
 public:
  Ring() { ck_ring_make(&ring_, 4); }
  bool enqueue(int value) { return kPut(&ring_, buffer_.data(), pointer_of(value)) != 0; }
  std::optional<int> dequeue() {
    void* value = nullptr;
    return kTake(&ring_, buffer_.data(), &value) != 0 ? std::optional(value_of(value)) : std::nullopt;
  }

 private:
  alignas(64) std::array<std::byte, 256> ring_{};  // ck_ring_t, and more
  std::array<void*, 4> buffer_{};
};

using CkRing = Ring<&ck_ring_put, &ck_ring_take>;
PLUMB_TEST(CkRing, test) {
  test.operation("enqueue", &CkRing::enqueue, plumb::values(1, 2)).one_thread("producer");
  test.operation("dequeue", &CkRing::dequeue).one_thread("consumer");
  test.allow_races();
}

using CkRingOfMany = Ring<&ck_ring_put_mpmc, &ck_ring_take_mpmc>;
PLUMB_TEST(CkRingOfMany, test) {
  test.operation("enqueue", &CkRingOfMany::enqueue, plumb::values(1, 2));
  test.operation("dequeue", &CkRingOfMany::dequeue);
  test.allow_races();
}
