#include "explore/execution.hpp"

#include <exception>

#include <fmt/format.h>

#include "runtime/waiting.hpp"

namespace plumb::engine {

using runtime::Failure;
using runtime::g_inside;
using runtime::Step;
using runtime::StepKind;

namespace {

constexpr unsigned kCircles = 100;  // rounds in which nothing changes before waiting loops count as stuck

bool is_atomic(StepKind kind) { return kind <= StepKind::kCompareExchange; }

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x9E37'79B9'7F4A'7C15ULL;
}

bool all_others_ended(const Step& step, int) {
  return reinterpret_cast<const Execution*>(step.operand)->unfinished() == 1;
}

}  // namespace

Execution::Execution(std::function<void()> body, const Limits& limits)
    : body_(std::move(body)),
      limits_(limits),
      fibers_(runtime::Fibers::instance()),
      arena_(runtime::Arena::instance()) {}

void Execution::begin() {
  data_.restore();
  arena_.begin(limits_.reuse);
  runtime::begin_execution();
  races_.begin();
  for (int i = 0; i < count_; ++i) threads_[static_cast<std::size_t>(i)].state = State::kUnused;
  count_ = fresh_ = unfinished_ = 0;
  last_ = -1;
  operating_ = 0;
  circles_ = 0;
  steps_ = 0;
  schedule_.clear();
  events_.clear();
  finding_.found = false;
  end_ = End::kDone;
  if (recorder_ != nullptr) recorder_->begin();
}

Execution::End Execution::run(Strategy& strategy) {
  begin();
  strategy_ = &strategy;
  strategy.begin();
  start(nullptr, nullptr);
  current_ = 0;
  runtime::g_control = this;
  g_inside = 1;  // until the fiber is on its own
  fibers_.enter(0);
  g_inside = 0;
  if (end_ == End::kDone && limits_.leaks && arena_.live() > 0) check_leaks();
  runtime::g_control = nullptr;
  return end_;
}

void Execution::fiber_main(int fiber) {
  auto& self = static_cast<Execution&>(*runtime::g_control);
  Thread& thread = self.threads_[static_cast<std::size_t>(fiber)];
  thread.state = State::kAtPoint;
  --self.fresh_;
  g_inside = 0;
  try {
    if (fiber == 0) {
      self.body_();
      runtime::run_thread_end();
    } else {
      runtime::run_thread(thread.entry, thread.argument);
    }
  } catch (const std::exception& error) {
    self.fail(Failure::kException, fmt::format("an exception left the thread: {}", error.what()), nullptr);
  } catch (...) {
    self.fail(Failure::kException, "an exception left the thread", nullptr);
  }
  self.finish_thread();
}

int Execution::start(void* (*entry)(void*), void* argument) {
  if (count_ == kMaxThreads) return -1;
  const int number = count_++;
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  thread.state = State::kFresh;
  thread.spins = false;
  thread.entry = entry;
  thread.argument = argument;
  thread.spin.clear();
  thread.learnt = 0;
  ++fresh_;
  ++unfinished_;
  if (number > 0) races_.start(current_, number);
  alone_ = number == 0;
  fibers_.reset(number, &fiber_main);
  return number;
}

void Execution::finish_thread() {
  g_inside = 1;
  threads_[static_cast<std::size_t>(current_)].state = State::kFinished;
  if (--unfinished_ == 0) fibers_.leave(current_);
  const int from = current_;
  current_ = next_thread();
  fibers_.change(from, current_);
  __builtin_unreachable();
}

void Execution::give_up() {
  end_ = End::kGivenUp;
  fibers_.leave(current_);
}

bool Execution::can_go(int thread) const {
  const Thread& t = threads_[static_cast<std::size_t>(thread)];
  const Step& step = next_[static_cast<std::size_t>(thread)];
  if (limits_.serial && operating_ > 0 && step.kind == StepKind::kCall) return false;
  return t.state == State::kAtPoint && (step.ready == nullptr || step.timed || step.ready(step, thread));
}

