// The compiler's hooks for atomic operations: each is a scheduling point. Under exploration one thread runs at a time,
// so the operation itself is plain; otherwise it is the real one, sequentially consistent, and a thread under stress may pause before it.
#include <bit>

#include "runtime/control.hpp"
#include "runtime/pause.hpp"
#include "runtime/reached_code.hpp"
#include "runtime/real.hpp"
#include "runtime/side_stack.hpp"

namespace plumb::runtime {
namespace {

__extension__ using Wide = unsigned __int128;

template <class T>
std::uint64_t low(T value) {
  return static_cast<std::uint64_t>(value);
}

// The value as a step has it.
template <class T>
std::uint64_t operand_of(const T& value) {
  return sizeof(T) > sizeof(std::uint64_t) ? reinterpret_cast<std::uint64_t>(&value) : low(value);
}

// Which operation makes the new value from the old one, told by what it does to two numbers. F keeps nothing but the operand.
template <class T, class F>
constexpr Update update_of() {
  constexpr T kBefore = 5;
  constexpr T kOperand = 6;
  constexpr T kAfter = std::bit_cast<F>(kOperand)(kBefore);
  if (kAfter == T{kBefore + kOperand}) return Update::kAdd;
  if (kAfter == static_cast<T>(kBefore - kOperand)) return Update::kSub;
  if (kAfter == (kBefore & kOperand)) return Update::kAnd;
  if (kAfter == (kBefore | kOperand)) return Update::kOr;
  if (kAfter == (kBefore ^ kOperand)) return Update::kXor;
  if (kAfter == static_cast<T>(~(kBefore & kOperand))) return Update::kNand;
  return Update::kExchange;
}

// The real operations. Sixteen bytes go through the old __sync builtin, which is inlined (-mcx16) where the newer ones
// call a library; reading is then an exchange of a value for itself.
template <class T>
T real_exchange_if(volatile T* address, T expected, T desired) {
  return __sync_val_compare_and_swap(address, expected, desired);
}
template <class T>
T real_load(const volatile T* address) {
  if constexpr (sizeof(T) == sizeof(Wide)) {
    return real_exchange_if(const_cast<volatile T*>(address), T{0}, T{0});
  } else {
    return __atomic_load_n(address, __ATOMIC_SEQ_CST);
  }
}
template <class T>
void real_store(volatile T* address, T value) {
  if constexpr (sizeof(T) == sizeof(Wide)) {
    T before = real_load(address);
    for (T seen = before; (seen = real_exchange_if(address, before, value)) != before;) before = seen;
  } else {
    __atomic_store_n(address, value, __ATOMIC_SEQ_CST);
  }
}
template <class T, class F>
T real_modify(volatile T* address, F next) {
  T before = real_load(address);
  for (;;) {
    const T seen = real_exchange_if(address, before, next(before));
    if (seen == before) return before;
    before = seen;
  }
}

template <class T>
Step step_of(StepKind kind, const volatile T* address, int order, const void* pc) {
  note_reached(pc);
  return {.kind = kind,
          .order = static_cast<std::uint8_t>(order & 7),
          .writes = kind != StepKind::kLoad,
          .size = sizeof(T),
          .address = const_cast<const T*>(address),
          .pc = pc};
}

template <class T>
T load(const volatile T* address, int order, const void* pc) {
  if (!exploring()) {
    maybe_pause();
    return real_load(address);
  }
  const Step step = step_of(StepKind::kLoad, address, order, pc);
  g_control->point(step);
  const T value = *address;
  g_control->executed(step, low(value), low(value), false);
  return value;
}

template <class T>
void store(volatile T* address, T value, int order, const void* pc) {
  if (!exploring()) {
    maybe_pause();
    return real_store(address, value);
  }
  Step step = step_of(StepKind::kStore, address, order, pc);
  step.operand = operand_of(value);
  g_control->point(step);
  const T before = *address;
  *address = value;
  g_control->executed(step, low(before), low(value), true);
}

// `next` gives the new value from the old one.
template <class T, class F>
T modify(StepKind kind, volatile T* address, int order, const void* pc, F next) {
  if (!exploring()) {
    maybe_pause();
    return real_modify(address, next);
  }
  Step step = step_of(kind, address, order, pc);
  const T operand = std::bit_cast<T>(next);
  step.operand = operand_of(operand);
  step.update = update_of<T, F>();
  g_control->point(step);
  const T before = *address;
  const T after = next(before);
  *address = after;
  g_control->executed(step, low(before), low(after), true);
  return before;
}

enum class Strength : std::uint8_t { kStrong, kWeak };

// clang's hooks do not tell weak from strong: all are strong then.
template <class T>
bool compare_exchange(volatile T* address, T* expected, T desired, int order, int failure_order,
                      const void* pc, Strength strength = Strength::kStrong) {
  if (!exploring()) {
    maybe_pause();
    const T seen = real_exchange_if(address, *expected, desired);
    const bool same = seen == *expected;
    *expected = seen;
    return same;
  }
  Step step = step_of(StepKind::kCompareExchange, address, order, pc);
  step.operand = operand_of(*expected);
  step.desired = operand_of(desired);
  step.update = Update::kCompareExchange;
  step.failure_order = static_cast<std::uint8_t>(failure_order & 7);
  step.weak = strength == Strength::kWeak;
  g_control->point(step);
  const T before = *address;
  const bool success =
      before == *expected &&
      (strength == Strength::kStrong || !g_control->choose_spurious(Control::SpuriousEvent::kCasFailure));
  if (success) {
    *address = desired;
  } else {
    *expected = before;
    step.order = static_cast<std::uint8_t>(failure_order & 7);
  }
  g_control->executed(step, low(before), success ? low(desired) : low(before), success);
  return success;
}

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;

#define PLUMB_MODIFY(PREFIX, bits, T, name, kind, expression)                    \
  T PREFIX##bits##_##name(volatile T* address, T value, int order) {             \
    return rt::modify(rt::StepKind::kind, address, order, PLUMB_CALLER,          \
                      [value](T before) { return static_cast<T>(expression); }); \
  }
#define PLUMB_ATOMIC(PREFIX, bits, T)                                                                 \
  T PREFIX##bits##_load(const volatile T* address, int order) {                                       \
    return rt::load(address, order, PLUMB_CALLER);                                                    \
  }                                                                                                   \
  void PREFIX##bits##_store(volatile T* address, T value, int order) {                                \
    rt::store(address, value, order, PLUMB_CALLER);                                                   \
  }                                                                                                   \
  PLUMB_MODIFY(PREFIX, bits, T, exchange, kExchange, (static_cast<void>(before), value))              \
  PLUMB_MODIFY(PREFIX, bits, T, fetch_add, kModify, before + value)                                   \
  PLUMB_MODIFY(PREFIX, bits, T, fetch_sub, kModify, before - value)                                   \
  PLUMB_MODIFY(PREFIX, bits, T, fetch_and, kModify, before& value)                                    \
  PLUMB_MODIFY(PREFIX, bits, T, fetch_or, kModify, before | value)                                    \
  PLUMB_MODIFY(PREFIX, bits, T, fetch_xor, kModify, before ^ value)                                   \
  PLUMB_MODIFY(PREFIX, bits, T, fetch_nand, kModify, ~(before & value))                               \
  bool PREFIX##bits##_compare_exchange_strong(volatile T* address, T* expected, T desired, int order, \
                                              int failure_order) {                                    \
    return rt::compare_exchange(address, expected, desired, order, failure_order, PLUMB_CALLER);      \
  }                                                                                                   \
  bool PREFIX##bits##_compare_exchange_weak(volatile T* address, T* expected, T desired, int order,   \
                                            int failure_order) {                                      \
    return rt::compare_exchange(address, expected, desired, order, failure_order, PLUMB_CALLER,       \
                                rt::Strength::kWeak);                                                 \
  }                                                                                                   \
  T PREFIX##bits##_compare_exchange_val(volatile T* address, T expected, T desired, int order,        \
                                        int failure_order) {                                          \
    rt::compare_exchange(address, &expected, desired, order, failure_order, PLUMB_CALLER);            \
    return expected;                                                                                  \
  }

