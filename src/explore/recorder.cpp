#include "explore/recorder.hpp"

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

void Recorder::watch(const void* address, std::size_t size) {
  watched_ = reinterpret_cast<std::uintptr_t>(address);
  watched_size_ = address == nullptr ? 0 : size;
}

void Recorder::begin() {
  moments_.clear();
  threads_ = {};
}

void Recorder::take_stack(int thread) { threads_[static_cast<std::size_t>(thread)].stack = call_stack(); }

void Recorder::at_point(int thread, const runtime::Step& step) {
  take_stack(thread);
  threads_[static_cast<std::size_t>(thread)].next = step;
  threads_[static_cast<std::size_t>(thread)].waits = true;
}

void Recorder::executed(const Event& event) {
  threads_[static_cast<std::size_t>(event.thread)].waits = false;
  add(Moment::Kind::kStep, event, event.step.size);
}

void Recorder::accessed(int thread, const void* address, std::size_t size, bool write, const void* pc) {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  if (at >= watched_ + watched_size_ || watched_ >= at + size) return;
  const runtime::Step step{.writes = write, .address = address, .pc = pc};
  add(write ? Moment::Kind::kWrite : Moment::Kind::kRead, {.thread = thread, .step = step, .wrote = write},
      size);
}

void Recorder::allocated(int thread, const void* block, std::size_t size) {
  add(Moment::Kind::kAllocate, {.thread = thread, .step = {.address = block}}, size);
}

void Recorder::freed(int thread, const void* block, std::size_t size) {
  add(Moment::Kind::kFree, {.thread = thread, .step = {.address = block}}, size);
}

void Recorder::threw(int thread) { threads_[static_cast<std::size_t>(thread)].thrown = call_stack(); }
void Recorder::failed(int thread) { take_stack(thread); }

void Recorder::add(Moment::Kind kind, const Event& event, std::size_t bytes) {
  take_stack(event.thread);
  moments_.push_back({.kind = kind,
                      .event = event,
                      .bytes = bytes,
                      .stack = stack(event.thread),
                      .owners = {owner(reinterpret_cast<std::uintptr_t>(event.step.address)),
                                 owner(event.before), owner(event.after)}});
}

Frame Recorder::owner(std::uintptr_t address) const {
  for (const Thread& thread : threads_) {
    for (const Frame& frame : thread.stack) {
      if (frame.holds(address)) return frame;
    }
  }
  return {};
}

}  // namespace plumb::engine