Options Execution::who_can_go() {
  Options options = 0;
  Options spinning = 0;
  for (int thread = 0; thread < count_; ++thread) {
    Step& step = next_[static_cast<std::size_t>(thread)];
    if (step.kind == StepKind::kCompareExchange &&
        threads_[static_cast<std::size_t>(thread)].state == State::kAtPoint) {
      runtime::look_ahead(step);
    }
    if (can_go(thread))
      (threads_[static_cast<std::size_t>(thread)].spins ? spinning : options) |= bit(thread);
  }
  if (options == 0 && spinning != 0 && ++circles_ <= kCircles) {
    // Only those who wait in loops are left. A loop that counts its rounds may end by itself: let them go on a while.
    for (Thread& thread : threads_) {
      thread.spins = false;
      thread.spin.clear();
    }
    options = spinning;
  }
  return options;
}

int Execution::next_thread() {
  if (fresh_ > 0) {
    for (int thread = 0; thread < count_; ++thread) {
      if (threads_[static_cast<std::size_t>(thread)].state == State::kFresh) return thread;
    }
  }
  Choice choice{.options = who_can_go(), .current = last_, .next = &next_};
  if (choice.options == 0) report_stuck();
  if (last_ >= 0) {
    const Step& step = next_[static_cast<std::size_t>(last_)];
    choice.voluntary =
        step.kind == StepKind::kYield || step.kind == StepKind::kSleep || runtime::is_operation(step.kind);
  }
  for (Options left = choice.options; left != 0; left &= left - 1) {
    const Step& step = next_[static_cast<std::size_t>(lowest(left))];
    choice.signature = mix(choice.signature, reinterpret_cast<std::uint64_t>(step.address));
    choice.signature = mix(choice.signature, reinterpret_cast<std::uint64_t>(step.pc));
  }
  if (strategy_->needs_hidden_state()) choice.hidden = hidden_state();
  last_ = ask(choice);
  return last_;
}

std::uint64_t Execution::hidden_state() const {
  std::uint64_t hash = mix(circles_, runtime::runtime_state());
  for (int i = 0; i < count_; ++i) {
    const Thread& thread = threads_[static_cast<std::size_t>(i)];
    hash = mix(mix(hash, thread.learnt), thread.spin.hash());
  }
  return hash ^ (hash >> 32U);
}

int Execution::ask(const Choice& choice) {
  const int picked = strategy_->pick(choice);
  if (picked == Strategy::kGiveUp) give_up();
  if (picked == Strategy::kNondeterministic) {
    fail(Failure::kNondeterministic,
         fmt::format(
             "the test is not deterministic: with the same choices, step {} was another one than before",
             steps_),
         nullptr);
  }
  if (!single(choice.options)) schedule_.push_back(static_cast<std::uint8_t>(picked));
  return picked;
}

bool Execution::point(const Step& step) {
  g_inside = 1;
  const int self = current_;
  Thread& thread = threads_[static_cast<std::size_t>(self)];
  next_[static_cast<std::size_t>(self)] = step;
  if (recorder_ != nullptr) recorder_->at_point(self, step);
  thread.spins = thread.spin.repeats(step, limits_.spin);
  ++total_steps_;
  if (++steps_ > limits_.steps) {
    fail(Failure::kLivelock, fmt::format("no end after {} steps", limits_.steps), step.pc);
  }
  const int next = next_thread();
  if (next != self) {
    current_ = next;
    fibers_.change(self, next);
  }
  g_inside = 0;
  return step.ready == nullptr || step.ready(step, self);
}

int Execution::choose(int options) {
  g_inside = 1;
  const int picked = ask({.options = bit(options) - 1, .current = last_, .outcome = true, .next = &next_});
  g_inside = 0;
  return picked;
}

