// Who goes on, and how threads begin and end.
#include "explore/graph/graph_execution.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include <fmt/format.h>

#include "runtime/virtual_clock.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {

using graph::Event;
using graph::event_id;
using graph::EventId;
using graph::EventKind;
using runtime::EngineScope;

namespace {

constexpr std::uint8_t kAcquire = 2;

}  // namespace

Execution::End GraphExecution::run_along(graph::Search& search, ThreadOrder* order) {
  search_ = &search;
  graph_ = &search.graph();
  order_ = order;
  reports_races_ = std::exchange(limits_.races, true);
  begin();
  begin_walk();
  start(nullptr, nullptr, 0);
  current_ = 0;
  runtime::g_control = this;
  {
    const EngineScope in_engine;  // until the fiber is on its own
    fibers_.enter(0);
  }
  if (end_ == End::kDone && limits_.leaks && arena_.live() > 0) check_leaks();
  limits_.races = reports_races_;
  walked_ = std::max(count_, graph().thread_count());
  runtime::g_control = nullptr;
  search_ = nullptr;
  is_alone_ = true;
  if (changed_.is_on() && changed_.learn()) must_restart_ = true;
  return end_;
}

void GraphExecution::begin_walk() {
  left_ = 0;
  is_alone_ = true;
  must_restart_ = is_outside_ = any_unknown_ = false;
  operation_places_.clear();
  operations_called_ = 0;
  locations_.begin();
  opened_.clear();
  graph().need_locations(locations_.count());
  for (int thread = 0; thread < std::max(walked_, graph().thread_count()); ++thread) {
    Walker& mine = walker(thread);
    mine.at = 0;
    mine.length = thread < graph().thread_count() ? graph().length(thread) : 0;
    mine.loops_from = last_change(thread);
    left_ += mine.length;
    mine.wait = Wait::kNothing;
    mine.is_joined = false;
    mine.loops.clear();
    mine.held.clear();
    mine.unknown.clear();
    mine.shown = nullptr;
    mine.use = {};
    mine.wakes_by_itself = mine.fails = mine.is_patient = false;
    if (!mine.pauses.empty()) mine.pauses.clear();
    mine.made = 0;
    mine.times.clear();
    mine.read.clear();
  }
}

// Of the events that are run again, the last by which the thread changes something.
int GraphExecution::last_change(int thread) {
  int index = walker(thread).length;
  while (index-- > 1) {
    const Event& event = graph()[event_id(thread, static_cast<std::size_t>(index))];
    if (event.kind == EventKind::kWrite) break;
    if (event.kind == EventKind::kUpdateWrite &&
        event.value != graph()[event_id(thread, static_cast<std::size_t>(index - 1))].value)
      break;
  }
  return index;
}

void GraphExecution::report_difference(std::string_view what) {
  fail(FindingKind::kNondeterministic, fmt::format("the test is not deterministic: {}", what), nullptr);
}

void GraphExecution::take_other(int self, const Event& event) {
  if (replays(self)) {
    const Event& known = next_event(self);
    expect(known, event.kind, event.address);
    wait_for_source(self, known.source);
  } else {
    check_room(self);
    search_->add_other(self, event);
  }
  pass(self);
}

// What a thread knows of is not in its future.
void GraphExecution::note_time(int self) {
  Walker& mine = walker(self);
  const EventId source = graph()[event_id(self, static_cast<std::size_t>(mine.at - 1))].source;
  if (!source.is_initial() && walker(source.thread).times.size() > source.index)
    runtime::come_after(self, walker(source.thread).times[source.index]);
  mine.times.resize(static_cast<std::size_t>(mine.at));
  mine.times.back() = runtime::time_of(self);
}

void GraphExecution::refuse_more_events() {
  refuse("a thread has more events than a graph can hold (32000)", nullptr);
}

void GraphExecution::wait(int self, Wait what) {
  Walker& mine = walker(self);
  mine.wait = what;
  alive_from_[static_cast<std::size_t>(self)] = 0;
  const int next = next_walker();
  if (next != self) {
    current_ = next;
    fibers_.change(self, next);
  }
  mine.wait = Wait::kNothing;
}

