// Steps: atomic accesses as events, and what threads do to mutexes.
#include <pthread.h>

#include <algorithm>

#include <fmt/format.h>

#include "explore/graph/graph_execution.hpp"
#include "explore/local_state.hpp"
#include "runtime/program_data.hpp"

namespace plumb::engine {

using graph::Event;
using graph::event_id;
using graph::EventId;
using graph::EventKind;
using graph::Update;
using runtime::EngineScope;
using runtime::Step;
using runtime::StepKind;

namespace {

constexpr std::uint8_t kAcquire = 2;
constexpr std::uint8_t kRelease = 3;

// What the step has as its operand: a number, or where the bytes are.
std::uint64_t operand_value(graph::WideValues& wide, std::uint64_t operand, std::size_t size) {
  if (size <= graph::WideValues::kWord) return operand;
  return wide.value(reinterpret_cast<const void*>(operand), size);  // NOLINT(performance-no-int-to-ptr)
}

}  // namespace

bool GraphExecution::reach(const Step& step) {
  if (search_ == nullptr) return Execution::reach(step);
  const EngineScope in_engine;
  const int self = current_;
  come_to(step);
  if (is_atomic(step.kind)) return take_access(self, step);
  take_step(self, step);
  return true;
}

void GraphExecution::come_to(const Step& step) {
  const int self = current_;
  learn_plain_values(self);
  next_[static_cast<std::size_t>(self)] = &step;
  if ((lends_ & bit(self)) != 0) end_borrowed(find_alive(self), step.pc);
  if (followed_) follow(self, step);
  if (++steps_ > limits_.steps) report_step_limit(step);
  check_room(self);
}

bool GraphExecution::take_access(int self, const Step& step) {
  if (is_alone_) return true;
  const EventKind kind = step.kind == StepKind::kLoad    ? EventKind::kRead
                         : step.kind == StepKind::kStore ? EventKind::kWrite
                                                         : EventKind::kUpdateRead;
  if (kind != EventKind::kWrite) look_for_loop(self, step);
  if (replays(self)) {
    const Event& known = next_event(self);
    expect(known, kind, step.address);
    if (kind != EventKind::kWrite) wait_for_source(self, known.source);
  } else {
    if (!runtime::ProgramData::in_program(
            step.address)) {  // perhaps nowhere: a crash is to be the program's own
      is_outside_ = true;
      return true;
    }
    if (!fine(step.address, step.size)) check_atomic_access(step, step.writes);
    wait_for_turn(self);
    Event access = event_of(step);
    access.kind = kind;
    add_access(self, access);
  }
  const int index = walker(self).at;
  const Event& event = next_event(self);
  pass(self);
  if (kind == EventKind::kWrite) {
    walker(self).loops.clear();
    return true;
  }
  place_value(event, step);
  if (event.succeeds) pass(self);
  note_read(self, step, event, index);
  return true;
}

Event GraphExecution::event_of(const Step& step) {
  graph::WideValues& wide = search_->wide_values();
  Event event{.order = step.order, .failure_order = step.failure_order, .update = step.update};
  event.location = locations_.find_or_add(step.address, step.size);
  if (event.location == graph::kNoLocation)
    refuse("atomic accesses of different sizes overlap, which is not explored under this memory model",
           step.pc);
  event.size = static_cast<std::uint16_t>(step.size);
  event.address = step.address;
  event.pc = step.pc;
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

void GraphExecution::add_access(int self, Event access) {
  graph().need_locations(locations_.count());
  graph::Location& location = graph().location(access.location);
  if (location.is_empty() && !locations_[access.location].is_object)
    location.initial = search_->wide_values().value(access.address, access.size);
  if (access.kind == EventKind::kWrite) return search_->add_write(self, access);
  search_->add_read(self, access);
}

void GraphExecution::place_value(const Event& read, const Step& step) {
  search_->wide_values().write(read.value, const_cast<void*>(step.address), step.size);
}

// Stays at a loop that would do the same again. Where one is found for the first time the search begins anew, so that no graph has more of its
// rounds than others.
void GraphExecution::look_for_loop(int self, const Step& step) {
  Walker& mine = walker(self);
  mine.state = 0;
  spinning_ &= ~bit(self);
  const bool known = !loop_places_.empty() &&
                     std::find(loop_places_.begin(), loop_places_.end(), step.pc) != loop_places_.end();
  // What is run again was looked at when it was added: to see that it goes round and round takes a few rounds more.
  const int enough = replays(self) ? 2 : 1;
  if (!known && mine.loops.rounds(step.pc, step.address, step.operand) < enough) return;
  mine.state = local_state(self, step).all;
  if (mine.state == 0) return;
  mine.state += runtime::g_writes[self] * 0x9E37'79B9'7F4A'7C15ULL;
  if (!mine.loops.repeats(step.pc, step.address, mine.state)) return;
  if (!known) {
    loop_places_.push_back(step.pc);
    give_up_to_restart();
  }
  if (replays(self)) return;
  spinning_ |= bit(self);
  wait_forever(self);
}

// The write that first stored the value: others may have exchanged it for the same.
EventId GraphExecution::origin_of(EventId source) {
  while (!source.is_initial() && graph()[source].kind == EventKind::kUpdateWrite) {
    const Event& read = graph()[event_id(source.thread, source.index - 1U)];
    if (read.value != graph()[source].value) break;
    source = read.source;
  }
  return source;
}

// What leaves the value as it was is no more than a read.
void GraphExecution::note_read(int self, const Step& step, const Event& read, int index) {
  Walker& mine = walker(self);
  if (read.succeeds && graph()[event_id(self, static_cast<std::size_t>(index) + 1)].value != read.value)
    return mine.loops.clear();
  mine.loops.saw(step.pc, step.address, step.operand, origin_of(read.source), mine.state, index);
}

void GraphExecution::note_executed(const Step& step, std::uint64_t before, std::uint64_t after, bool wrote) {
  if (search_ == nullptr) return Execution::note_executed(step, before, after, wrote);
  const EngineScope in_engine;
  if (recorder_ != nullptr) recorder_->executed(with_newer({current_, step, before, after, wrote}));
  if (step.kind == StepKind::kFence && !is_alone_ && step.order != 0) {
    learn_plain_values(current_);
    take_other(current_, {.kind = EventKind::kFence, .order = step.order});
  }
  if (step.kind == StepKind::kTryLock && !wrote && !is_alone_)
    static_cast<pthread_mutex_t*>(const_cast<void*>(step.address))->__data.__lock =
        walker(current_).mutex_word;
  if (step.kind == StepKind::kTryLock && wrote && is_alone_)
    walker(current_).held.push_back({step.address, 1});
  const bool locks = takes_lock(step.kind) || releases_lock(step.kind);
  runtime::g_is_instrumented |= is_atomic(step.kind);
  if (is_alone_ || (!is_atomic(step.kind) && !locks)) return;
  if (is_outside_ || (locks && !runtime::ProgramData::in_program(step.address)))
    refuse(
        "a lock or an atomic variable outside the program's own memory is not explored under this memory "
        "model",
        step.pc);
  if (!limits_.races) return;
  if (races_.atomic_at(current_, step.address, step.size, wrote))
    report_race(races_.race(), step.address, step.size, wrote, step.pc);
}

// For the trace: whether the thread read an older value than the last one that was stored in this run.
ExecutedStep GraphExecution::with_newer(ExecutedStep executed) const {
  if (is_alone_ || !is_atomic(executed.step.kind) || executed.step.kind == StepKind::kStore) return executed;
  const graph::Graph& now = search_->graph();
  const int read = walker(current_).at - (executed.wrote ? 2 : 1);
  const Event& event = now[event_id(current_, static_cast<std::size_t>(read))];
  if (!is_read(event)) return executed;
  const graph::Location& location = now.location(event.location);
  for (int place = location.last_place(); place > now.place_read(event); --place) {
    const EventId write = location.at(place);
    if (write.thread == current_ || !has_passed(write) || now[write].size > sizeof executed.newer) continue;
    executed.newer_by = write.thread;
    executed.newer = now[write].value;
    executed.newer_pc = now[write].pc;
    break;
  }
  return executed;
}

// Everything but atomic accesses.
void GraphExecution::take_step(int self, const Step& step) {
  const bool matters =
      step.kind == StepKind::kJoin || step.kind == StepKind::kLock || step.kind == StepKind::kUnlock;
  if (is_alone_ && !matters) return;
  if (step.timed) refuse("waiting until a time is not explored under this memory model", step.pc);
  switch (step.kind) {
    case StepKind::kLock:
      return lock(self, step);
    case StepKind::kTryLock:
      return try_lock(self, step);
    case StepKind::kUnlock:
      return unlock(self, step);
    case StepKind::kJoin:
      if (!is_alone_) step.address == nullptr ? join_all(self) : join(self, static_cast<int>(step.operand));
      return find_out_if_alone(self);
    case StepKind::kDestroy:  // it must not race with any use
      return check_race(step.address, 1, true, step.pc);
    case StepKind::kCreate:  // start() adds the event
    case StepKind::kEnd:
    case StepKind::kYield:
    case StepKind::kSleep:
      return;
    default:
      refuse(fmt::format("\"{}\" is not explored under this memory model", runtime::kind_name(step.kind)),
             step.pc);
  }
}

// The order of critical sections is chosen first, by a read-modify-write that never waits; then the thread waits, without a choice, until
// the section before its own has ended. Where the program asks whether a mutex is locked, it is a compare-exchange that waits instead.
void GraphExecution::lock(int self, const Step& step) {
  Walker& mine = walker(self);
  for (Walker::Held& held : mine.held) {
    if (held.mutex != step.address || step.ready != nullptr) continue;
    ++held.depth;
    return;
  }
  if (!is_alone_) {
    mine.loops.clear();
    if (!is_tried(step.address)) {
      choose_section(self, step.address);
    } else if (!lock_by_exchange(self, step)) {
      wait_forever(self);
    }
  }
  mine.held.push_back({step.address, 1});
}

bool GraphExecution::is_tried(const void* mutex) const {
  return std::find(tried_mutexes_.begin(), tried_mutexes_.end(), mutex) != tried_mutexes_.end();
}

Event GraphExecution::lock_event(const void* mutex, Update update) {
  return {.kind = EventKind::kUpdateRead,
          .update = update,
          .location = locations_.find_or_add(mutex, 1, true),
          .size = sizeof(std::uint64_t),
          .operand = 1,
          .address = mutex};
}

void GraphExecution::choose_section(int self, const void* mutex) {
  if (replays(self)) {
    expect(next_event(self), EventKind::kUpdateRead, mutex);
    wait_for_source(self, next_event(self).source);
  } else {
    wait_for_turn(self);
    add_access(self, lock_event(mutex, Update::kAdd));
  }
  const EventId before = next_event(self).source;
  pass(self);
  pass(self);
  if (before.is_initial() || graph()[before].kind != EventKind::kUpdateWrite) return;
  for (EventId end = unlock_after(before, mutex); end.is_initial() || !has_passed(end);
       end = unlock_after(before, mutex)) {
    walker(self).source = before;
    walker(self).object = mutex;
    wait(self, Wait::kUnlock);
  }
  take_other(self, {.kind = EventKind::kGate, .source = unlock_after(before, mutex), .address = mutex});
}

// Initial: there is none yet.
EventId GraphExecution::unlock_after(EventId lock, const void* mutex) {
  const auto& events = graph().events_of(lock.thread);
  for (std::size_t i = lock.index + 1U; i < events.size(); ++i) {
    if (events[i].kind == EventKind::kOpen && events[i].address == mutex) return event_id(lock.thread, i);
  }
  return graph::kInitial;
}

void GraphExecution::unlock(int self, const Step& step) {
  Walker& mine = walker(self);
  const auto held = std::find_if(mine.held.begin(), mine.held.end(),
                                 [&](const Walker::Held& one) { return one.mutex == step.address; });
  if (held == mine.held.end() || --held->depth > 0) return;
  mine.held.erase(held);
  if (is_alone_) return;
  mine.loops.clear();
  if (!is_tried(step.address)) return take_other(self, {.kind = EventKind::kOpen, .address = step.address});
  if (replays(self)) {
    expect(next_event(self), EventKind::kWrite, step.address);
  } else {
    wait_for_turn(self);
    Event event = lock_event(step.address, Update::kExchange);
    event.kind = EventKind::kWrite;
    event.order = kRelease;
    add_access(self, event);
  }
  pass(self);
}

bool GraphExecution::lock_by_exchange(int self, const Step& step) {
  if (replays(self)) {
    expect(next_event(self), EventKind::kUpdateRead, step.address);
    wait_for_source(self, next_event(self).source);
  } else {
    wait_for_turn(self);
    Event event = lock_event(step.address, Update::kCompareExchange);
    event.order = kAcquire;
    add_access(self, event);
  }
  const bool succeeds = next_event(self).succeeds;
  pass(self);
  if (succeeds) pass(self);
  return succeeds;
}

// The hook looks into the mutex itself, which may have been unlocked since by a thread that was run already: it is shown what the graph
// says, until note_executed.
void GraphExecution::try_lock(int self, const Step& step) {
  if (step.size != 1) refuse("trying to take a spin lock is not explored under this memory model", step.pc);
  if (!is_tried(step.address)) {
    tried_mutexes_.push_back(step.address);
    give_up_to_restart();
  }
  Walker& mine = walker(self);
  auto& word = static_cast<pthread_mutex_t*>(const_cast<void*>(step.address))->__data.__lock;
  if (lock_by_exchange(self, step)) {
    mine.loops.clear();
    mine.held.push_back({step.address, 1});
    mine.mutex_word = word = 0;
    return;
  }
  const EventId holder = graph()[event_id(self, static_cast<std::size_t>(mine.at - 1))].source;
  mine.mutex_word = word;
  word = holder.thread + 1;
}

}  // namespace plumb::engine
