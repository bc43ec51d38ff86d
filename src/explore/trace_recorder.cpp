#include "explore/trace_recorder.hpp"

#include <unwind.h>

namespace plumb::engine {
namespace {

constexpr int kBasePointer = 6;  // as DWARF numbers the registers of x86-64

_Unwind_Reason_Code add_frame(_Unwind_Context* context, void* to) {
  auto& stack = *static_cast<CallStack*>(to);
  int at_instruction = 0;
  const std::uintptr_t ip = _Unwind_GetIPInfo(context, &at_instruction);
  const std::uintptr_t stack_pointer = _Unwind_GetCFA(context);  // at the call that this frame waits for
  if (!stack.empty()) stack.back().caller = stack_pointer;
  if (ip == 0 || stack.size() == kDeepestStack) return _URC_END_OF_STACK;
  stack.push_back({.pc = at_instruction != 0 ? ip : ip - 1,
                   .stack_pointer = stack_pointer,
                   .base_pointer = _Unwind_GetGR(context, kBasePointer)});
  return _URC_NO_REASON;
}

CallStack call_stack() {
  CallStack stack;
  take_call_stack(stack);
  return stack;
}

}  // namespace

void take_call_stack(CallStack& stack) {
  stack.clear();
  _Unwind_Backtrace(&add_frame, &stack);
}

void TraceRecorder::watch(const void* address, std::size_t size) {
  watched_ = reinterpret_cast<std::uintptr_t>(address);
  watched_size_ = address == nullptr ? 0 : size;
}

void TraceRecorder::begin() {
  entries_.clear();
  threads_ = {};
}

void TraceRecorder::take_stack(int thread) {
  threads_[static_cast<std::size_t>(thread)].stack = call_stack();
}

void TraceRecorder::at_point(int thread, const runtime::Step& step) {
  take_stack(thread);
  threads_[static_cast<std::size_t>(thread)].next = step;
  threads_[static_cast<std::size_t>(thread)].waits = true;
}

void TraceRecorder::executed(const ExecutedStep& executed, const WeakRead& read) {
  threads_[static_cast<std::size_t>(executed.thread)].waits = false;
  add(TraceEntry::Kind::kStep, executed, executed.step.size);
  entries_.back().read = read;
}

void TraceRecorder::accessed(int thread, const void* address, std::size_t size, bool write, const void* pc) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at >= watched_ + watched_size_ || watched_ >= at + size) return;
  const runtime::Step step{.writes = write, .address = address, .pc = pc};
  add(write ? TraceEntry::Kind::kWrite : TraceEntry::Kind::kRead,
      {.thread = thread, .step = step, .wrote = write}, size);
}

void TraceRecorder::allocated(int thread, const void* block, std::size_t size) {
  add(TraceEntry::Kind::kAllocate, {.thread = thread, .step = {.address = block}}, size);
}

void TraceRecorder::freed(int thread, const void* block, std::size_t size) {
  add(TraceEntry::Kind::kFree, {.thread = thread, .step = {.address = block}}, size);
}

void TraceRecorder::threw(int thread) { threads_[static_cast<std::size_t>(thread)].thrown = call_stack(); }
void TraceRecorder::failed(int thread) { take_stack(thread); }

void TraceRecorder::add(TraceEntry::Kind kind, const ExecutedStep& executed, std::size_t bytes) {
  take_stack(executed.thread);
  entries_.push_back({.kind = kind,
                      .executed = executed,
                      .bytes = bytes,
                      .stack = stack(executed.thread),
                      .owners = {owner(reinterpret_cast<std::uintptr_t>(executed.step.address)),
                                 owner(executed.before), owner(executed.after)}});
}

Frame TraceRecorder::owner(std::uintptr_t address) const {
  for (const Thread& thread : threads_) {
    for (const Frame& frame : thread.stack) {
      if (frame.holds(address)) return frame;
    }
  }
  return {};
}

}  // namespace plumb::engine
