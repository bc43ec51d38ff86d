// Threads that the code under test makes itself: their beginning, their end and what they leave for it (results for join,
// destructors of thread_local variables and of keys, robust mutexes), and their names.
#include <pthread.h>
#include <unwind.h>

#include <cerrno>

#include <array>
#include <cstdio>
#include <cstring>
#include <utility>

#include "runtime/fiber.hpp"
#include "runtime/lock_state.hpp"
#include "runtime/real.hpp"
#include "runtime/threads.hpp"
#include "runtime/virtual_clock.hpp"
#include "runtime/waiting.hpp"

extern "C" int __cxa_thread_atexit(void (*destructor)(void*), void* object, void* library);
extern "C" int __cxa_thread_atexit_impl(void (*destructor)(void*), void* object, void* library);

namespace plumb::runtime {
namespace {

constexpr std::size_t kDestructors = 64;
constexpr std::size_t kMostRobust = 16;
constexpr std::size_t kLongestName = 16;  // as Linux has it, with the zero at its end

struct ThreadEnd {
  void* result = nullptr;
  std::array<std::pair<void (*)(void*), void*>, kDestructors> destructors;
  std::size_t count = 0;
  std::array<pthread_mutex_t*, kMostRobust> robust;  // that it holds
  std::size_t robust_count = 0;
  std::array<char, kLongestName> name{};
  Returns returns = Returns::kPointer;
  bool created = false;  // by the code under test, which is to join it
  bool detached = false;
  bool joined = false;
  std::uintptr_t base = 0;  // of its stack: a thread that exits leaves all frames below
  _Unwind_Exception exit{};
};

std::array<ThreadEnd, kMaxThreads> g_ends;
char g_creation;  // threads are numbered in the order in which they are made: creations do not commute

unsigned g_touched = 0;      // which threads left something there
bool g_left_things = false;  // and more than the result of a thread of plumb's own

ThreadEnd& end_of(int thread) { return g_ends[static_cast<std::size_t>(thread)]; }
ThreadEnd& own() {
  g_touched |= 1U << static_cast<unsigned>(t_fiber);
  return end_of(t_fiber);
}

bool has_ended(const Step& step, int) { return g_control->finished(static_cast<int>(step.operand)); }

// A thread that holds a robust mutex at its end leaves it to the next one, which is told.
void leave_robust(ThreadEnd& end) {
  while (end.robust_count > 0) {
    pthread_mutex_t* mutex = end.robust[--end.robust_count];
    const Step step{.kind = StepKind::kUnlock, .writes = true, .size = 1, .address = mutex};
    g_control->point(step);
    g_control->executed(step, 1, 0, true);
    g_control->release(mutex);
    mutex->__data.__count = 0;
    mutex->__data.__lock = 0;
    mutex->__data.__owner = kInconsistent;
  }
}

// Its end is a step, for threads that ask whether it has come.
void end_thread(ThreadEnd& end) {
  run_thread_end();
  if (!end.created) return;
  const Step step{.kind = StepKind::kEnd, .writes = true, .size = 1, .address = &end};
  g_control->point(step);
  g_control->executed(step, 0, 1, true);
}

// Which thread that may be joined or detached this is; or why not, below zero.
int joinable(pthread_t thread, const char* what, const void* pc) {
  const int number = Fibers::instance().fiber_of(thread);
  if (number < 0) return -ESRCH;
  const ThreadEnd& end = end_of(number);
  if (!end.created) return -EINVAL;
  if (end.joined || end.detached) {
    const EngineScope in_engine;  // what follows is no text of the program
    std::array<char, 96> text{};
    std::snprintf(text.data(), text.size(), "%s of a thread that was %s already", what,
                  end.joined ? "joined" : "detached");
    g_control->fail(FindingKind::kMisuse, text.data(), pc);
  }
  return number;
}

int end_join(int number, void** result) {
  g_control->joined(number);
  ThreadEnd& end = end_of(number);
  end.joined = true;
  if (result != nullptr) *result = end.result;
  return 0;
}

// Without a deadline: at once.
int try_join(pthread_t thread, void** result, const timespec* deadline, const void* pc) {
  if (deadline != nullptr && !is_valid(*deadline)) return EINVAL;
  const int number = joinable(thread, "join", pc);
  if (number < 0) return -number;
  if (number == t_fiber) return deadline != nullptr ? EDEADLK : EBUSY;
  Step step{.kind = StepKind::kTryJoin,
            .size = 1,
            .address = &end_of(number),
            .pc = pc,
            .operand = static_cast<std::uint64_t>(number)};
  if (deadline != nullptr) step.ready = &has_ended;
  set_deadline(step, deadline);
  g_control->point(step);
  const bool ended = g_control->finished(number);
  g_control->executed(step, ended ? 1 : 0, ended ? 1 : 0, false);
  if (ended) return end_join(number, result);
  if (deadline == nullptr) return EBUSY;
  go_on_at(*deadline);
  return ETIMEDOUT;
}

// Frames are left one by one, as by an exception, up to the first of the thread.
_Unwind_Reason_Code at_frame(int, _Unwind_Action actions, _Unwind_Exception_Class, _Unwind_Exception*,
                             _Unwind_Context* context, void*) {
  ThreadEnd& end = own();
  if ((actions & _UA_END_OF_STACK) == 0 && _Unwind_GetCFA(context) <= end.base) return _URC_NO_REASON;
  end_thread(end);
  g_control->finish_thread();
  __builtin_unreachable();
}
void swallowed(_Unwind_Reason_Code, _Unwind_Exception*) {
  g_control->fail(FindingKind::kAbort, "a handler caught the exit of a thread and did not throw it on",
                  nullptr);
}

}  // namespace

int create(pthread_t* thread, const pthread_attr_t* attributes, void* (*entry)(void*), void* argument,
           Returns returns, const void* pc) {
  std::size_t stack = 0;
  int detached = PTHREAD_CREATE_JOINABLE;
  if (attributes != nullptr) {
    pthread_attr_getstacksize(attributes, &stack);
    pthread_attr_getdetachstate(attributes, &detached);
  }
  const Step step{.kind = StepKind::kCreate, .writes = true, .size = 1, .address = &g_creation, .pc = pc};
  g_control->point(step);
  const int number = g_control->start(entry, argument, stack);
  if (number == Control::kTooManyThreads)
    g_control->refuse("more threads than one execution may have (16)", pc);
  if (number < 0) g_control->refuse("a thread asks for a larger stack than it can have here", pc);
  ThreadEnd& end = end_of(number);
  g_touched |= 1U << static_cast<unsigned>(number);
  g_left_things = true;
  end.returns = returns;
  end.created = true;
  end.detached = detached == PTHREAD_CREATE_DETACHED;
  *thread = Fibers::instance().thread(number);
  g_control->executed(step, 0, static_cast<std::uint64_t>(number), true);
  return 0;
}

int join(pthread_t thread, void** result, const void* pc) {
  const int number = joinable(thread, "join", pc);
  if (number < 0) return -number;
  if (number == t_fiber) return EDEADLK;
  const Step step{.kind = StepKind::kJoin,
                  .size = 1,
                  .address = &end_of(number),
                  .pc = pc,
                  .ready = &has_ended,
                  .operand = static_cast<std::uint64_t>(number)};
  g_control->point(step);
  g_control->executed(step, step.operand, step.operand, false);
  return end_join(number, result);
}

int detach(pthread_t thread, const void* pc) {
  const int number = joinable(thread, "detach", pc);
  if (number < 0) return -number;
  end_of(number).detached = true;
  return 0;
}

void exit_thread(void* result, const void* pc) {
  ThreadEnd& end = own();
  if (end.base == 0) g_control->refuse("the program itself exits as a thread does", pc);
  end.result = result;
  end.exit.exception_cleanup = &swallowed;
  _Unwind_ForcedUnwind(&end.exit, &at_frame, nullptr);
  g_control->refuse("a thread exits from where its stack cannot be unwound", pc);
}

void holds_robust(pthread_mutex_t* mutex) {
  ThreadEnd& end = own();
  for (std::size_t i = 0; i < end.robust_count; ++i) {
    if (end.robust[i] == mutex) return;
  }
  if (end.robust_count == kMostRobust)
    g_control->refuse("a thread holds more robust mutexes than the engine keeps (16)", nullptr);
  end.robust[end.robust_count++] = mutex;
  g_left_things = true;
}
void holds_robust_no_more(const pthread_mutex_t* mutex) {
  ThreadEnd& end = own();
  for (std::size_t i = 0; i < end.robust_count; ++i) {
    if (end.robust[i] == mutex) end.robust[i--] = end.robust[--end.robust_count];
  }
}

bool has_things_left_for_end() { return g_left_things; }

void begin_thread_ends() {
  g_left_things = false;
  for (; g_touched != 0; g_touched &= g_touched - 1) {
    ThreadEnd& end = end_of(__builtin_ctz(g_touched));
    end.count = end.robust_count = 0;
    end.created = end.detached = end.joined = false;
    end.name[0] = 0;
    end.base = 0;
  }
  begin_keys();
}

void run_thread(void* (*entry)(void*), void* argument) {
  ThreadEnd& end = own();
  end.base = reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0));
  if (end.returns == Returns::kInt && end.created) {
    const int result = reinterpret_cast<int (*)(void*)>(reinterpret_cast<void (*)()>(entry))(argument);
    end.result = reinterpret_cast<void*>(static_cast<std::intptr_t>(result));
  } else {
    end.result = entry(argument);
  }
  end_thread(end);
}

