#include "explore/states/machine.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "explore/leaks.hpp"
#include "runtime/access_log.hpp"
#include "runtime/closed_code.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {

using runtime::EngineScope;
using runtime::Step;
using runtime::StepKind;

namespace {

constexpr std::size_t kSideStack = std::size_t{64} << 10U;

bool all_others_ended(const Step& step, int) {
  return reinterpret_cast<const Machine*>(step.operand)->is_last_thread();
}

// Steps that leave something behind which is no part of a state.
bool is_beyond(const Step& step) {
  switch (step.kind) {
    case StepKind::kCreate:
    case StepKind::kTryJoin:
    case StepKind::kEnd:
    case StepKind::kSleep:
    case StepKind::kClock:
      return true;
    case StepKind::kJoin:
      return step.ready != &all_others_ended;
    default:
      return step.timed;
  }
}

}  // namespace

Machine::Machine(std::function<void()> body, const Limits& limits)
    : body_(std::move(body)),
      limits_(limits),
      fibers_(runtime::Fibers::instance()),
      arena_(runtime::Arena::instance()),
      side_memory_((kMostThreads + 1) * kSideStack + 16) {
  const auto first = reinterpret_cast<std::uintptr_t>(side_memory_.data()) + 15;
  auto* aligned = side_memory_.data() + (first / 16 * 16 - (first - 15));
  for (int i = 0; i < kMostThreads; ++i) {
    sides_[index(i)].top = aligned + (index(i) + 1) * kSideStack;
    storage_[index(i)] = fibers_.storage(i);
  }
  own_stack_top_ = aligned + (kMostThreads + 1) * kSideStack;
}

Machine::~Machine() {
  runtime::g_multithreaded = runtime::g_track_accesses = runtime::g_in_engine = false;
  runtime::g_control = nullptr;
  runtime::plumb_log_next = runtime::plumb_log_end = nullptr;
}

Machine::Event Machine::begin() {
  data_.restore();
  if (std::exchange(begun_, true)) {
    arena_.begin_again();
  } else {
    arena_.begin(limits_.reuse);
  }
  runtime::begin_execution();
  races_.begin();
  shared_ = {};
  threads_ = {};
  open_log();
  waiting_body_.clear();
  path_.clear();
  returned_.reset();
  event_ = Event::kStands;
  runtime::g_control = this;
  runtime::plumb_resumed_by = fibers_.entered_from();
  runtime::g_surveyed = false;
  start(nullptr, nullptr, 0);
  run_fresh_threads();
  beginning_ = path_.size();
  return event_;
}

int Machine::start(void* (*entry)(void*), void* argument, std::size_t stack) {
  const EngineScope in_engine;
  settle_accesses();
  if (shared_.count == kMostThreads) {
    why_ = "the program has more threads than a state has room for (8, with the one that starts them)";
    leave(current_, Event::kCannotSave);
  }
  const auto number = static_cast<int>(shared_.count);
  if (!fibers_.reset(number, &fiber_main, stack)) return kNoSuchStack;
  ++shared_.count;
  ++shared_.unfinished;
  threads_[index(number)] = {.where = Where::kFresh, .stack_pointer = fibers_.stack_pointer(number)};
  leave_hook(number);
  entries_[index(number)] = {entry, argument};
  *storage_[index(number)].error = 0;
  fibers_.refresh_library_variables(number);
  wipe_below(number);
  if (number > 0) races_.start(current_, number);
  shared_.multithreaded = number > 0 ? 1 : 0;
  runtime::g_multithreaded = number > 0;
  runtime::g_track_accesses = runtime::g_multithreaded && (limits_.races || limits_.plain_points);
  const runtime::Stack& its = runtime::g_stacks[number];
  if (number == 0) runtime::g_all_stacks = its;
  runtime::g_all_stacks.low = std::min(runtime::g_all_stacks.low, its.low);
  runtime::g_all_stacks.high = std::max(runtime::g_all_stacks.high, its.high);
  return number;
}

void Machine::fiber_main(int fiber) {
  auto& self = static_cast<Machine&>(*runtime::g_control);
  runtime::g_in_engine = false;
  runtime::plumb_side_stack = &self.sides_[index(fiber)];
  try {
    if (fiber == 0) {
      self.body_();
      runtime::run_thread_end();
    } else {
      const auto [entry, argument] = self.entries_[index(fiber)];
      runtime::run_thread(entry, argument);
    }
  } catch (...) {
    self.fail(FindingKind::kException, "an exception left the thread", nullptr);
  }
  self.finish_thread();
}

// A thread that was just started runs to its first step at once, as in execution.hpp.
Machine::Event Machine::run_fresh_threads() {
  for (int i = 0; i < static_cast<int>(shared_.count); ++i) {
    if (threads_[index(i)].where != Where::kFresh) continue;
    if (const Event event = resume(i); event != Event::kStands) return event;
  }
  return Event::kStands;
}

