// Threads that the code under test makes itself, and what they leave for their end: results for join, destructors of
// thread_local variables, keys with destructors.
#include <pthread.h>

#include <cerrno>
#include <climits>

#include <array>
#include <utility>

#include "runtime/fiber.hpp"
#include "runtime/real.hpp"
#include "runtime/waiting.hpp"

extern "C" int __cxa_thread_atexit(void (*destructor)(void*), void* object, void* library);
extern "C" int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library);

namespace plumb::runtime {
namespace {

constexpr std::size_t kKeys = PTHREAD_KEYS_MAX;  // made outside an exploration; ours come after them
constexpr std::size_t kOwnKeys = 64;
constexpr std::size_t kDestructors = 64;
constexpr int kRounds = 4;  // destructors of keys may set keys again: as often as POSIX says

struct ThreadEnd {
  void* result = nullptr;
  std::array<std::pair<void (*)(void*), void*>, kDestructors> destructors;
  std::size_t count = 0;
  bool uses_keys = false;
  std::array<void*, kKeys + kOwnKeys> values{};
};

std::array<ThreadEnd, kMaxThreads> g_ends;
std::array<void (*)(void*), kKeys + kOwnKeys> g_key_destructors{};
std::size_t g_own_keys = 0;
char g_creation;  // threads are numbered in the order in which they are made: creations do not commute

unsigned g_touched = 0;  // which threads left something there

ThreadEnd& own() { return g_ends[static_cast<std::size_t>(t_fiber)]; }

bool has_ended(const Step& step, int) { return g_control->finished(static_cast<int>(step.operand)); }

void run_key_destructors(ThreadEnd& end) {
  for (int round = 0; round < kRounds && end.uses_keys; ++round) {
    end.uses_keys = false;
    for (std::size_t key = 0; key < end.values.size(); ++key) {
      void* value = std::exchange(end.values[key], nullptr);
      if (value != nullptr && g_key_destructors[key] != nullptr) g_key_destructors[key](value);
    }
  }
}

int create(pthread_t* thread, void* (*entry)(void*), void* argument, const void* pc) {
  const Step step{.kind = StepKind::kCreate, .writes = true, .size = 1, .address = &g_creation, .pc = pc};
  g_control->point(step);
  const int number = g_control->start(entry, argument);
  if (number < 0) g_control->fail(Failure::kMisuse, "more threads than one execution may have (16)", pc);
  *thread = Fibers::instance().thread(number);
  g_control->did(step, 0, static_cast<std::uint64_t>(number), true);
  return 0;
}

int join(pthread_t thread, void** result, const void* pc) {
  const int number = Fibers::instance().fiber_of(thread);
  if (number < 0) return ESRCH;
  if (number == t_fiber) return EDEADLK;
  ThreadEnd& end = g_ends[static_cast<std::size_t>(number)];
  const Step step{.kind = StepKind::kJoin,
                  .size = 1,
                  .address = &end,
                  .pc = pc,
                  .ready = &has_ended,
                  .operand = static_cast<std::uint64_t>(number)};
  g_control->point(step);
  g_control->did(step, step.operand, step.operand, false);
  g_control->joined(number);
  if (result != nullptr) *result = end.result;
  return 0;
}

}  // namespace

void begin_thread_ends() {
  for (; g_touched != 0; g_touched &= g_touched - 1) {
    ThreadEnd& end = g_ends[static_cast<std::size_t>(__builtin_ctz(g_touched))];
    end.count = 0;
    if (end.uses_keys) end.values.fill(nullptr);
    end.uses_keys = false;
  }
  g_own_keys = 0;
}

std::size_t keys_made() { return g_own_keys; }

void run_thread(void* (*entry)(void*), void* argument) {
  own().result = entry(argument);
  run_thread_end();
}

void run_thread_end() {
  ThreadEnd& end = own();
  while (end.count > 0) {
    const auto [destructor, object] = end.destructors[--end.count];
    destructor(object);
  }
  run_key_destructors(end);
}

}  // namespace plumb::runtime

namespace rt = plumb::runtime;
#define PLUMB_CALLER __builtin_return_address(0)

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*entry)(void*),
                   void* argument) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_create)(thread, attributes, entry, argument);
  return rt::create(thread, entry, argument, PLUMB_CALLER);
}
int pthread_join(pthread_t thread, void** result) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_join)(thread, result);
  return rt::join(thread, result, PLUMB_CALLER);
}
int pthread_detach(pthread_t thread) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_detach)(thread);
  return 0;
}
void pthread_exit(void* result) {
  if (rt::exploring()) {
    rt::own().result = result;
    rt::run_thread_end();
    rt::g_control->finish_thread();
  }
  PLUMB_REAL(pthread_exit)(result);
  __builtin_unreachable();
}

int __cxa_thread_atexit(void (*destructor)(void*), void* object, void* library) {
  if (!rt::exploring()) return __cxa_thread_atexit_impl(destructor, object, library);
  rt::ThreadEnd& end = rt::own();
  if (end.count == rt::kDestructors) {
    rt::g_control->fail(rt::Failure::kMisuse,
                        "more thread_local destructors than the engine keeps (64 a thread)", PLUMB_CALLER);
  }
  rt::g_touched |= 1U << static_cast<unsigned>(rt::t_fiber);
  end.destructors[end.count++] = {destructor, object};
  return 0;
}

int pthread_key_create(pthread_key_t* key, void (*destructor)(void*)) {
  if (!rt::exploring()) {
    const int error = PLUMB_REAL(pthread_key_create)(key, destructor);
    if (error == 0 && *key < rt::kKeys) rt::g_key_destructors[*key] = destructor;
    return error;
  }
  if (rt::g_own_keys == rt::kOwnKeys) return EAGAIN;
  *key = static_cast<pthread_key_t>(rt::kKeys + rt::g_own_keys++);
  rt::g_key_destructors[*key] = destructor;
  rt::g_control->learnt(*key, &rt::g_own_keys, true);
  return 0;
}
int pthread_key_delete(pthread_key_t key) {
  if (key >= rt::kKeys) return 0;
  rt::g_key_destructors[key] = nullptr;
  return PLUMB_REAL(pthread_key_delete)(key);
}
void* pthread_getspecific(pthread_key_t key) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_getspecific)(key);
  return rt::own().values.at(key);
}
int pthread_setspecific(pthread_key_t key, const void* value) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_setspecific)(key, value);
  rt::g_touched |= 1U << static_cast<unsigned>(rt::t_fiber);
  rt::own().uses_keys = true;
  rt::own().values.at(key) = const_cast<void*>(value);
  return 0;
}

}  // extern "C"
