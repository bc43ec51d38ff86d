// The functions of libatomic, which clang calls for atomics that it does not inline (sixteen bytes and more) in place of its
// hooks. Under exploration each is a step like any other; otherwise a lock of our own makes it atomic, so that programs
// need not link the library.
#include <cstddef>
#include <cstring>

#include "runtime/control.hpp"
#include "runtime/real.hpp"

namespace plumb::runtime {
namespace {

char g_lock = 0;

class Locked {
 public:
  Locked() {
    while (__atomic_test_and_set(&g_lock, __ATOMIC_ACQUIRE)) __builtin_ia32_pause();
  }
  ~Locked() { __atomic_clear(&g_lock, __ATOMIC_RELEASE); }
  Locked(const Locked&) = delete;
  Locked& operator=(const Locked&) = delete;
};

// Past what watches the program's own copies (copies.cpp): this is an atomic.
void copy(void* to, const void* from, std::size_t size) { PLUMB_REAL(memcpy)(to, from, size); }

std::uint64_t low(const void* bytes, std::size_t size) {
  std::uint64_t value = 0;
  copy(&value, bytes, size < sizeof value ? size : sizeof value);
  return value;
}

// What a step is about besides the object: values, by their bytes.
struct Values {
  const void* operand = nullptr;
  const void* desired = nullptr;
  int failure_order = 0;

  // A step has small ones as numbers.
  static std::uint64_t in_step(const void* bytes, std::size_t size) {
    if (bytes == nullptr) return 0;
    return size > sizeof(std::uint64_t) ? reinterpret_cast<std::uint64_t>(bytes) : low(bytes, size);
  }
};

// Runs `change`, which says whether it changed the object, as one step or under the lock.
template <class F>
bool step(StepKind kind, std::size_t size, void* object, int order, const void* pc, const Values& values,
          F change) {
  if (!exploring()) {
    const Locked locked;
    return change();
  }
  const Step step{.kind = kind,
                  .order = static_cast<std::uint8_t>(order & 7),
                  .writes = kind != StepKind::kLoad,
                  .size = static_cast<std::uint8_t>(size < 255 ? size : 255),
                  .address = object,
                  .pc = pc,
                  .operand = Values::in_step(values.operand, size),
                  .desired = Values::in_step(values.desired, size),
                  .update = kind == StepKind::kCompareExchange ? Update::kCompareExchange : Update::kExchange,
                  .failure_order = static_cast<std::uint8_t>(values.failure_order & 7)};
  g_control->point(step);
  const std::uint64_t before = low(object, size);
  const bool changed = change();
  g_control->executed(step, before, low(object, size), changed);
  return changed;
}

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;
using rt::copy;

// The names are those of builtins, so they are given to the linker only.
extern "C" {

void plumb_atomic_load(std::size_t size, void* object, void* out, int order) asm("__atomic_load");
void plumb_atomic_store(std::size_t size, void* object, void* value, int order) asm("__atomic_store");
void plumb_atomic_exchange(std::size_t size, void* object, void* value, void* out,
                           int order) asm("__atomic_exchange");
bool plumb_atomic_compare_exchange(std::size_t size, void* object, void* expected, void* desired, int order,
                                   int failure_order) asm("__atomic_compare_exchange");

void plumb_atomic_load(std::size_t size, void* object, void* out, int order) {
  rt::step(rt::StepKind::kLoad, size, object, order, PLUMB_CALLER, {}, [&] {
    copy(out, object, size);
    return false;
  });
}

void plumb_atomic_store(std::size_t size, void* object, void* value, int order) {
  rt::step(rt::StepKind::kStore, size, object, order, PLUMB_CALLER, {.operand = value}, [&] {
    copy(object, value, size);
    return true;
  });
}

void plumb_atomic_exchange(std::size_t size, void* object, void* value, void* out, int order) {
  rt::step(rt::StepKind::kExchange, size, object, order, PLUMB_CALLER, {.operand = value}, [&] {
    copy(out, object, size);
    copy(object, value, size);
    return true;
  });
}

bool plumb_atomic_compare_exchange(std::size_t size, void* object, void* expected, void* desired, int order,
                                   int failure_order) {
  const rt::Values values{.operand = expected, .desired = desired, .failure_order = failure_order};
  return rt::step(rt::StepKind::kCompareExchange, size, object, order, PLUMB_CALLER, values, [&] {
    const bool same = PLUMB_REAL(memcmp)(object, expected, size) == 0;  // a step, no plain read
    copy(same ? object : expected, same ? desired : object, size);
    return same;
  });
}

}  // extern "C"