void GraphExecution::wait_until_passed(int self, EventId source) {
  walker(self).source = source;
  wait(self, Wait::kSource);
}

// Until all that the graph has was run, and this is the thread that adds the next event.
void GraphExecution::wait_for_turn(int self) {
  if (left_ == 0 && fresh_ == 0 && order_ == nullptr && is_first_to_go_on(self)) return;
  wait(self, Wait::kNothing);
}

void GraphExecution::wait_forever(int self) {
  for (;;) wait(self, Wait::kChange);
}

void GraphExecution::wait_in_vain(int self) {
  for (;;) wait(self, Wait::kNever);
}

bool GraphExecution::can_go_on(int thread) {
  const Walker& mine = walker(thread);
  if (threads_[static_cast<std::size_t>(thread)].state != State::kBegun) return false;
  switch (mine.wait) {
    case Wait::kNothing:
      return true;
    case Wait::kSource:
      return has_passed(mine.source);
    case Wait::kEnd:
      return finished(mine.source.thread);
    case Wait::kAllEnds:
      return unfinished_ == 1;
    case Wait::kUnlock:
      return has_ended(mine.source, mine.object);
    case Wait::kWoken:
    case Wait::kWokenOrLast:
      return !runtime::waits(thread) && has_ended(mine.woken_by, mine.object);
    case Wait::kOpened:
      return opened_.contains({next_[static_cast<std::size_t>(thread)]->address,
                               next_[static_cast<std::size_t>(thread)]->operand});
    case Wait::kLast:
    case Wait::kChange:
    case Wait::kReady:
    case Wait::kNever:
      break;
  }
  return false;
}

// Of a thread that runs.
bool GraphExecution::is_first_to_go_on(int self) {
  for (int thread = 0; thread < self; ++thread) {
    if (can_go_on(thread)) return false;
  }
  return true;
}

// While there are events to be run again, only threads that have some: the others stand where they are to add theirs.
ThreadSet GraphExecution::able_to_go_on() {
  ThreadSet able = 0;
  for (int thread = 0; thread < count_; ++thread) {
    if ((left_ == 0 || replays(thread)) && can_go_on(thread)) able |= bit(thread);
  }
  return able != 0 || left_ > 0 ? able : able_to_go_on_last();
}

// The one of them that has come least far, so that all get their turns.
ThreadSet GraphExecution::able_to_go_on_last() const {
  ThreadSet able = 0;
  int least = std::numeric_limits<int>::max();
  for (int thread = 0; thread < count_; ++thread) {
    const Wait wait = walker(thread).wait;
    if (threads_[static_cast<std::size_t>(thread)].state == State::kBegun &&
        (wait == Wait::kLast || wait == Wait::kWokenOrLast) && walker(thread).at < least) {
      able = bit(thread);
      least = walker(thread).at;
    }
  }
  return able;
}

int GraphExecution::next_walker() {
  if (fresh_ > 0) return fresh_thread();
  const ThreadSet able = able_to_go_on();
  if (able == 0) end_without_progress();
  if (left_ > 0 || order_ == nullptr) return lowest(able);
  ThreadSet adding = 0;  // those that have come to such an event; others come first
  for (ThreadSet left = able; left != 0; left &= left - 1) {
    if (walker(lowest(left)).wait == Wait::kNothing) adding |= bit(lowest(left));
  }
  return adding == able ? order_->pick(able) : lowest(able & ~adding);
}

void GraphExecution::end_without_progress() {
  if (left_ > 0) report_difference("a thread ends, or waits, before it has come to all that it did before");
  for (int thread = 0; thread < count_; ++thread) {
    if (threads_[static_cast<std::size_t>(thread)].state == State::kBegun && !waits_forever(thread)) prune();
  }
  ended_in_spin_loop_ = spinning_ != 0;
  report_deadlock();
}

// The last write, but for what threads that wait write themselves: a loop around a read-modify-write leaves the value as it was, and
// stands behind what it reads each time.
bool GraphExecution::reads_newest(const Event& read) const {
  const graph::Graph& now = search_->graph();
  const graph::Location& location = now.location(read.location);
  for (int place = now.place_read(read) + 1; place <= location.last_place(); ++place) {
    const graph::EventId write = location.at(place);
    if (now[write].value != read.value || (spinning_ & bit(write.thread)) == 0) return false;
  }
  return true;
}