extern "C" {

// Where those of eight bytes and less come to in the end (below).
#pragma GCC visibility push(hidden)
PLUMB_ATOMIC(plumb_atomic, 8, std::uint8_t)
PLUMB_ATOMIC(plumb_atomic, 16, std::uint16_t)
PLUMB_ATOMIC(plumb_atomic, 32, std::uint32_t)
PLUMB_ATOMIC(plumb_atomic, 64, std::uint64_t)
#pragma GCC visibility pop
PLUMB_ATOMIC(__tsan_atomic, 128, rt::Wide)

void __tsan_atomic_thread_fence(int order) {
  if (!rt::exploring()) return __atomic_thread_fence(__ATOMIC_SEQ_CST);
  // Under sequential consistency a fence commutes with everything: no scheduling point, but it orders.
  rt::g_control->executed(
      {.kind = rt::StepKind::kFence, .order = static_cast<std::uint8_t>(order & 7), .pc = PLUMB_CALLER}, 0, 0,
      false);
}
void __tsan_atomic_signal_fence(int /*order*/) { __atomic_signal_fence(__ATOMIC_SEQ_CST); }

}  // extern "C"

// Those of eight bytes and less may run aside. Of an argument that is smaller than its register the rest means nothing.
#define PLUMB_ASIDE_HOOK(bits, name, note) \
  PLUMB_ASIDE("__tsan_atomic" #bits "_" #name, "plumb_atomic" #bits "_" #name, note)
#define PLUMB_NOTE_READS(orders) "  movq $" #orders ", 104(%rax)\n"
#define PLUMB_NOTE(number, moves) "  " moves "\n  movq %r11, 56+8*" #number "(%rax)\n"
#define PLUMB_NOTE_ORDERS \
  PLUMB_NOTE(3, "movl %r8d, %r11d\n  shlq $32, %r11\n  movl %ecx, %r10d\n  orq %r10, %r11")
#define PLUMB_NOTE_ADDRESS         \
  PLUMB_NOTE(0, "movq %rdi, %r11") \
  PLUMB_NOTE(1, "movl %esi, %r11d") "  movq $0, 72(%rax)\n  movq $0, 80(%rax)\n"
#define PLUMB_NOTE_VALUE(second)   \
  PLUMB_NOTE(0, "movq %rdi, %r11") \
  PLUMB_NOTE(1, second) PLUMB_NOTE(2, "movl %edx, %r11d") "  movq $0, 80(%rax)\n"
#define PLUMB_NOTE_POINTER(third)  \
  PLUMB_NOTE(0, "movq %rdi, %r11") \
  PLUMB_NOTE(1, "movq %rsi, %r11") PLUMB_NOTE(2, third) PLUMB_NOTE_ORDERS
#define PLUMB_NOTE_VALUES(second, third) \
  PLUMB_NOTE(0, "movq %rdi, %r11") PLUMB_NOTE(1, second) PLUMB_NOTE(2, third) PLUMB_NOTE_ORDERS
#define PLUMB_ASIDE_HOOKS(bits, second, third)                                                    \
  PLUMB_ASIDE_HOOK(bits, load, PLUMB_NOTE_ADDRESS PLUMB_NOTE_READS(1));                           \
  PLUMB_ASIDE_HOOK(bits, store, PLUMB_NOTE_VALUE(second) PLUMB_NOTE_READS(0));                    \
  PLUMB_ASIDE_HOOK(bits, exchange, PLUMB_NOTE_VALUE(second) PLUMB_NOTE_READS(2));                 \
  PLUMB_ASIDE_HOOK(bits, fetch_add, PLUMB_NOTE_VALUE(second) PLUMB_NOTE_READS(2));                \
  PLUMB_ASIDE_HOOK(bits, fetch_sub, PLUMB_NOTE_VALUE(second) PLUMB_NOTE_READS(2));                \
  PLUMB_ASIDE_HOOK(bits, fetch_and, PLUMB_NOTE_VALUE(second) PLUMB_NOTE_READS(2));                \
  PLUMB_ASIDE_HOOK(bits, fetch_or, PLUMB_NOTE_VALUE(second) PLUMB_NOTE_READS(2));                 \
  PLUMB_ASIDE_HOOK(bits, fetch_xor, PLUMB_NOTE_VALUE(second) PLUMB_NOTE_READS(2));                \
  PLUMB_ASIDE_HOOK(bits, fetch_nand, PLUMB_NOTE_VALUE(second) PLUMB_NOTE_READS(2));               \
  PLUMB_ASIDE_HOOK(bits, compare_exchange_strong, PLUMB_NOTE_POINTER(third) PLUMB_NOTE_READS(3)); \
  PLUMB_ASIDE_HOOK(bits, compare_exchange_weak, PLUMB_NOTE_POINTER(third) PLUMB_NOTE_READS(3));   \
  PLUMB_ASIDE_HOOK(bits, compare_exchange_val, PLUMB_NOTE_VALUES(second, third) PLUMB_NOTE_READS(3))
PLUMB_ASIDE_HOOKS(8, "movzbl %sil, %r11d", "movzbl %dl, %r11d");
PLUMB_ASIDE_HOOKS(16, "movzwl %si, %r11d", "movzwl %dx, %r11d");
PLUMB_ASIDE_HOOKS(32, "movl %esi, %r11d", "movl %edx, %r11d");
PLUMB_ASIDE_HOOKS(64, "movq %rsi, %r11", "movq %rdx, %r11");
