// Records an execution in full, for a person: the call stack of every step, memory that is allocated and freed, and plain
// accesses to the place that a finding is about. That is slow, so only the failing execution is run again with it.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "explore/executed_step.hpp"
#include "explore/weak_read.hpp"
#include "runtime/control.hpp"
#include "runtime/step.hpp"

namespace plumb::engine {

// A function that waits for another to return (or, the innermost one, stands at an instruction).
struct Frame {
  std::uintptr_t pc = 0;  // an address inside the call or the instruction, never after it
  std::uintptr_t stack_pointer = 0;
  std::uintptr_t base_pointer = 0;
  std::uintptr_t caller =
      0;  // the stack pointer of the caller, before the call: DWARF's canonical frame address

  bool holds(std::uintptr_t address) const { return address >= stack_pointer && address < caller; }
};
using CallStack = std::vector<Frame>;    // innermost first
void take_call_stack(CallStack& stack);  // of the caller; room for kDeepestStack frames is room enough
constexpr std::size_t kDeepestStack = 128;

struct TraceEntry {
  enum class Kind : std::uint8_t { kStep, kRead, kWrite, kAllocate, kFree };
  Kind kind = Kind::kStep;
  ExecutedStep executed;
  std::size_t bytes = 0;  // of memory allocated or freed, or accessed
  CallStack stack;
  // The frames, of whatever thread, that hold the object, the value seen and the value left.
  std::array<Frame, 3> owners{};
  WeakRead read = {};  // along a graph, of an atomic read
};

class TraceRecorder {
 public:
  // Plain accesses to these bytes are recorded too.
  void watch(const void* address, std::size_t size);

  void begin();  // a new execution
  void at_point(int thread, const runtime::Step& step);
  void executed(const ExecutedStep& executed, const WeakRead& read = {});
  void accessed(int thread, const void* address, std::size_t size, bool write, const void* pc);
  void allocated(int thread, const void* block, std::size_t size);
  void freed(int thread, const void* block, std::size_t size);
  void threw(int thread);
  void failed(int thread);

  const std::vector<TraceEntry>& entries() const { return entries_; }
  const CallStack& stack(int thread) const { return threads_[static_cast<std::size_t>(thread)].stack; }
  const CallStack& thrown(int thread) const { return threads_[static_cast<std::size_t>(thread)].thrown; }
  Frame owner(std::uintptr_t address) const;  // the frame, of whatever thread, that holds it
  // The step that the thread stands before, or null.
  const runtime::Step* waits_at(int thread) const {
    const Thread& waiter = threads_[static_cast<std::size_t>(thread)];
    return waiter.waits ? &waiter.next : nullptr;
  }

 private:
  struct Thread {
    CallStack stack;
    CallStack thrown;  // where it last threw an exception
    runtime::Step next;
    bool waits = false;
  };
  void take_stack(int thread);
  void add(TraceEntry::Kind kind, const ExecutedStep& executed, std::size_t bytes);

  std::uintptr_t watched_ = 0;
  std::size_t watched_size_ = 0;
  std::vector<TraceEntry> entries_;
  std::array<Thread, runtime::kMaxThreads> threads_;
};

}  // namespace plumb::engine
