// Mutexes. The order of critical sections is chosen first, by a read-modify-write that never waits; then the thread waits, without a choice,
// until the section before its own has ended. Where the program asks whether a mutex is locked, or waits for it until a time, it is a
// compare-exchange that waits instead.
#include <pthread.h>

#include <algorithm>

#include "explore/graph/graph_execution.hpp"

namespace plumb::engine {

using graph::Event;
using graph::event_id;
using graph::EventId;
using graph::EventKind;
using graph::Update;
using runtime::Step;

namespace {

constexpr std::uint8_t kAcquire = 2;
constexpr std::uint8_t kRelease = 3;

}  // namespace

bool GraphExecution::lock(int self, const Step& step) {
  Walker& mine = walker(self);
  for (Held& held : mine.held) {
    if (held.mutex != step.address || step.ready != nullptr) continue;
    ++held.depth;
    return true;
  }
  if (step.timed && !is_alone_) return try_lock(self, step);
  if (is_alone_ && step.ready != nullptr && !step.ready(step, self)) return time_out_alone(step);
  lock_now(self, step.address, 1);
  return true;
}

void GraphExecution::lock_now(int self, const void* mutex, int depth) {
  if (!is_alone_) {
    walker(self).loops.clear();
    if (!is_tried(mutex)) {
      choose_section(self, mutex, kAcquire);
    } else if (!lock_by_exchange(self, mutex)) {
      wait_forever(self);
    }
  }
  walker(self).held.push_back({mutex, depth});
}

bool GraphExecution::is_tried(const void* mutex) const {
  return std::find(tried_mutexes_.begin(), tried_mutexes_.end(), mutex) != tried_mutexes_.end();
}

Event GraphExecution::lock_event(const void* object, Update update) {
  const Event event{.kind = EventKind::kUpdateRead,
                    .update = update,
                    .location = locations_.find_or_add_object(object),
                    .size = sizeof(std::uint64_t),
                    .operand = 1,
                    .address = object};
  if (event.location == graph::kNoLocation) refuse("more variables than a graph can hold", nullptr);
  return event;
}

// Which use of the object comes before.
EventId GraphExecution::choose_section(int self, const void* object, std::uint8_t order) {
  if (replays(self)) {
    expect(next_event(self), EventKind::kUpdateRead, object);
    wait_for_source(self, next_event(self).source);
  } else {
    wait_for_turn(self);
    add_access(self, lock_event(object, Update::kAdd));
  }
  const EventId before = next_event(self).source;
  pass(self);
  pass(self);
  if (before.is_initial() || graph()[before].kind != EventKind::kUpdateWrite) return graph::kInitial;
  const EventId end = wait_for_end_of(self, before, object);
  take_other(self, {.kind = EventKind::kGate, .order = order, .source = end, .address = object});
  return end;
}

// Of the use that began there; it has come when this returns.
EventId GraphExecution::wait_for_end_of(int self, EventId begin, const void* object) {
  for (;;) {
    if (has_ended(begin, object)) return end_after(begin, object);
    walker(self).source = begin;
    walker(self).object = object;
    wait(self, Wait::kUnlock);
  }
}

// Initial: there is none yet.
EventId GraphExecution::end_after(EventId begin, const void* object) {
  const auto& events = graph().events_of(begin.thread);
  for (std::size_t i = begin.index + 1U; i < events.size(); ++i) {
    const bool ends = events[i].kind == EventKind::kOpen || events[i].kind == EventKind::kClose;
    if (ends && events[i].address == object) return event_id(begin.thread, i);
  }
  return graph::kInitial;
}

bool GraphExecution::has_ended(EventId begin, const void* object) {
  const EventId end = end_after(begin, object);
  return !end.is_initial() && has_passed(end);
}

// How often the thread held it.
int GraphExecution::unlock(int self, const void* mutex, bool fully) {
  Walker& mine = walker(self);
  const auto held =
      std::find_if(mine.held.begin(), mine.held.end(), [&](const Held& one) { return one.mutex == mutex; });
  if (held == mine.held.end()) return 0;
  const int depth = held->depth--;
  if (!fully && held->depth > 0) return depth;
  mine.held.erase(held);
  if (is_alone_) return depth;
  mine.loops.clear();
  if (!is_tried(mutex)) {
    take_other(self, {.kind = EventKind::kOpen, .address = mutex});
    return depth;
  }
  if (replays(self)) {
    expect(next_event(self), EventKind::kWrite, mutex);
  } else {
    wait_for_turn(self);
    Event event = lock_event(mutex, Update::kExchange);
    event.kind = EventKind::kWrite;
    event.order = kRelease;
    add_access(self, event);
  }
  pass(self);
  return depth;
}

bool GraphExecution::lock_by_exchange(int self, const void* mutex) {
  if (replays(self)) {
    expect(next_event(self), EventKind::kUpdateRead, mutex);
    wait_for_source(self, next_event(self).source);
  } else {
    wait_for_turn(self);
    Event event = lock_event(mutex, Update::kCompareExchange);
    event.order = kAcquire;
    add_access(self, event);
  }
  const bool succeeds = next_event(self).succeeds;
  pass(self);
  if (succeeds) pass(self);
  return succeeds;
}

// The hook looks into the mutex itself, which may have been unlocked since by a thread that was run already: it is shown what the graph
// says, until end_use().
bool GraphExecution::try_lock(int self, const Step& step) {
  Walker& mine = walker(self);
  if (step.operand != 0) return lock(self, step);  // its own, once more
  if (is_alone_) return true;                      // end_use() sees whether it was to be had
  if (!is_tried(step.address)) {
    tried_mutexes_.push_back(step.address);
    give_up_to_restart();
  }
  look_for_loop(self, step);
  const int index = mine.at;
  auto& word = static_cast<pthread_mutex_t*>(const_cast<void*>(step.address))->__data.__lock;
  if (lock_by_exchange(self, step.address)) {
    mine.loops.clear();
    mine.held.push_back({step.address, 1});
    return true;
  }
  const Event& read = graph()[event_id(self, static_cast<std::size_t>(mine.at - 1))];
  note_read(self, step, read, index);
  mine.mutex_word = word;
  mine.shown = &word;
  word = read.source.thread + 1;
  return !step.timed;
}

}  // namespace plumb::engine
