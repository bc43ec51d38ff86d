// What threads do to condition variables, semaphores, barriers, read-write locks, futexes, and to what is done once. Each use of such an object is
// short and does not overlap another: which comes before is chosen by a read-modify-write that never waits, then the thread waits, without
// a choice, until that one has ended. So the object itself, in memory, is what the uses before have left, and the hook does the rest. A
// thread that finds that it has to wait, for a semaphore or a lock, is given up: it is run elsewhere with its use after the one that it
// waits for. One that waits to be woken waits for one use, that of the thread that wakes it.
//
// What a use orders goes by its kind: of what was released at the object before, a use that acquires knows all.
#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "explore/graph/graph_execution.hpp"
#include "explore/unwatched.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {

using graph::Event;
using graph::event_id;
using graph::EventId;
using graph::EventKind;
using runtime::Step;
using runtime::StepKind;

namespace {

constexpr std::uint8_t kNoOrder = 0;
constexpr std::uint8_t kAcquire = 2;
constexpr std::uint8_t kRelease = 3;
constexpr std::uint8_t kBoth = 4;
constexpr std::uint64_t kReaderLeaves = 1;  // the value of the end of such a use

// A lock that one thread holds at a time, and for which memory is not asked.
bool is_mutex(const Step& step) { return !step.shares && step.size == 1; }

// What a use that did its work orders. Readers do not come after readers: see come_after_readers().
std::uint8_t order_of(const Step& step) {
  switch (step.kind) {
    case StepKind::kAcquire:
    case StepKind::kTryAcquire:
    case StepKind::kLock:
    case StepKind::kTryLock:
    case StepKind::kReadLock:
    case StepKind::kTryReadLock:
      return kAcquire;
    case StepKind::kPost:
      return kRelease;
    case StepKind::kUnlock:
      return step.writes ? kRelease : kNoOrder;
    case StepKind::kBarrier:
    case StepKind::kFutexWait:
    case StepKind::kFutexWake:
      return kBoth;
    case StepKind::kOnce:
      return step.ready != nullptr ? kAcquire : kRelease;
    default:
      return kNoOrder;
  }
}

// The kernel looks at the word, and wakes, under one lock: who comes later sees what was stored before the call that came earlier.
bool is_futex(StepKind kind) { return kind == StepKind::kFutexWait || kind == StepKind::kFutexWake; }

}  // namespace

// Everything but atomic accesses. False: it timed out.
bool GraphExecution::take_step(int self, const Step& step) {
  switch (step.kind) {
    case StepKind::kLock:
      return is_mutex(step) ? lock(self, step) : use(self, step);
    case StepKind::kTryLock:
      return is_mutex(step) ? try_lock(self, step) : use(self, step);
    case StepKind::kUnlock:
      if (!is_mutex(step)) return use(self, step);
      unlock(self, step.address, false);
      return true;
    case StepKind::kJoin:
      if (!is_alone_) step.address == nullptr ? join_all(self) : join(self, static_cast<int>(step.operand));
      find_out_if_alone(self);
      return true;
    case StepKind::kDestroy:  // it must not race with any use
      std::erase_if(opened_, [&](const auto& one) { return one.first.first == step.address; });
      if (!is_alone_) check_race(step.address, 1, true, step.pc);
      return true;
    case StepKind::kWait:
      return begin_wait(self, step);
    case StepKind::kWake:
    case StepKind::kFutexWoken:
      return end_wait(self, step);
    case StepKind::kBarrierLeave:
      return leave_barrier(self, step);
    case StepKind::kTryJoin:
      if (!is_alone_)
        refuse(
            "to ask whether a thread has ended, or to wait for that until a time (pthread_tryjoin_np, "
            "pthread_timedjoin_np), is not explored under this memory model",
            step.pc);
      return true;
    case StepKind::kCreate:  // start() adds the event
    case StepKind::kEnd:
      return true;
    case StepKind::kYield:
    case StepKind::kSleep:
      note_pause(self, step);
      return true;
    default:
      return use(self, step);
  }
}

// The one thread that runs has to wait.
bool GraphExecution::time_out_alone(const Step& step) {
  if (!step.timed) report_deadlock();
  return false;
}

// A futex is the end of a protocol of atomic variables and fences. Where these are in code without hooks they order nothing here, and a
// notification would get lost that is not lost.
void GraphExecution::refuse_wait_unseen(const Step& step) {
  if (std::ranges::find(seen_waits_, step.pc) != seen_waits_.end()) return;
  const std::string library = unwatched_library_at(step.pc);
  if (library.empty()) {
    seen_waits_.push_back(step.pc);
  } else {
    refuse(fmt::format("{}, which is compiled without the hooks (-fsanitize=thread), waits by atomic "
                       "variables and fences of its own, which is not explored under this memory model",
                       library),
           step.pc);
  }
}

bool GraphExecution::use(int self, const Step& step) {
  const auto is_ready = [&] { return step.ready == nullptr || step.ready(step, self); };
  if (is_alone_) return is_ready() || time_out_alone(step);
  if (step.kind == StepKind::kFutexWait) refuse_wait_unseen(step);
  begin_use(self, step.address, is_futex(step.kind) ? kAcquire : kNoOrder);
  if (step.kind == StepKind::kFutexWait) read_futex(self, step);
  if (is_ready()) return true;
  if (step.timed) note_pause(self, step);
  if (step.timed) return false;  // if there was something to wait for, its use comes before in another graph
  close(self, {.address = step.address});
  for (;;) wait(self, Wait::kReady);
}

