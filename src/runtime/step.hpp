// What a thread under exploration is about to do: the unit in which the scheduler thinks. A step touches one object
// (or two: a wake-up takes a condition variable and its mutex), reads or changes it, and may have to wait for it.
#pragma once

#include <cstdint>

namespace plumb::runtime {

enum class StepKind : std::uint8_t {
#define PLUMB_STEP(name, text, traits) name,
#include "runtime/steps.def"
#undef PLUMB_STEP
};

// What a read-modify-write does to the value. kPart: it writes some of its bytes, as a plain write does that is taken for an atomic one.
enum class Update : std::uint8_t { kExchange, kAdd, kSub, kAnd, kOr, kXor, kNand, kCompareExchange, kPart };

// What a kind of step is, as bits.
enum StepTraits : std::uint8_t {
  kNoTraits = 0,
  kAtomic = 1U << 0U,        // an access to an atomic variable
  kTakesLock = 1U << 1U,     // holds a lock afterwards
  kReleasesLock = 1U << 2U,  // holds it no more
  kUsesObject = 1U << 3U,    // its object has to be there, before the thread waits for it and when it has it
  kPauses = 1U << 4U,        // lets other threads go first
  kOperation = 1U << 5U,     // an operation under test is called, or returns
};

// The kinds with a trait, as a set: one instruction tells whether a kind is among them.
constexpr std::uint64_t kinds_with(unsigned trait) {
  std::uint64_t kinds = 0;
#define PLUMB_STEP(name, text, traits) \
  if (((traits)&trait) != 0) kinds |= std::uint64_t{1} << static_cast<unsigned>(StepKind::name);
#include "runtime/steps.def"
#undef PLUMB_STEP
  return kinds;
}
template <StepTraits trait>
constexpr bool has_trait(StepKind kind) {
  constexpr std::uint64_t kKinds = kinds_with(trait);
  return (kKinds >> static_cast<unsigned>(kind) & 1U) != 0;
}

constexpr bool is_atomic(StepKind kind) { return has_trait<kAtomic>(kind); }
constexpr bool takes_lock(StepKind kind) { return has_trait<kTakesLock>(kind); }
constexpr bool releases_lock(StepKind kind) { return has_trait<kReleasesLock>(kind); }
constexpr bool uses_object(StepKind kind) { return has_trait<kUsesObject>(kind); }
constexpr bool is_pause(StepKind kind) { return has_trait<kPauses>(kind); }
// Calls and returns of operations under test touch nothing. Which of their orders are possible is worked out afterwards
// (explore/happens_before.hpp).
constexpr bool is_operation(StepKind kind) { return has_trait<kOperation>(kind); }

struct Step {
  StepKind kind = StepKind::kYield;
  std::uint8_t order = 5;  // memory order, as the compilers number it: 0 relaxed … 5 sequentially consistent
  bool writes = false;     // may change the object
  bool timed = false;      // is enabled also when it is not ready: a time-out, chosen by the scheduler
  std::uint32_t size = 0;  // bytes touched at `address`
  const void* address = nullptr;
  const void* also = nullptr;                                    // a second object that the step touches
  const void* pc = nullptr;                                      // where in the program: a return address
  bool (*ready)(const Step& step, int thread) = nullptr;         // null: always ready
  bool (*can_time_out)(const Step& step, int thread) = nullptr;  // null: at any time
  std::int64_t deadline = 0;  // of a step that is timed, nanoseconds of the virtual clock
  // What `ready` needs to know; a compare-exchange: the value it expects; what any other atomic step stores or computes with. Of more
  // than eight bytes: where they are.
  std::uint64_t operand = 0;
  std::uint64_t desired = 0;  // of a compare-exchange
  Update update = Update::kExchange;
  std::uint8_t failure_order = 0;  // of a compare-exchange
  bool weak = false;               // of a compare-exchange: it may fail though the value is as expected
  bool shares = false;             // of a lock: several threads may hold it
};

// Whether the step may change something as matters are: a compare-exchange that would fail now is no more than a load,
// until some thread changes the value.
bool would_write(const Step& compare_exchange);
inline bool writes_now(const Step& step) {
  return step.kind == StepKind::kCompareExchange ? would_write(step) : step.writes;
}

// Two steps of different threads commute unless they touch the same place and one of them may change it.
inline bool touch(const void* a, unsigned a_size, const void* b, unsigned b_size) {
  const auto x = reinterpret_cast<std::uintptr_t>(a);
  const auto y = reinterpret_cast<std::uintptr_t>(b);
  return x < y + b_size && y < x + a_size;
}
// At such a step the thread lets others go first: to continue with another is no preemption.
inline bool is_yielding(StepKind kind) { return is_pause(kind) || is_operation(kind); }
// The same of a thread that waits until a time, as long as it would have to wait.
inline bool is_yielding(const Step& step, int thread) {
  return is_yielding(step.kind) || (step.timed && !step.ready(step, thread));
}
// As matters are before either is taken.
inline bool dependent(const Step& a, const Step& b) {
  if (!a.writes && !b.writes) return false;
  const auto meets = [&](const void* x, const void* y) {
    return x != nullptr && y != nullptr && touch(x, a.size, y, b.size);
  };
  if (!meets(a.address, b.address) && !meets(a.also, b.address) && !meets(a.address, b.also) &&
      !meets(a.also, b.also)) {
    return false;
  }
  return writes_now(a) || writes_now(b);
}

const char* kind_name(StepKind kind);
const char* order_name(std::uint8_t order);

}  // namespace plumb::runtime