// Else what it waits for is explored where it reads it, or comes later.
bool GraphExecution::waits_forever(int thread) const {
  const graph::Graph& now = search_->graph();
  const Walker& mine = walker(thread);
  const auto is_newest = [&](int index) {
    return reads_newest(now[event_id(thread, static_cast<std::size_t>(index))]);
  };
  const runtime::Step& step = *next_[static_cast<std::size_t>(thread)];
  switch (mine.wait) {
    case Wait::kChange:
      return (spinning_ & bit(thread)) != 0 ? mine.loops.all_reads(is_newest) : is_newest(mine.at - 1);
    case Wait::kReady:
      return !step.ready(step, thread);
    case Wait::kWoken:
      return !mine.may_time_out;
    case Wait::kNever:
      return false;
    default:
      return true;
  }
}

void GraphExecution::give_up_to_restart() {
  must_restart_ = true;
  prune();
}

// The same in every execution, whoever runs first: so that its events can be run again.
int GraphExecution::number_of_child(int parent) {
  const auto [found, is_new] = numbers_.try_emplace({parent, walker(parent).made}, numbers_.size() + 1);
  if (is_new && found->second >= kMaxThreads) {
    numbers_.erase(found);
    return kMaxThreads;
  }
  ++walker(parent).made;
  return found->second;
}

int GraphExecution::start(void* (*entry)(void*), void* argument, std::size_t stack) {
  if (search_ == nullptr) return Execution::start(entry, argument, stack);
  const EngineScope in_engine;
  const int parent = current_;
  const int child = count_ == 0 ? 0 : number_of_child(parent);
  if (child == kMaxThreads) return kTooManyThreads;
  if (child > 0) {
    learn_plain_values(parent);
    if (is_alone_ && count_ > 1) locations_.next_phase();
    if (std::exchange(is_alone_, false)) {
      for (const Held& held : walker(parent).held) choose_section(parent, held.mutex, kAcquire);
    }
    take_other(parent, {.kind = EventKind::kCreate, .value = static_cast<std::uint64_t>(child)});
    const EventId creation = event_id(parent, static_cast<std::size_t>(walker(parent).at - 1));
    if (graph()[creation].value != static_cast<std::uint64_t>(child))
      report_difference("a thread makes another one than before");
    if (walker(child).length == 0) search_->add_other(child, {.kind = EventKind::kBegin, .source = creation});
  } else if (walker(0).length == 0) {
    search_->add_other(0, {.kind = EventKind::kBegin});
  }
  const int number = start_as(child, entry, argument, stack);
  if (number < 0) return number;
  pass(number);
  if (number > 0)
    races_.stand_at(parent,
                    graph().clocks(event_id(parent, static_cast<std::size_t>(walker(parent).at - 1))).before);
  runtime::g_track_accesses = runtime::g_multithreaded;
  return number;
}

void GraphExecution::finish_thread() {
  if (search_ == nullptr) Execution::finish_thread();
  const EngineScope in_engine;
  const int self = current_;
  learn_plain_values(self);
  if (!is_alone_) take_other(self, {.kind = EventKind::kEnd});
  if ((lends_ & bit(self)) != 0) end_borrowed(kNothingAlive, nullptr);
  threads_[static_cast<std::size_t>(self)].state = State::kFinished;
  alive_from_[static_cast<std::size_t>(self)] = kNothingAlive;
  if (--unfinished_ == 0) fibers_.leave(self);
  current_ = next_walker();
  fibers_.change(self, current_);
  __builtin_unreachable();
}

void GraphExecution::join(int self, int other) {
  while (!finished(other)) {
    walker(self).source = event_id(other, 0);
    wait(self, Wait::kEnd);
  }
  take_other(self, {.kind = EventKind::kJoin,
                    .source = event_id(other, static_cast<std::size_t>(walker(other).at - 1))});
  walker(other).is_joined = true;
}

