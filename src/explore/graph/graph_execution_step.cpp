// Steps: atomic accesses as events. What threads do to objects stands elsewhere (graph_execution_locks.cpp, graph_execution_objects.cpp).
#include <utility>

#include <fmt/format.h>

#include "explore/graph/graph_execution.hpp"
#include "explore/graph/weak_reads.hpp"
#include "runtime/program_data.hpp"

namespace plumb::engine {

using graph::Event;
using graph::event_id;
using graph::EventId;
using graph::EventKind;
using runtime::EngineScope;
using runtime::Step;
using runtime::StepKind;

namespace {

// What the step has as its operand: a number, or where the bytes are.
std::uint64_t operand_value(graph::WideValues& wide, std::uint64_t operand, std::size_t size) {
  if (size <= graph::WideValues::kWord) return operand;
  return wide.value(reinterpret_cast<const void*>(operand), size);  // NOLINT(performance-no-int-to-ptr)
}

EventKind kind_of(StepKind access) {
  if (access == StepKind::kLoad) return EventKind::kRead;
  return access == StepKind::kStore ? EventKind::kWrite : EventKind::kUpdateRead;
}

}  // namespace

void GraphExecution::come_to(const Step& step) {
  const int self = current_;
  learn_plain_values(self);
  next_[static_cast<std::size_t>(self)] = &step;
  if ((lends_ & bit(self)) != 0) end_borrowed(find_alive(self), step.pc);
  if (followed_) follow(self, step);
  if (++steps_ > limits_.steps) report_step_limit(step);
  check_room(self);
}

[[gnu::always_inline]] inline bool GraphExecution::take_access(int self, const Step& step) {
  if (is_alone_) return true;
  Walker& mine = walker(self);
  Turns& turns = threads_[static_cast<std::size_t>(self)].turns;
  const bool lacks_fence = library_waits_.holds(step.address) && step.order == graph::kSequentiallyConsistent;
  if (lacks_fence && step.kind == StepKind::kLoad)
    take_library_fence(self, EventKind::kNotifierFence, step.address);
  // A loop that looks at the clock is shown the same time when it is run again.
  const bool may_loop =
      step.kind != StepKind::kStore && (mine.at >= mine.loops_from || runtime::g_time_matters);
  if (may_loop) look_for_loop(self, step);
  if (turns.often() && step.kind != StepKind::kLoad) look_for_turns(self, step);
  // A weak compare-exchange that fails though it would succeed is a read, which was chosen before. Where the value is another it fails anyway.
  mine.fails = step.weak && choose_spurious_now(SpuriousEvent::kCasFailure);
  const EventKind kind = mine.fails ? EventKind::kRead : kind_of(step.kind);
  const int index = mine.at;
  if (replays(self)) {
    const Event& known = next_event(self);
    expect(known, kind, step.address);
    if (kind != EventKind::kWrite) wait_for_source(self, known.source);
  } else if (!add_next_access(self, step, kind)) {
    return true;
  }
  const Event& event = next_event(self);
  pass(self);
  if (kind == EventKind::kWrite) {
    mine.loops.clear();
    turns.changed(step, event.value, 0);
    return true;
  }
  if (mine.fails && event.value != expected_value(step)) wait_in_vain(self);
  place_value(event, step);
  if (event.succeeds) {
    if (next_event(self).value != event.value) turns.changed(step, event.value, 0);
    pass_update_write(self);
  }
  if (may_loop) note_read(self, step, event, index);
  if (lacks_fence && kind == EventKind::kUpdateRead)
    take_library_fence(self, EventKind::kWaiterFence, step.address);
  return true;
}

// False: it is not the program's memory.
[[gnu::noinline]] bool GraphExecution::add_next_access(int self, const Step& step, EventKind kind) {
  is_outside_ = !runtime::ProgramData::in_program(step.address);
  if (is_outside_) return false;  // perhaps nowhere: a crash is to be the program's own
  if (!fine(step.address, step.size)) check_atomic_access(step, step.writes);
  wait_for_turn(self);
  if (locations_.fit_atomic(step.address, step.size)) give_up_to_restart();
  Event access = event_of(step, kind);
  if (walker(self).fails) access.order = access.failure_order;
  add_access(self, access);
  return true;
}

bool GraphExecution::reach(const Step& step) {
  if (search_ == nullptr) return Execution::reach(step);
  const EngineScope in_engine;
  const int self = current_;
  come_to(step);
  if (is_atomic(step.kind)) return take_access(self, step);
  return take_step(self, step);
}

void GraphExecution::take_library_fence(int self, EventKind kind, const void* counter) {
  take_other(self, {.kind = kind, .order = graph::kSequentiallyConsistent, .address = counter});
}

std::uint64_t GraphExecution::expected_value(const Step& step) {
  return operand_value(search_->wide_values(), step.operand, step.size);
}

Event GraphExecution::event_of(const Step& step, EventKind kind) {
  graph::WideValues& wide = search_->wide_values();
  const Orders orders = orders_of(step);
  Event event{.kind = kind, .order = orders.order, .failure_order = orders.failure, .update = step.update};
  event.location = locations_.find_or_add(step.address, step.size);
  if (event.location == graph::kNoLocation)
    refuse("atomic accesses of different sizes overlap, which is not explored under this memory model",
           step.pc);
  event.size = static_cast<std::uint16_t>(step.size);
  event.address = step.address;
  event.pc = step.pc;
  stronger_.apply(event);
  const std::uint64_t operand =
      step.kind == StepKind::kLoad ? 0 : operand_value(wide, step.operand, step.size);
  if (step.kind == StepKind::kStore) event.value = operand;
  if (step.kind == StepKind::kCompareExchange) {
    event.expected = operand;
    event.operand = operand_value(wide, step.desired, step.size);
  } else {
    event.operand = operand;
  }
  return event;
}

GraphExecution::Orders GraphExecution::orders_of(const Step& step) {
  Orders orders{step.order, step.failure_order};
  if (!changed_.is_on()) return orders;
  const AccessKind kind = step.kind == StepKind::kLoad    ? AccessKind::kLoad
                          : step.kind == StepKind::kStore ? AccessKind::kStore
                          : step.kind == StepKind::kFence ? AccessKind::kFence
                                                          : AccessKind::kUpdate;
  orders.order = changed_.order_of(step.pc, kind, step.order);
  if (step.kind == StepKind::kCompareExchange)
    orders.failure = changed_.order_of(step.pc, AccessKind::kFailure, step.failure_order);
  return orders;
}

// With the orders that it has had, for a trace.
Step GraphExecution::as_shown(const Step& step) {
  Step shown = step;
  if (is_alone_ || !(is_atomic(step.kind) || step.kind == StepKind::kFence)) return shown;
  const Orders orders = orders_of(step);
  shown.order = orders.order;
  shown.failure_order = orders.failure;
  return shown;
}

void GraphExecution::add_access(int self, const Event& access) {
  graph().need_locations(locations_.count());
  graph::Location& location = graph().location(access.location);
  if (location.is_empty() && !locations_[access.location].is_object)
    location.initial = search_->wide_values().value(access.address, access.size);
  if (access.kind == EventKind::kWrite) return search_->add_write(self, access);
  const bool is_held = threads_[static_cast<std::size_t>(self)].turns.is_held();
  search_->add_read(self, access, std::exchange(walker(self).is_patient, false) || is_held);
}

void GraphExecution::place_value(const Event& read, const Step& step) {
  search_->wide_values().write(read.value, const_cast<void*>(step.address), step.size);
}

void GraphExecution::note_executed(const Step& step, std::uint64_t before, std::uint64_t after, bool wrote) {
  if (search_ == nullptr) return Execution::note_executed(step, before, after, wrote);
  if (is_atomic(step.kind) && recorder_ == nullptr) return note_access(step, wrote);
  note_any(step, before, after, wrote);
}

void GraphExecution::note_any(const Step& step, std::uint64_t before, std::uint64_t after, bool wrote) {
  const EngineScope in_engine;
  const bool is_event = step.kind == StepKind::kFence && !is_alone_ && step.order != 0;
  if (is_event) {
    learn_plain_values(current_);
    take_other(
        current_,
        {.kind = EventKind::kFence, .order = stronger_.of_fence(step, orders_of(step).order), .pc = step.pc});
  }
  if (recorder_ != nullptr)
    recorder_->executed({current_, as_shown(step), before, after, wrote},
                        is_event ? fence_passed() : weak_read(step, wrote));
  if (is_atomic(step.kind)) return note_access(step, wrote);
  end_use(current_, step, wrote);
  if (uses_object(step.kind)) note_access(step, wrote);
}

void GraphExecution::note_access(const Step& step, bool wrote) {
  runtime::g_is_instrumented |= is_atomic(step.kind);
  if (is_alone_ || (!is_outside_ && is_atomic(step.kind) &&
                    races_.quick_atomic_at(current_, step.address, step.size, wrote)))
    return;
  check_access(step, wrote);
}

void GraphExecution::check_access(const Step& step, bool wrote) {
  const EngineScope in_engine;
  if (is_outside_ || (uses_object(step.kind) && !runtime::ProgramData::in_program(step.address)))
    refuse(
        "a lock or an atomic variable outside the program's own memory is not explored under this memory "
        "model",
        step.pc);
  if (races_.atomic_at(current_, step.address, step.size, wrote))
    report_race(races_.race(), step.address, step.size, wrote, step.pc);
}

// For the trace.
WeakRead GraphExecution::weak_read(const Step& step, bool wrote) const {
  if (is_alone_ || is_outside_) return {};
  if (!is_atomic(step.kind)) return uses_object(step.kind) ? gate_passed() : WeakRead{};
  int last = walker(current_).at - 1;
  if (graph::is_fence((*graph_)[event_id(current_, static_cast<std::size_t>(last))].kind))
    --last;  // a library's
  const bool is_store = step.kind == StepKind::kStore;
  const EventId read = event_id(current_, static_cast<std::size_t>(last - (wrote ? 1 : 0)));
  WeakRead about;
  if (!is_store && is_read((*graph_)[read]))
    about = graph::weak_read(*graph_, read, [this](EventId write) { return has_passed(write); });
  if (wrote || is_store) about.made = last;
  return about;
}

WeakRead GraphExecution::fence_passed() const {
  return graph::fence_passed(*graph_, event_id(current_, static_cast<std::size_t>(walker(current_).at - 1)));
}

// A step that uses a lock or the like has passed a gate, or has opened one; or it ends its use right after this.
WeakRead GraphExecution::gate_passed() const {
  const Walker& mine = walker(current_);
  const int at = mine.at;
  if (at == 0) return {};
  const EventId last = event_id(current_, static_cast<std::size_t>(at - 1));
  const Event& event = (*graph_)[last];
  WeakRead about = event.kind == EventKind::kGate ? graph::released_before(*graph_, last) : WeakRead{};
  if (event.kind == EventKind::kOpen) about.made = at - 1;
  if (mine.use.object != nullptr) about.made = at;
  return about;
}

}  // namespace plumb::engine