void run_thread_end() {
  ThreadEnd& end = own();
  while (end.count > 0) {
    const auto [destructor, object] = end.destructors[--end.count];
    destructor(object);
  }
  run_key_destructors();
  leave_robust(end);
}

}  // namespace plumb::runtime

namespace rt = plumb::runtime;

extern "C" {

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*entry)(void*),
                   void* argument) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_create)(thread, attributes, entry, argument);
  return rt::create(thread, attributes, entry, argument, rt::Returns::kPointer, PLUMB_CALLER);
}
int pthread_join(pthread_t thread, void** result) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_join)(thread, result);
  return rt::join(thread, result, PLUMB_CALLER);
}
int pthread_tryjoin_np(pthread_t thread, void** result) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_tryjoin_np)(thread, result);
  return rt::try_join(thread, result, nullptr, PLUMB_CALLER);
}
int pthread_timedjoin_np(pthread_t thread, void** result, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_timedjoin_np)(thread, result, deadline);
  if (deadline == nullptr) return rt::join(thread, result, PLUMB_CALLER);
  return rt::try_join(thread, result, deadline, PLUMB_CALLER);
}
int pthread_clockjoin_np(pthread_t thread, void** result, clockid_t clock, const timespec* deadline) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_clockjoin_np)(thread, result, clock, deadline);
  if (deadline == nullptr) return rt::join(thread, result, PLUMB_CALLER);
  return rt::try_join(thread, result, deadline, PLUMB_CALLER);
}
int pthread_detach(pthread_t thread) {
  if (!rt::exploring()) return PLUMB_REAL(pthread_detach)(thread);
  return rt::detach(thread, PLUMB_CALLER);
}
void pthread_exit(void* result) {
  if (rt::exploring()) rt::exit_thread(result, PLUMB_CALLER);
  PLUMB_REAL(pthread_exit)(result);
  __builtin_unreachable();
}