void GraphExecution::join_all(int self) {
  if (unfinished_ > 1) wait(self, Wait::kAllEnds);
  for (int other = 1; other < count_; ++other) {
    if (walker(other).at > 0 && !walker(other).is_joined) join(self, other);
  }
}

void GraphExecution::find_out_if_alone(int self) {
  if (unfinished_ > 1) return;
  const Clock& before = graph().clocks(event_id(self, static_cast<std::size_t>(walker(self).at - 1))).before;
  for (int other = 0; other < count_; ++other) {
    if (before[other] < static_cast<Tick>(walker(other).at)) return;
  }
  is_alone_ = true;
  settle_memory();
}

// From here on memory is what the thread reads.
void GraphExecution::settle_memory() {
  for (std::size_t i = 0; i < locations_.count(); ++i) {
    const auto number = static_cast<std::uint16_t>(i);
    const graph::Location& location = graph().location(number);
    if (location.writes.empty() || !locations_.is_of_this_phase(number) || locations_[number].is_object)
      continue;
    const std::uint64_t value = graph().value(location.at(location.last_place()), location);
    search_->wide_values().write(value, locations_[number].address, locations_[number].size);
  }
}

void GraphExecution::joined(int thread) {
  if (search_ == nullptr) return Execution::joined(thread);
}

// Calls and returns are no events: nothing is chosen there.
void GraphExecution::call_operation(std::uint32_t operation) {
  if (search_ == nullptr) return Execution::call_operation(operation);
  const runtime::Step step{.kind = runtime::StepKind::kCall, .operand = operation};
  {
    const EngineScope in_engine;
    learn_plain_values(current_);
    if (followed_) follow(current_, step);
    if (operation >= operation_places_.size()) operation_places_.resize(operation + 1U);
    operation_places_[operation] = {
        .thread = current_, .call = walker(current_).at, .turn = operations_called_++};
  }
  ++open_operations_;
  in_operation_ |= bit(current_);
  operation_[static_cast<std::size_t>(current_)] = operation;
  threads_[static_cast<std::size_t>(current_)].turns.clear();
  executed(step, operation, operation, false);
}

void GraphExecution::return_from_operation(std::uint32_t operation, std::uint64_t result) {
  if (search_ == nullptr) return Execution::return_from_operation(operation, result);
  const runtime::Step step{.kind = runtime::StepKind::kReturn, .operand = operation};
  operation_places_[operation].ret = walker(current_).at;
  --open_operations_;
  in_operation_ &= ~bit(current_);
  executed(step, operation, operation, false);
}

int GraphExecution::choose(int outcomes) {
  if (search_ == nullptr) return Execution::choose(outcomes);
  const EngineScope in_engine;
  if (is_alone_) return 0;
  const int self = current_;
  if (replays(self)) {
    expect(next_event(self), EventKind::kChoice, nullptr);
  } else {
    wait_for_turn(self);
    search_->add_choice(self, {.kind = EventKind::kChoice, .operand = static_cast<std::uint64_t>(outcomes)});
  }
  const auto taken = static_cast<int>(next_event(self).value);
  pass(self);
  return taken;
}

// Before the step: a read-modify-write has written by the time that the hook asks.
bool GraphExecution::choose_spurious_now(SpuriousEvent event) {
  return !is_alone_ && Execution::choose_spurious(event);
}
bool GraphExecution::choose_spurious(SpuriousEvent event) {
  if (search_ == nullptr) return Execution::choose_spurious(event);
  const Walker& mine = walker(current_);
  return !is_alone_ && (event == SpuriousEvent::kCasFailure ? mine.fails : mine.wakes_by_itself);
}

// Which order objects give is part of their events.
void GraphExecution::acquire(const void* object) {
  if (search_ == nullptr) Execution::acquire(object);
}
void GraphExecution::release(const void* object) {
  if (search_ == nullptr) Execution::release(object);
}

void GraphExecution::observed_environment(std::uint64_t value, const void* from, bool changes) {
  if (search_ == nullptr) return Execution::observed_environment(value, from, changes);
  if (runtime::is_clock(from)) ++threads_[static_cast<std::size_t>(current_)].time.looks;
}

}  // namespace plumb::engine
