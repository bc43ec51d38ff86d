#include "explore/states/machine.hpp"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>

#include "explore/leaks.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {

using runtime::EngineScope;
using runtime::Step;
using runtime::StepKind;

namespace {

constexpr std::size_t kSideStack = std::size_t{64} << 10U;
constexpr std::size_t kMostAccesses = 4096;

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

bool is_zero(const char* from, std::size_t size) {
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < size; i += sizeof any) {
    std::uint64_t word = 0;
    __builtin_memcpy(&word, from + i, sizeof word);
    any |= word;
  }
  return any == 0;
}

}  // namespace

Machine::Machine(std::function<void()> body, const Limits& limits)
    : body_(std::move(body)),
      limits_(limits),
      fibers_(runtime::Fibers::instance()),
      arena_(runtime::Arena::instance()),
      side_memory_((kMostThreads + 1) * kSideStack + 16) {
  accesses_.reserve(kMostAccesses);
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
  accesses_.clear();
  path_.clear();
  returned_.reset();
  event_ = Event::kStands;
  runtime::g_control = this;
  runtime::g_surveyed = false;
  start(nullptr, nullptr, 0);
  return run_fresh_threads();
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
  sides_[index(number)].at_hook = {};
  sides_[index(number)].inside = 0;
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

Machine::Event Machine::resume(int thread) {
  Thread& self = threads_[index(thread)];
  current_ = thread;
  event_ = Event::kStands;
  shared_.outcomes = 0;
  ++steps_;
  fibers_.set_stack_pointer(thread, self.stack_pointer);
  fibers_.enter(thread);
  self.stack_pointer = fibers_.stack_pointer(thread);
  settle_accesses();
  if (event_ != Event::kStands) return event_;
  if (self.where == Where::kFinished) {
    sides_[index(thread)].at_hook = {};
    sides_[index(thread)].inside = 0;
    self.step = nullptr;
  }
  wipe_below(thread);
  if (self.where == Where::kFinished) self.stack_pointer = nullptr;
  if (const char* stays = runtime::state_that_stays()) {
    why_ = stays;
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
  const bool calls = self.step->kind == StepKind::kCall;
  returned_.reset();
  path_.push_back(static_cast<std::uint8_t>(thread));
  resume(thread);
  if (event_ != Event::kStands) return event_;
  const bool goes_on = calls && limits_.fuses_call_with_first_step && self.where == Where::kAtStep &&
                       self.operation != 0 && self.step->kind != StepKind::kCall && is_ready(thread) &&
                       shared_.outcomes == 0;
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
  const Step& step = *threads_[index(thread)].step;
  return step.ready == nullptr || step.ready(step, thread);
}

ThreadSet Machine::enabled() const {
  ThreadSet enabled = 0;
  for (int i = 0; i < static_cast<int>(shared_.count); ++i) {
    if (threads_[index(i)].where == Where::kAtStep && is_ready(i)) enabled |= bit(i);
  }
  return enabled;
}

bool Machine::is_yielding(int thread) const {
  return runtime::is_yielding(*threads_[index(thread)].step, thread);
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
  point(step);
  shared_.body_waits = 0;
  for (int thread = 1; thread < static_cast<int>(shared_.count); ++thread) races_.join(0, thread);
  shared_.multithreaded = 0;
  runtime::g_multithreaded = runtime::g_track_accesses = false;
}

void Machine::call_operation(std::uint32_t operation) {
  runtime::plumb_call_aside(
      [](std::uint64_t number, std::uint64_t) {
        static_cast<Machine&>(*runtime::g_control).come_to_call(static_cast<std::uint32_t>(number));
      },
      operation, 0);
}

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

void Machine::run_again(const Snapshots& from, std::size_t path) {
  const std::vector<std::uint8_t> to = path_;
  restore(from);
  path_.clear();
  while (path_.size() < path) {
    const int next = to[path_.size()];
    (void)(shared_.outcomes > 0 ? choose_outcome(next) : step(next));
  }
}

// Accesses. What looks at them runs on a stack of its own: how deep it goes is no matter of the program.

template <class F>
void Machine::on_own_stack(F function) {
  const EngineScope in_engine;
  runtime::plumb_call_on(
      own_stack_top_, [](void* it) { (*static_cast<F*>(it))(); }, &function);
}

void Machine::access(const void* address, std::size_t size, bool write, const void* pc) {
  if (limits_.plain_points && runtime::g_multithreaded) {
    const Step step{.kind = write ? StepKind::kWrite : StepKind::kRead,
                    .writes = write,
                    .size = static_cast<std::uint32_t>(size),
                    .address = address,
                    .pc = pc};
    point(step);
  }
  if (accesses_.size() == kMostAccesses) on_own_stack([&] { settle_accesses(); });
  accesses_.push_back({address, static_cast<std::uint32_t>(size), write});
}

void Machine::settle_accesses() {
  for (const Access& access : accesses_) check(access);
  accesses_.clear();
}

// On the stack of the body, while it waits for the others, lies what they share; other stacks are their threads' own.
bool Machine::is_borrowed(const void* address) const {
  if (!runtime::g_all_stacks.holds(address)) return false;
  const auto at = reinterpret_cast<std::uint64_t>(address);
  return !(runtime::g_stacks[0].holds(address) && shared_.body_waits != 0 && at >= shared_.body_waits);
}

void Machine::check(const Access& access) {
  if (event_ != Event::kStands || runtime::g_stacks[current_].holds(access.address)) return;
  const bool is_dead = arena_.state(access.address, access.size) > runtime::Arena::State::kLive;
  if (!is_dead && is_borrowed(access.address)) {
    why_ = "a thread uses local variables of another one";
    event_ = Event::kCannotSave;
  } else if (is_dead || (limits_.races && shared_.multithreaded != 0 &&
                         races_.access(current_, access.address, access.size, access.write))) {
    event_ = Event::kFails;
  }
}

void Machine::note_executed(const Step& step, std::uint64_t, std::uint64_t, bool wrote) {
  on_own_stack([&] { check_executed(step, wrote); });
}

void Machine::check_executed(const Step& step, bool wrote) {
  settle_accesses();
  if (step.kind == StepKind::kFence) {
    races_.fence(current_, step.order);
    return;
  }
  const bool atomic = runtime::is_atomic(step.kind);
  if (atomic) runtime::g_is_instrumented = true;
  if (event_ != Event::kStands || (!atomic && !runtime::uses_object(step.kind))) return;
  const bool is_dead = arena_.state(step.address, atomic ? step.size : 1) > runtime::Arena::State::kLive;
  if (!is_dead && runtime::g_stacks[current_].holds(step.address)) return;
  if (!is_dead && is_borrowed(step.address)) {
    why_ = "a thread uses local variables of another one";
    event_ = Event::kCannotSave;
  } else if (is_dead || (atomic && limits_.races && shared_.multithreaded != 0 &&
                         races_.atomic(current_, step, wrote))) {
    event_ = Event::kFails;
  }
}

void Machine::acquire(const void* object) {
  if (!limits_.races) return;
  on_own_stack([&] {
    settle_accesses();
    races_.acquire(current_, object);
  });
}

void Machine::release(const void* object) {
  if (!limits_.races) return;
  on_own_stack([&] {
    settle_accesses();
    races_.release(current_, object);
  });
}

void Machine::allocated(void* block, std::size_t size, const void*) {
  on_own_stack([&] {
    settle_accesses();
    races_.forget(block, size);
  });
}

void Machine::freed(void* block, std::size_t size, const void*) {
  on_own_stack([&] {
    settle_accesses();
    if (limits_.races && shared_.multithreaded != 0 && races_.free(current_, block, size) &&
        event_ == Event::kStands)
      event_ = Event::kFails;
    arena_.fill_freed(block);
  });
}

// Pieces.

char* Machine::live_from(int thread) const {
  const Thread& self = threads_[index(thread)];
  if (self.where == Where::kFinished)
    return reinterpret_cast<char*>(runtime::g_stacks[thread].high);                     // NOLINT
  return is_aside(thread) ? reinterpret_cast<char*>(sides_[index(thread)].at_hook.rsp)  // NOLINT
                          : static_cast<char*>(self.stack_pointer);
}

// Below what is in use, a stack is zero: what is left there of functions that have returned would be taken for something that the next
// ones keep in places which they have not written yet.
void Machine::wipe_below(int thread) {
  constexpr std::size_t kAlways = 512;
  constexpr std::size_t kAtFirst = std::size_t{8} << 10U;  // executions of another engine ran here
  constexpr std::size_t kMore = 256;
  const Thread& self = threads_[index(thread)];
  char* const from = live_from(thread);
  auto* const low = reinterpret_cast<char*>(runtime::g_stacks[thread].low) + kMore;  // NOLINT
  char* to = (self.where == Where::kFinished ? static_cast<char*>(self.stack_pointer) : from) -
             (self.where == Where::kFresh ? kAtFirst : kAlways);
  to = std::max(to, low);
  std::memset(to, 0, static_cast<std::size_t>(from - to));
  while (to >= low + kMore && !is_zero(to - kMore, kMore)) {
    to -= kMore;
    std::memset(to, 0, kMore);
  }
  zero_below_[index(thread)] = from;
}

template <class F>
void Machine::each_small_piece(F f) {
  for (int i = 0; i < static_cast<int>(shared_.count); ++i) {
    const runtime::Fibers::Storage& storage = storage_[index(i)];
    f(storage.variables, storage.size);
    f(storage.of_library, storage.size_of_library);
    f(storage.error, sizeof(int));
  }
  f(runtime::ProgramData::begin(), runtime::ProgramData::size());
  f(runtime::waiting_threads().data(), shared_.count * sizeof(const void*));
}

StateKey Machine::key(std::uint64_t besides) {
  ThreadSet alive = 0;
  StateHash hash;
  hash.add(&shared_, sizeof shared_);
  hash.add(threads_.data(), shared_.count * sizeof(Thread));
  for (int i = 0; i < static_cast<int>(shared_.count); ++i) {
    if (threads_[index(i)].where == Where::kFinished) continue;
    if (i != 0 || shared_.body_waits == 0) alive |= bit(i);
    const runtime::SideStack& side = sides_[index(i)];
    const char* from = live_from(i);
    hash.add(from,
             static_cast<std::size_t>(reinterpret_cast<char*>(runtime::g_stacks[i].high) - from));  // NOLINT
    if (side.inside == 0) continue;
    hash.add(&side, offsetof(runtime::SideStack, top));
    constexpr std::uint64_t kAtFirstStep = 2;
    if (side.inside != kAtFirstStep) {
      const auto* stands = static_cast<const char*>(threads_[index(i)].stack_pointer);
      hash.add(stands, static_cast<std::size_t>(side.top - stands));
    }
  }
  const auto add = [&](const void* from, std::size_t size) { hash.add(from, size); };
  each_small_piece(add);
  arena_.each_piece(add);
  if (limits_.races && shared_.multithreaded != 0) {
    races_.tidy(alive);
    races_.add_to(hash);
  }
  hash.add(besides, std::uint64_t{0});
  return hash.key();
}

void Machine::save(Snapshots& to) {
  std::size_t size = sizeof shared_ + sizeof threads_ + races_.saved_size();
  const auto count = [&](const void*, std::size_t bytes) { size += bytes; };
  each_small_piece(count);
  arena_.each_piece(count);
  for (int i = 0; i < static_cast<int>(shared_.count); ++i) {
    size += reinterpret_cast<std::size_t>(runtime::g_stacks[i].high) -
            reinterpret_cast<std::size_t>(live_from(i));
    size += sizeof(runtime::SideStack);
    if (is_aside(i))
      size += static_cast<std::size_t>(sides_[index(i)].top -
                                       static_cast<char*>(threads_[index(i)].stack_pointer));
  }
  char* at = to.begin(size);
  const auto put = [&](const void* from, std::size_t bytes) {
    std::memcpy(at, from, bytes);
    at += bytes;
  };
  put(&shared_, sizeof shared_);
  put(threads_.data(), shared_.count * sizeof(Thread));
  for (int i = 0; i < static_cast<int>(shared_.count); ++i) {
    put(&sides_[index(i)], offsetof(runtime::SideStack, top));
    if (threads_[index(i)].where == Where::kFinished) continue;
    const char* from = live_from(i);
    put(from, reinterpret_cast<std::size_t>(runtime::g_stacks[i].high) - reinterpret_cast<std::size_t>(from));
    if (!is_aside(i)) continue;
    const auto* stands = static_cast<const char*>(threads_[index(i)].stack_pointer);
    put(stands, static_cast<std::size_t>(sides_[index(i)].top - stands));
  }
  each_small_piece(put);
  arena_.each_piece(put);
  at = races_.save(at);
  to.end(at);
}

void Machine::restore(const Snapshots& snapshots) {
  const char* at = snapshots.last();
  const auto take = [&](void* to, std::size_t bytes) {
    std::memcpy(to, at, bytes);
    at += bytes;
  };
  const std::uint64_t count_now = shared_.count;
  take(&shared_, sizeof shared_);
  take(threads_.data(), shared_.count * sizeof(Thread));
  for (std::uint64_t i = shared_.count; i < count_now; ++i) threads_[i] = {};
  for (int i = 0; i < static_cast<int>(std::max(count_now, shared_.count)); ++i) {
    const bool is_there = static_cast<std::uint64_t>(i) < shared_.count;
    if (is_there) take(&sides_[index(i)], offsetof(runtime::SideStack, top));
    char* const from = live_from(i);
    char*& zero_below = zero_below_[index(i)];
    if (zero_below < from) std::memset(zero_below, 0, static_cast<std::size_t>(from - zero_below));
    zero_below = from;
    if (!is_there || threads_[index(i)].where == Where::kFinished) continue;
    take(from, runtime::g_stacks[i].high - reinterpret_cast<std::uintptr_t>(from));
    if (!is_aside(i)) continue;
    auto* stands = static_cast<char*>(threads_[index(i)].stack_pointer);
    take(stands, static_cast<std::size_t>(sides_[index(i)].top - stands));
  }
  each_small_piece(take);
  at = arena_.restore(at);
  at = races_.restore(at);
  runtime::g_multithreaded = shared_.multithreaded != 0;
  runtime::g_track_accesses = runtime::g_multithreaded && (limits_.races || limits_.plain_points);
  accesses_.clear();
  event_ = Event::kStands;
}

}  // namespace plumb::engine
