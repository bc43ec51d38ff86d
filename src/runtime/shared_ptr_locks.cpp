// std::atomic_load, atomic_store and the like of a std::shared_ptr. libstdc++ has sixteen mutexes for them, and hashes the pointer's
// address to choose one: that would make two pointers depend on each other, or not, by where they lie, and an execution that is
// given up would leave one locked. Nothing of the program runs under such a lock, so here each pointer has its own.
#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "runtime/real.hpp"
#include "runtime/threads.hpp"
#include "runtime/waiting.hpp"

namespace plumb::runtime {
namespace {

// What a thread has locked, the last one last: one pointer, or two.
struct Held {
  std::array<const void*, 4> objects{};
  std::size_t count = 0;
};
std::array<Held, kMaxThreads> g_held;
bool g_any_held = false;  // in this execution, at some time

bool is_free(const Step& step, int) {
  return std::none_of(g_held.begin(), g_held.end(), [&](const Held& held) {
    const auto* const end = held.objects.begin() + held.count;
    return std::find(held.objects.begin(), end, step.address) != end;
  });
}

Step lock_step(StepKind kind, const void* object, const void* pc) {
  return {.kind = kind, .writes = true, .size = 1, .address = object, .pc = pc};
}

void lock_pointer(const void* object, const void* pc) {
  Step step = lock_step(StepKind::kLock, object, pc);
  step.ready = &is_free;
  g_control->point(step);
  Held& mine = g_held.at(static_cast<std::size_t>(t_fiber));
  g_any_held = true;
  mine.objects.at(mine.count++) = object;
  g_control->executed(step, 0, 1, true);
  g_control->acquire(object);
}

void unlock_pointer(const void* pc) {
  Held& mine = g_held.at(static_cast<std::size_t>(t_fiber));
  const Step step = lock_step(StepKind::kUnlock, mine.objects.at(mine.count - 1), pc);
  g_control->point(step);
  --mine.count;
  g_control->executed(step, 1, 0, true);
  g_control->release(step.address);
}

}  // namespace

bool has_locked_shared_pointer() { return g_any_held; }

void begin_shared_ptr_locks() {
  if (std::exchange(g_any_held, false)) g_held.fill({});
}

}  // namespace plumb::runtime

namespace rt = plumb::runtime;

namespace {

using LockOne = void(std::_Sp_locker*, const void*);
using LockTwo = void(std::_Sp_locker*, const void*, const void*);
using Unlock = void(std::_Sp_locker*);

}  // namespace

// The keys, which are numbers of mutexes, say how many pointers are locked.
std::_Sp_locker::_Sp_locker(const void* object) noexcept : _M_key1(1), _M_key2(1) {
  static auto* const real_one = rt::real<LockOne>("_ZNSt10_Sp_lockerC1EPKv");
  if (rt::exploring()) {
    rt::lock_pointer(object, PLUMB_CALLER);
  } else {
    real_one(this, object);
  }
}
std::_Sp_locker::_Sp_locker(const void* first, const void* second) noexcept : _M_key1(1), _M_key2(1) {
  static auto* const real_one = rt::real<LockTwo>("_ZNSt10_Sp_lockerC1EPKvS1_");
  if (!rt::exploring()) {
    real_one(this, first, second);
    return;
  }
  if (first > second) std::swap(first, second);
  rt::lock_pointer(first, PLUMB_CALLER);
  if (first == second) return;
  rt::lock_pointer(second, PLUMB_CALLER);
  _M_key1 = 2;
}
std::_Sp_locker::~_Sp_locker() {
  static auto* const real_one = rt::real<Unlock>("_ZNSt10_Sp_lockerD1Ev");
  if (!rt::exploring()) {
    real_one(this);
    return;
  }
  for (; _M_key1 > 0; --_M_key1) rt::unlock_pointer(PLUMB_CALLER);
}