void Execution::did(const Step& step, std::uint64_t before, std::uint64_t after, bool wrote) {
  g_inside = 1;
  events_.push_back({current_, step, before, after, wrote});
  if (recorder_ != nullptr) recorder_->did(events_.back());
  if (runtime::is_operation(step.kind)) {
    threads_[static_cast<std::size_t>(current_)].spin.clear();  // a new operation is no turn of a loop
  } else if (wrote && (before != after || step.size > sizeof before)) {
    circles_ = 0;
    threads_[static_cast<std::size_t>(current_)].spin.clear();
    for (int i = 0; i < count_; ++i) {
      Thread& other = threads_[static_cast<std::size_t>(i)];
      if (i != current_ && other.spin.changed(step)) other.spins = false;
    }
  } else {
    threads_[static_cast<std::size_t>(current_)].spin.saw(step, limits_.spin);
  }
  if (step.kind == StepKind::kFence) {
    races_.fence(current_, step.order);
  } else if (is_atomic(step.kind)) {
    instrumented_ = true;
    if (arena_.state(step.address, step.size) > runtime::Arena::State::kLive)
      access(step.address, step.size, wrote, step.pc);
    const Race race = races_.atomic(current_, step, wrote);
    if (race.found && limits_.races) report_race(race, step.address, step.size, wrote, step.pc);
  }
  g_inside = 0;
}

void Execution::acquire(const void* object) {
  g_inside = 1;
  races_.acquire(current_, object);
  g_inside = 0;
}

void Execution::release(const void* object) {
  g_inside = 1;
  races_.release(current_, object);
  g_inside = 0;
}

void Execution::access(const void* address, std::size_t size, bool write, const void* pc) {
  instrumented_ = true;
  const auto state = arena_.state(address, size);
  const bool dead = state == runtime::Arena::State::kFreed || state == runtime::Arena::State::kUnallocated;
  if (recorder_ != nullptr && (dead || !alone_)) {
    const runtime::Inside inside;
    recorder_->accessed(current_, address, size, write, pc);
  }
  if (dead) {
    g_inside = 1;
    fail({.failure = Failure::kUseAfterFree,
          .message = fmt::format("{} of {} memory", write ? "write" : "read",
                                 state == runtime::Arena::State::kFreed ? "freed" : "never allocated"),
          .pc = pc,
          .address = address,
          .size = size});
  }
  if (!limits_.races || alone_) return;
  g_inside = 1;
  const Race race = races_.access(current_, address, size, write, pc);
  if (race.found) report_race(race, address, size, write, pc);
  g_inside = 0;
}

void Execution::learnt(std::uint64_t value) {
  std::uint64_t& all = threads_[static_cast<std::size_t>(current_)].learnt;
  all = mix(all + 1, value);
}

void Execution::allocated(void* block, std::size_t size) {
  g_inside = 1;
  if (recorder_ != nullptr) recorder_->allocated(current_, block, size);
  if (limits_.races && !alone_) races_.forget(block, size);
  g_inside = 0;
}

// To free memory is to write all of it: it must not race with any access.
void Execution::freed(void* block, std::size_t size, const void* pc) {
  if (recorder_ != nullptr) {
    const runtime::Inside inside;
    recorder_->freed(current_, block, size);
  }
  if (!limits_.races || alone_) return;
  g_inside = 1;
  const Race race = races_.access(current_, block, size, true, pc);
  if (race.found) {
    fail({.failure = Failure::kUseAfterFree,
          .message = fmt::format("thread {} frees what thread {} {}, and neither happens before the other",
                                 current_, race.other, race.other_write ? "writes" : "reads"),
          .pc = pc,
          .address = block,
          .size = size,
          .race = race});
  }
  g_inside = 0;
}

void Execution::call_operation(std::uint32_t operation) {
  const Step step{.kind = StepKind::kCall, .operand = operation};
  point(step);
  ++operating_;
  did(step, operation, operation, false);
}

void Execution::return_from_operation(std::uint32_t operation) {
  const Step step{.kind = StepKind::kReturn, .operand = operation};
  point(step);
  --operating_;
  did(step, operation, operation, false);
}

void Execution::wait_for_all() {
  const Step step{
      .kind = StepKind::kJoin, .ready = &all_others_ended, .operand = reinterpret_cast<std::uint64_t>(this)};
  point(step);
  for (int thread = 1; thread < count_; ++thread) acquire(runtime::thread_end(thread));
  alone_ = true;
}

}  // namespace plumb::engine