void GraphExecution::begin_use(int self, const void* object, std::uint8_t order) {
  Walker& mine = walker(self);
  mine.loops.clear();
  const EventId before = choose_section(self, object, order);
  // A gate stands between the beginning and here, unless this is the first use.
  mine.use = {.object = object,
              .begin = event_id(self, static_cast<std::size_t>(mine.at - (before.is_initial() ? 1 : 2))),
              .before = before};
}

void GraphExecution::close(int self, Event end) {
  Walker& mine = walker(self);
  end.kind = EventKind::kClose;
  end.source = mine.use.before;
  take_other(self, end);
  mine.use.object = nullptr;
}

// The step has been taken.
void GraphExecution::end_use(int self, const Step& step, bool wrote) {
  Walker& mine = walker(self);
  if (mine.shown != nullptr) *std::exchange(mine.shown, nullptr) = mine.mutex_word;
  if (is_alone_) {
    if (step.kind == StepKind::kTryLock && wrote && is_mutex(step) && step.operand == 0)
      mine.held.push_back({step.address, 1});
    return;
  }
  if (mine.use.object == nullptr) return;
  const bool did = wrote || step.kind == StepKind::kOnce || is_futex(step.kind);
  const bool unlocks = step.kind == StepKind::kUnlock;
  const EventId begin = mine.use.begin;
  close(self, {.order = did ? order_of(step) : kNoOrder,
               .value = unlocks && !step.writes ? kReaderLeaves : 0,
               .address = step.address});
  if (step.shares && step.writes && wrote && !unlocks) come_after_readers(self, begin);
}

// Of a lock that readers share: those that have read since the last one wrote.
void GraphExecution::come_after_readers(int self, EventId begin) {
  const void* lock = graph()[begin].address;
  EventId use = graph()[event_id(begin.thread, begin.index - 1U)].source;
  while (!use.is_initial()) {
    const EventId end = end_after(use, lock);
    if (graph::releases(graph()[end].order)) break;  // a writer, which came after all before it
    if (graph()[end].value == kReaderLeaves)
      take_other(self, {.kind = EventKind::kGate, .order = kAcquire, .source = end, .address = lock});
    use = graph()[event_id(use.thread, use.index - 1U)].source;
  }
}

// What the kernel compares with what is expected.
void GraphExecution::read_futex(int self, const Step& step) {
  if (replays(self)) {
    expect(next_event(self), EventKind::kRead, step.address);
    wait_for_source(self, next_event(self).source);
  } else {
    wait_for_turn(self);
    if (locations_.fit_atomic(step.address, step.size)) give_up_to_restart();
    add_access(self, event_of({.kind = StepKind::kLoad,
                               .order = kNoOrder,
                               .size = step.size,
                               .address = step.address,
                               .pc = step.pc},
                              EventKind::kRead));
  }
  const Event& event = next_event(self);
  pass(self);
  place_value(event, step);
}

// At a condition variable the mutex is given back while the thread queues up.
bool GraphExecution::begin_wait(int self, const Step& step) {
  Walker& mine = walker(self);
  mine.wakes_by_itself = choose_spurious_now(SpuriousEvent::kWakeup);
  if (!is_alone_) begin_use(self, step.address, kNoOrder);
  mine.depth = unlock(self, step.also, true);
  return true;
}

// The thread has queued up. It is woken, or leaves the queue by itself: if it was woken before, that is no other execution.
bool GraphExecution::end_wait(int self, const Step& step) {
  Walker& mine = walker(self);
  bool in_time = true;
  if (is_alone_) {
    in_time = time_out_alone(step);
  } else {
    in_time = !step.timed || !times_out(self, step);
    if (in_time && !mine.wakes_by_itself) {
      wait_to_be_woken(self, step);
    } else {
      begin_use(self, step.address, kNoOrder);
      const bool too_late = !runtime::waits(self);
      runtime::stop_waiting(self);
      close(self, {.address = step.address});
      if (too_late) wait_in_vain(self);
    }
    mine.loops.clear();
  }
  if (step.also != nullptr) lock_now(self, step.also, mine.depth);
  mine.wakes_by_itself = false;
  return in_time;
}

void GraphExecution::wait_to_be_woken(int self, const Step& step) {
  Walker& mine = walker(self);
  mine.object = step.address;
  mine.may_time_out = step.timed;
  while (runtime::waits(self) || !has_ended(mine.woken_by, step.address)) wait(self, Wait::kWoken);
  take_other(
      self,
      {.kind = EventKind::kGate, .source = end_after(mine.woken_by, step.address), .address = step.address});
}

void GraphExecution::woke(int thread) {
  if (search_ != nullptr && !is_alone_) walker(thread).woken_by = walker(current_).use.begin;
}

void GraphExecution::opened(const void* barrier, std::uint64_t round) {
  if (search_ == nullptr || is_alone_) return;
  const runtime::EngineScope in_engine;
  opened_[{barrier, round}] = walker(current_).use.begin;
}

// All that came to the barrier before come first.
bool GraphExecution::leave_barrier(int self, const Step& step) {
  if (is_alone_) return time_out_alone(step);
  const auto by = [&] {
    const auto found = opened_.find({step.address, step.operand});
    return found == opened_.end() ? graph::kInitial : found->second;
  };
  while (by().is_initial()) wait(self, Wait::kOpened);
  const EventId end = wait_for_end_of(self, by(), step.address);
  take_other(self, {.kind = EventKind::kGate, .order = kAcquire, .source = end, .address = step.address});
  return true;
}

}  // namespace plumb::engine
