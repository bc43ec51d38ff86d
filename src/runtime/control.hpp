// The seam between the runtime and the engine above it. Every hook asks here: am I part of an exploration? If so the
// engine (the one Control that is set) decides when the step is taken and is told what it did.
//
// A thread under exploration is known by a thread-local variable: fibers run on the thread-local storage of parked
// threads, each of which carries the number of its fiber. Threads that are not ours see -1 and forward to the real thing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "plumb/finding.hpp"
#include "runtime/step.hpp"

namespace plumb::runtime {

constexpr int kMaxThreads = 16;  // threads of one execution, the body included

using Nanoseconds = std::int64_t;

extern bool g_time_passes;   // some thread has looked at its clock, slept or timed out in this execution
extern bool g_time_matters;  // or in one before it

class Control {
 public:
  Control() = default;
  Control(const Control&) = delete;
  Control& operator=(const Control&) = delete;
  virtual ~Control() = default;

  // A scheduling point: returns when this thread is to take the step. False: it was not enabled, and timed out.
  bool point(const Step& step) {
    const bool ready = reach(step);
    leave_nothing_below();
    return ready;
  }
  // One of `options` outcomes that the program does not decide itself (which waiter is woken): an explored choice.
  virtual int choose(int options) = 0;
  // Whether something spurious happens here: an explored choice, where the options ask for it.
  enum class SpuriousEvent : std::uint8_t { kCasFailure, kWakeup };
  virtual bool choose_spurious(SpuriousEvent event) = 0;
  // What the step at the last point of this thread saw and left, for the trace, spin loops and happens-before.
  void executed(const Step& step, std::uint64_t before, std::uint64_t after, bool wrote) {
    note_executed(step, before, after, wrote);
    leave_nothing_below();
  }
  // Order between threads by an object that is no atomic variable: a mutex, a thread's end.
  virtual void acquire(const void* object) = 0;
  virtual void release(const void* object) = 0;
  virtual void joined(int thread) = 0;  // all that the thread did came before
  // Memory is what the last step left there: an object can be looked at without a step. False: threads are not run in the order of what
  // they do, and only a step shows an object as it is then.
  [[nodiscard]] virtual bool shows_memory_as_it_is() const { return true; }
  // Within a step at an object at which threads wait: this one need not wait any longer.
  virtual void woke(int /*thread*/) {}
  // The same for all that came to a barrier in this round.
  virtual void opened(const void* /*barrier*/, std::uint64_t /*round*/) {}
  // Plain accesses.
  virtual void read(const void* address, std::size_t size, const void* pc) = 0;
  virtual void write(const void* address, std::size_t size, const void* pc) = 0;
  // Something the thread learns without a step: the time. It may depend on the order of steps that commute. `from` holds it,
  // and may be changed by being read.
  virtual void observed_environment(std::uint64_t value, const void* from, bool changes) = 0;
  // By how much a thread that slept, timed out or looks at the clock comes too late.
  virtual Nanoseconds delay() = 0;
  virtual void allocated(void* block, std::size_t size, const void* pc) = 0;
  virtual void freed(void* block, std::size_t size, const void* pc) = 0;
  virtual void throws() = 0;  // an exception
  virtual void leaves_function(const void* pc) = 0;
  // Ends this execution with a finding, perhaps about something at an address.
  [[noreturn]] virtual void fail(FindingKind kind, std::string_view message, const void* pc,
                                 const void* address) = 0;
  [[noreturn]] void fail(FindingKind kind, std::string_view message, const void* pc) {
    fail(kind, message, pc, nullptr);
    __builtin_unreachable();
  }
  // The same for what is no fault of the program: the engine cannot run it.
  [[noreturn]] void refuse(std::string_view message, const void* pc) {
    report_refusal(message, pc);
    __builtin_unreachable();
  }
  // Starts a thread, returns its number; or why not. `stack`: its size in bytes, 0: as is usual.
  static constexpr int kTooManyThreads = -1;
  static constexpr int kNoSuchStack = -2;
  virtual int start(void* (*entry)(void*), void* argument, std::size_t stack) = 0;
  [[noreturn]] virtual void finish_thread() = 0;
  virtual bool finished(int thread) const = 0;
  // These two are also asked by the thread that watches (watchdog.hpp).
  virtual std::uint64_t steps() const = 0;
  virtual int running() const = 0;  // the thread that is
  // Leaves the execution, from within a signal handler of the thread that runs it: it does not come to an end.
  [[noreturn]] virtual void interrupt() = 0;

 protected:
  [[noreturn]] virtual void report_refusal(std::string_view message, const void* pc) = 0;
  virtual bool reach(const Step& step) = 0;
  virtual void note_executed(const Step& step, std::uint64_t before, std::uint64_t after, bool wrote) = 0;
  // What the engine, or an execution before, left on the thread's stack, in places where the program's next functions keep nothing, would
  // be taken for something that they keep when it is asked whether a loop does the same again (explore/local_state.hpp), and it is
  // not the same in every execution. Only loops that look at the clock are told so closely that it matters; it costs as much as a step.
  static void leave_nothing_below() {
    if (__builtin_expect(static_cast<long>(g_time_matters), 0) != 0) wipe_below();
  }
  static void wipe_below();
};

extern Control* g_control;  // non-null while an exploration runs
extern bool
    g_in_engine;  // the engine itself runs, on whatever stack; set by EngineScope and ProgramScope only
extern bool g_multithreaded;    // the program has more than one thread
extern bool g_track_accesses;   // it has, and plain accesses are to be reported
extern bool g_surveyed;         // and returns from functions, too
extern bool g_is_instrumented;  // some hook was called under exploration
// `constinit`: otherwise each use would first ask whether the variable has to be made.
extern constinit thread_local int t_fiber
    __attribute__((tls_model("initial-exec")));  // -1: not under exploration

// Where the stack of each thread under exploration lies; and how often each wrote plainly elsewhere.
struct Stack {
  std::uintptr_t low = 0;
  std::uintptr_t high = 0;

  bool holds(const void* address) const {
    return reinterpret_cast<std::uintptr_t>(address) - low < high - low;
  }
};
extern Stack g_stacks[kMaxThreads];
extern Stack g_all_stacks;  // what lies elsewhere lies on none of those that this execution uses
extern std::uint64_t g_writes[kMaxThreads];

inline bool exploring() { return __builtin_expect(static_cast<long>(t_fiber >= 0), 0) != 0 && !g_in_engine; }

// While one of these lives, hooks and allocations go to the real thing. They nest: each restores what it found, and since that is
// kept on the fiber's own stack, a fiber that is resumed is as deep in the engine as it was when it was left. A pruned execution
// leaves some behind on stacks that are never returned to; Execution::run() restores what was before all of them.
class EngineScope {
 public:
  EngineScope() : before_(g_in_engine) { g_in_engine = true; }
  ~EngineScope() { g_in_engine = before_; }
  EngineScope(const EngineScope&) = delete;
  EngineScope& operator=(const EngineScope&) = delete;

 private:
  bool before_;
};

// The other way round: a fiber begins in the middle of the engine, and what it runs is the program's.
class ProgramScope {
 public:
  ProgramScope() : before_(g_in_engine) { g_in_engine = false; }
  ~ProgramScope() { g_in_engine = before_; }
  ProgramScope(const ProgramScope&) = delete;
  ProgramScope& operator=(const ProgramScope&) = delete;

 private:
  bool before_;
};

}  // namespace plumb::runtime