void Machine::leave_hook(int thread) {
  runtime::SideStack& side = sides_[index(thread)];
  side.at_hook = {};
  side.inside = runtime::kOutside;
  side.hook = nullptr;
}

// A thread that asks begins with what it asks for, and nothing but that is on its side stack.
void Machine::prepare_to_answer(int thread) {
  runtime::SideStack& side = sides_[index(thread)];
  // A compare-exchange that fails writes there what it has seen.
  const bool writes_to_body =
      side.orders == runtime::kFourthOrders &&
      runtime::g_stacks[0].holds(reinterpret_cast<const void*>(side.at_hook.arguments[1]));  // NOLINT
  if (writes_to_body && thread != 0) share_body();
  void (*const answer)() = &runtime::plumb_answer;
  char* const at = side.top - sizeof answer;
  __builtin_memcpy(at, &answer, sizeof answer);
  runtime::plumb_answered = &side;
  fibers_.set_stack_pointer(thread, at);
}

Machine::Event Machine::resume(int thread) {
  Thread& self = threads_[index(thread)];
  current_ = thread;
  event_ = Event::kStands;
  shared_.outcomes = 0;
  ++steps_;
  if (thread == 0) body_has_run_ = true;
  calls_ = is_call(thread);
  if (calls_) called_ = sides_[index(thread)].at_hook.arguments[0];
  if (self.where == Where::kAsks) {
    prepare_to_answer(thread);
  } else {
    fibers_.set_stack_pointer(thread, self.stack_pointer);
  }
  fibers_.enter(thread);
  if (sides_[index(thread)].inside == runtime::kAsks) {
    self = {.where = Where::kAsks, .spurious_events = self.spurious_events, .operation = self.operation};
  } else {
    self.stack_pointer = fibers_.stack_pointer(thread);
  }
  settle_accesses();
  if (event_ != Event::kStands) return event_;
  foresee(thread);
  calls_ = false;
  // What the body has on its stack when it waits then depends on the order of steps.
  if (thread == 0 && shared_.multithreaded != 0 && shared_.body_waits == 0) share_body();
  if (self.where == Where::kFinished) {
    leave_hook(thread);
    self.step = nullptr;
  }
  wipe_below(thread);
  if (self.where == Where::kFinished) self.stack_pointer = nullptr;
  if (const char* stays = runtime::state_that_stays()) {
    why_ = stays;
    return event_ = Event::kCannotSave;
  }
  if (const char* library = runtime::ClosedCode::called()) {
    why_ = std::string("what libraries without hooks keep is in no snapshot: ") + library;
    return event_ = Event::kCannotSave;
  }
  if (races_.is_overfull()) {
    why_ = "threads synchronise at more places than a state has room for (128)";
    return event_ = Event::kCannotSave;
  }
  if (path_.size() > limits_.steps) {
    why_ = "an execution has more steps than it may";
    return event_ = Event::kCannotSave;
  }
  return event_;
}

Machine::Event Machine::step(int thread) {
  const Thread& self = threads_[index(thread)];
  const bool calls = is_call(thread);
  returned_.reset();
  path_.push_back(static_cast<std::uint8_t>(thread));
  resume(thread);
  if (event_ != Event::kStands) return event_;
  const bool goes_on = calls && limits_.fuses_call_with_first_step && is_at_step(thread) &&
                       self.operation != 0 && !is_call(thread) && is_ready(thread) && shared_.outcomes == 0;
  if (goes_on) {
    path_.push_back(static_cast<std::uint8_t>(thread));
    if (resume(thread) != Event::kStands) return event_;
  }
  return run_fresh_threads();
}

Machine::Event Machine::choose_outcome(int outcome) {
  chosen_ = outcome;
  returned_.reset();
  path_.push_back(static_cast<std::uint8_t>(outcome));
  if (resume(static_cast<int>(shared_.chooses)) != Event::kStands) return event_;
  return run_fresh_threads();
}

bool Machine::is_ready(int thread) const {
  const Step* const step = threads_[index(thread)].step;
  return step == nullptr || step->ready == nullptr || step->ready(*step, thread);
}

// A call that would wait for a mutex at once comes when that is free: the program does the same, and the history is stricter, as fewer
// operations overlap. Unless nobody else can go on: then it has to be seen where it waits.
bool Machine::is_held_back(int thread) const {
  const FirstStep* const first = first_step(thread);
  return first != nullptr && first->lock && !first->lock->ready(*first->lock, thread);
}

ThreadSet Machine::enabled() const {
  ThreadSet enabled = 0;
  ThreadSet held_back = 0;
  for (int i = 0; i < static_cast<int>(shared_.count); ++i) {
    if (is_at_step(i) && is_ready(i)) (is_held_back(i) ? held_back : enabled) |= bit(i);
  }
  return enabled != 0 ? enabled : held_back;
}

