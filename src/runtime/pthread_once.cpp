// Once: pthread_once, and the guards of function-local statics. Both are a word that goes from "not yet" over "some thread
// is at it" to "done"; the second to come waits.
#include <pthread.h>

#include <cstdint>

#include "runtime/control.hpp"
#include "runtime/program_data.hpp"
#include "runtime/real.hpp"
#include "runtime/threads.hpp"
#include "runtime/virtual_clock.hpp"

namespace plumb::runtime {
namespace {

constexpr int kBusy = 1;
constexpr int kOnceDone = 2;  // as in the C library

bool not_busy(const Step& step, int) { return *static_cast<const int*>(step.address) != kBusy; }
struct Guard {
  std::uint8_t done;  // the program looks at it by itself, and may see it as it was before
  std::uint8_t busy;
  std::uint8_t is_done;
};
bool guard_not_busy(const Step& step, int) { return static_cast<const Guard*>(step.address)->busy == 0; }

Step once_step(const void* word, const void* pc, bool (*ready)(const Step&, int)) {
  return {.kind = StepKind::kOnce, .writes = true, .size = 4, .address = word, .pc = pc, .ready = ready};
}

}  // namespace

// Runs the function unless it was run; if it throws, the next caller tries again.
int once(int* word, void (*function)(), const void* pc) {
  if (*word == kOnceDone &&
      g_control->shows_memory_as_it_is()) {  // forever: no order of steps can change what this call sees
    g_control->acquire(word);
    g_control->observed_environment(kOnceDone, word, false);
    if (g_time_passes) {
      const EngineScope in_engine;  // what it remembers is no memory of the program
      meet_others(t_fiber, {.kind = StepKind::kOnce, .size = 4, .address = word, .pc = pc}, false);
    }
    return 0;
  }
  const Step begin = once_step(word, pc, &not_busy);
  g_control->point(begin);
  const int before = *word;
  if (before != kOnceDone) *word = kBusy;
  g_control->executed(begin, static_cast<std::uint64_t>(before), static_cast<std::uint64_t>(*word),
                      before != kOnceDone);
  g_control->acquire(word);
  if (before == kOnceDone) return 0;
  const auto end = [&](int value) {
    const Step step = once_step(word, pc, nullptr);
    g_control->point(step);
    *word = value;
    g_control->executed(step, kBusy, static_cast<std::uint64_t>(value), true);
    g_control->release(word);
  };
  try {
    function();
  } catch (...) {
    end(0);
    throw;
  }
  end(kOnceDone);
  return 0;
}

namespace {

int guard_acquire(Guard* guard, const void* pc) {
  const Step step = once_step(guard, pc, &guard_not_busy);
  g_control->point(step);
  const bool mine = (g_control->shows_memory_as_it_is() ? guard->done : guard->is_done) == 0;
  if (mine) guard->busy = 1;
  g_control->executed(step, mine ? 0 : 2, mine ? 1 : 2, mine);
  g_control->acquire(guard);
  return mine ? 1 : 0;
}

// For those that look at it by themselves.
void store_done(const Guard* guard, const void* pc) {
  constexpr std::uint8_t kRelease = 3;
  const Step step{.kind = StepKind::kStore,
                  .order = kRelease,
                  .writes = true,
                  .size = 1,
                  .address = guard,
                  .pc = pc,
                  .operand = 1};
  g_control->point(step);
  g_control->executed(step, 0, 1, true);
}

void guard_end(Guard* guard, bool done, const void* pc) {
  const Step step = once_step(guard, pc, nullptr);
  g_control->point(step);
  guard->busy = 0;
  guard->is_done = done ? 1 : 0;
  g_control->executed(step, 1, done ? 2 : 0, true);
  g_control->release(guard);
  if (done && !g_control->shows_memory_as_it_is()) store_done(guard, pc);
  guard->done = guard->is_done;
}

}  // namespace
}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" {

int __cxa_guard_acquire(std::uint64_t* guard);
void __cxa_guard_release(std::uint64_t* guard);
void __cxa_guard_abort(std::uint64_t* guard);

int pthread_once(pthread_once_t* word, void (*function)()) {
  // What a library does once for itself (the unwinder, before the first exception) outlives an execution.
  const bool is_ours = rt::ProgramData::in_program(word) || rt::ProgramData::in_program(PLUMB_CALLER);
  if (!rt::exploring() || !is_ours) return PLUMB_REAL(pthread_once)(word, function);
  return rt::once(word, function, PLUMB_CALLER);
}
int __cxa_guard_acquire(std::uint64_t* guard) {
  if (!rt::exploring()) {
    static_assert(sizeof(rt::Guard) <= sizeof *guard);
    // Found by hand: a static of our own here would need a guard itself.
    static decltype(::__cxa_guard_acquire)* real = nullptr;
    if (real == nullptr) real = rt::real<decltype(::__cxa_guard_acquire)>("__cxa_guard_acquire");
    return real(guard);
  }
  return rt::guard_acquire(reinterpret_cast<rt::Guard*>(guard), PLUMB_CALLER);
}
void __cxa_guard_release(std::uint64_t* guard) {
  if (!rt::exploring()) {
    static decltype(::__cxa_guard_release)* real = nullptr;
    if (real == nullptr) real = rt::real<decltype(::__cxa_guard_release)>("__cxa_guard_release");
    return real(guard);
  }
  rt::guard_end(reinterpret_cast<rt::Guard*>(guard), true, PLUMB_CALLER);
}
void __cxa_guard_abort(std::uint64_t* guard) {
  if (!rt::exploring()) {
    static decltype(::__cxa_guard_abort)* real = nullptr;
    if (real == nullptr) real = rt::real<decltype(::__cxa_guard_abort)>("__cxa_guard_abort");
    return real(guard);
  }
  rt::guard_end(reinterpret_cast<rt::Guard*>(guard), false, PLUMB_CALLER);
}

}  // extern "C"