int __cxa_thread_atexit(void (*destructor)(void*), void* object, void* library) {
  if (!rt::exploring()) return __cxa_thread_atexit_impl(destructor, object, library);
  rt::ThreadEnd& end = rt::own();
  if (end.count == rt::kDestructors) {
    rt::g_control->refuse("more thread_local destructors than the engine keeps (64 per thread)",
                          PLUMB_CALLER);
  }
  end.destructors[end.count++] = {destructor, object};
  rt::g_left_things = true;
  return 0;
}

// The parked thread whose storage a thread has would be renamed for good.
int pthread_setname_np(pthread_t thread, const char* name) {
  const int number = rt::exploring() ? rt::Fibers::instance().fiber_of(thread) : -1;
  if (number < 0) return PLUMB_REAL(pthread_setname_np)(thread, name);
  const std::size_t size = std::strlen(name) + 1;
  if (size > rt::kLongestName) return ERANGE;
  rt::g_touched |= 1U << static_cast<unsigned>(number);
  rt::g_left_things = true;
  std::memcpy(rt::end_of(number).name.data(), name, size);
  return 0;
}
int pthread_getname_np(pthread_t thread, char* name, std::size_t size) {
  const int number = rt::exploring() ? rt::Fibers::instance().fiber_of(thread) : -1;
  if (number < 0 || rt::end_of(number).name[0] == 0)
    return PLUMB_REAL(pthread_getname_np)(thread, name, size);
  if (size < rt::kLongestName) return ERANGE;
  std::memcpy(name, rt::end_of(number).name.data(), rt::kLongestName);
  return 0;
}
int pthread_getattr_np(pthread_t thread, pthread_attr_t* attributes) {
  const int error = PLUMB_REAL(pthread_getattr_np)(thread, attributes);
  const int number = error == 0 && rt::exploring() ? rt::Fibers::instance().fiber_of(thread) : -1;
  if (number < 0) return error;
  const rt::Stack& stack = rt::g_stacks[number];
  return pthread_attr_setstack(attributes, reinterpret_cast<void*>(stack.low), stack.high - stack.low);
}

}  // extern "C"