bool Machine::is_yielding(int thread) const {
  const Step* const step = threads_[index(thread)].step;
  return step == nullptr ? is_call(thread) : runtime::is_yielding(*step, thread);
}

bool Machine::leaks() const {
  return limits_.leaks && arena_.live() > 0 && !unreachable_blocks(arena_).empty();
}

void Machine::stand(int self) {
  const bool aside = is_aside(self);
  runtime::plumb_side_stack = nullptr;
  runtime::g_in_engine = true;
  fibers_.pause(self);
  runtime::g_in_engine = false;
  if (!aside) runtime::plumb_side_stack = &sides_[index(self)];
  runtime::plumb_clear_registers();
}

void Machine::leave(int self, Event event) {
  runtime::plumb_side_stack = nullptr;
  runtime::g_in_engine = true;
  event_ = event;
  fibers_.leave(self);
}

bool Machine::reach(const Step& step) {
  const int self = current_;
  if (step.address != nullptr && self != 0 && runtime::g_stacks[0].holds(step.address)) share_body();
  if (sides_[index(self)].inside == runtime::kBegun) {  // it asked
    ++sides_[index(self)].inside;
    return true;
  }
  Thread& thread = threads_[index(self)];
  if (is_beyond(step)) {
    const EngineScope in_engine;
    why_ = std::string("a step that no snapshot holds: ") + runtime::kind_name(step.kind);
    leave(self, Event::kCannotSave);
  }
  if (step.ready != nullptr) {
    const bool waits = waiting_is_a_finding_ && thread.operation != 0 && self != 0;
    const bool dead =
        runtime::uses_object(step.kind) && arena_.state(step.address, 1) > runtime::Arena::State::kLive;
    if (waits || dead) leave(self, Event::kFails);
  }
  if (is_aside(self)) ++sides_[index(self)].inside;
  thread.step = &step;
  thread.where = Where::kAtStep;
  stand(self);
  return is_ready(self);
}

int Machine::choose(int outcomes) {
  shared_.outcomes = static_cast<std::uint64_t>(outcomes);
  shared_.chooses = static_cast<std::uint64_t>(current_);
  if (is_aside(current_)) ++sides_[index(current_)].inside;
  stand(current_);
  return chosen_;
}

bool Machine::choose_spurious(SpuriousEvent event) {
  const unsigned most =
      event == SpuriousEvent::kCasFailure ? limits_.spurious_cas_failures : limits_.spurious_wakeups;
  std::uint32_t& times = threads_[index(current_)].spurious_events[static_cast<std::size_t>(event)];
  if (times == most || choose(2) == 0) return false;
  ++times;
  return true;
}

void Machine::wait_for_all(const void* frame) {
  const Step step{
      .kind = StepKind::kJoin, .ready = &all_others_ended, .operand = reinterpret_cast<std::uint64_t>(this)};
  shared_.body_waits = reinterpret_cast<std::uint64_t>(frame);
  if (++shared_.waits > 1) share_body();  // and on how it went before
  point(step);
  shared_.body_waits = 0;
  races_.begin();  // whoever comes now comes after all that was
  shared_.multithreaded = 0;
  runtime::g_multithreaded = runtime::g_track_accesses = false;
}

void Machine::take_call(std::uint64_t operation, std::uint64_t) {
  static_cast<Machine&>(*runtime::g_control).come_to_call(static_cast<std::uint32_t>(operation));
}

void Machine::call_operation(std::uint32_t operation) { runtime::plumb_call_aside(&take_call, operation, 0); }

void Machine::come_to_call(std::uint32_t operation) {
  const Step step{.kind = StepKind::kCall, .operand = operation};
  point(step);
  shared_.called |= std::uint64_t{1} << operation;
  threads_[index(current_)].operation = operation + 1;
}

void Machine::return_from_operation(std::uint32_t operation, std::uint64_t result) {
  shared_.returned |= std::uint64_t{1} << operation;
  threads_[index(current_)].operation = 0;
  returned_ = {operation, result};
}

void Machine::finish_thread() {
  threads_[index(current_)].where = Where::kFinished;
  --shared_.unfinished;
  leave(current_, Event::kStands);
}

void Machine::fail(FindingKind, std::string_view, const void*, const void*) {
  leave(current_, Event::kFails);
}
void Machine::report_refusal(std::string_view, const void*) { leave(current_, Event::kFails); }
void Machine::interrupt() { leave(current_, Event::kInterrupted); }

Machine::Event Machine::run_again(const Snapshots& from, std::size_t path) {
  const std::vector<std::uint8_t> to = path_;
  restore(from);
  shorten_path(beginning_);
  while (path_.size() < path) {
    const int next = to[path_.size()];
    (void)(shared_.outcomes > 0 ? choose_outcome(next) : step(next));
  }
  return event_;
}

}  // namespace plumb::engine
