#include "explore/execution.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <fmt/format.h>

#include "explore/weak_orders.hpp"
#include "runtime/virtual_clock.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {

using runtime::EngineScope;
using runtime::Step;
using runtime::StepKind;

namespace {

bool all_others_ended(const Step& step, int) {
  return reinterpret_cast<const Execution*>(step.operand)->unfinished() == 1;
}

}  // namespace

Execution::Execution(std::function<void()> body, const Limits& limits)
    : body_(std::move(body)),
      limits_(limits),
      fibers_(runtime::Fibers::instance()),
      arena_(runtime::Arena::instance()),
      in_full_(limits.plain_points) {
  interrupted_at_.reserve(kDeepestStack);
  runtime::g_is_instrumented = g_has_weak_orders = false;
}

void Execution::begin() {
  data_.restore();
  arena_.begin(limits_.reuse);
  runtime::begin_execution();
  races_.begin();
  step_log_.begin();
  count_ = fresh_ = unfinished_ = 0;
  runnable_ = blocked_candidates_ = spinning_ = taking_turns_ = joining_ = 0;
  last_ = must_continue_ = -1;
  open_operations_ = 0;
  body_waits_ = {};
  if (std::exchange(lends_, 0) != 0) {  // else all of it is empty, and it is large
    borrowed_ = {};
    next_borrowed_ = {};
  }
  in_operation_ = 0;
  waiting_ = {};
  ended_in_spin_loop_ = false;
  idle_spin_rounds_ = 0;
  released_spinners_ = false;
  total_steps_ += steps_;
  steps_ = 0;
  schedule_.clear();
  if (live_ != nullptr) live_->size = 0;
  executed_steps_.clear();
  data_choices_.clear();
  finding_.found = false;
  end_ = End::kDone;
  if (recorder_ != nullptr) recorder_->begin();
  if (survey_ != nullptr) survey_->begin();
}

Execution::End Execution::run(Strategy& strategy) {
  begin();
  strategy_ = &strategy;
  strategy.begin();
  start(nullptr, nullptr, 0);
  current_ = 0;
  runtime::g_control = this;
  {
    const EngineScope in_engine;  // until the fiber is on its own
    fibers_.enter(0);
  }
  if (survey_ != nullptr) survey_->close();
  if ((end_ == End::kDone || end_ == End::kDeadlock) && strategy.ended_early()) {
    finding_ = difference();
    end_ = End::kFinding;
  }
  if (end_ == End::kDone && limits_.leaks && arena_.live() > 0) check_leaks();
  runtime::g_control = nullptr;
  return end_;
}

Execution::End Execution::run_serially(Strategy& strategy) {
  const Limits limits = limits_;
  limits_.serial = true;
  limits_.fuses_call_with_first_step = limits_.races = limits_.leaks = false;
  limits_.spurious_cas_failures = limits_.spurious_wakeups = 0;
  const End end = run(strategy);
  limits_ = limits;
  return end;
}

void Execution::fiber_main(int fiber) {
  auto& self = static_cast<Execution&>(*runtime::g_control);
  Thread& thread = self.threads_[static_cast<std::size_t>(fiber)];
  thread.state = State::kBegun;
  --self.fresh_;
  leave_nothing_below();
  try {
    const runtime::ProgramScope in_program;
    if (fiber == 0) {
      self.body_();
      runtime::run_thread_end();
    } else {
      runtime::run_thread(thread.entry, thread.argument);
    }
  } catch (const std::exception& error) {
    self.fail(FindingKind::kException, fmt::format("an exception left the thread: {}", error.what()),
              nullptr);
  } catch (...) {
    self.fail(FindingKind::kException, "an exception left the thread", nullptr);
  }
  self.finish_thread();
}

int Execution::start(void* (*entry)(void*), void* argument, std::size_t stack) {
  return count_ == kMaxThreads ? kTooManyThreads : start_as(count_, entry, argument, stack);
}

int Execution::start_as(int number, void* (*entry)(void*), void* argument, std::size_t stack) {
  const EngineScope in_engine;  // to make its thread-local storage is no access of the program
  if (!fibers_.reset(number, &fiber_main, stack)) return kNoSuchStack;
  for (; count_ <= number; ++count_) {  // others may get the numbers between
    threads_[static_cast<std::size_t>(count_)].state = State::kFinished;
    alive_from_[static_cast<std::size_t>(count_)] = kNothingAlive;
  }
  Thread& thread = threads_[static_cast<std::size_t>(number)];
  thread.state = State::kFresh;
  thread.entry = entry;
  thread.argument = argument;
  thread.spin.clear();
  thread.yields.clear();
  thread.turns.clear();
  thread.sections.clear();
  thread.environment = thread.environment_but_time = 0;
  thread.time = {};
  thread.repeats_itself = thread.counts_rounds = false;
  thread.spurious_events = {};
  ++fresh_;
  ++unfinished_;
  if (number > 0) {
    races_.start(current_, number);
    runtime::start_clock(number, current_);
  }
  runtime::g_multithreaded = number > 0;
  runtime::g_track_accesses =
      runtime::g_multithreaded && (limits_.races || limits_.plain_points || followed_);
  runtime::g_surveyed = runtime::g_multithreaded && survey_ != nullptr;
  if (runtime::g_surveyed && !survey_->is_open()) survey_->open(arena_);
  alive_from_[static_cast<std::size_t>(number)] = kNothingAlive;
  if (number == 0) runtime::g_all_stacks = runtime::g_stacks[0];
  runtime::g_all_stacks.low = std::min(runtime::g_all_stacks.low, runtime::g_stacks[number].low);
  runtime::g_all_stacks.high = std::max(runtime::g_all_stacks.high, runtime::g_stacks[number].high);
  return number;
}

void Execution::finish_thread() {
  const EngineScope in_engine;
  if ((lends_ & bit(current_)) != 0) end_borrowed(kNothingAlive, nullptr);
  survey_memory(nullptr, false);
  threads_[static_cast<std::size_t>(current_)].state = State::kFinished;
  alive_from_[static_cast<std::size_t>(current_)] = kNothingAlive;
  step_log_.append_end(current_);
  const ThreadSet others = ~bit(current_);
  runnable_ &= others;
  blocked_candidates_ &= others;
  spinning_ &= others;
  taking_turns_ &= others;
  if (--unfinished_ == 0) fibers_.leave(current_);
  if (unfinished_ == 1) joining_ = 0;
  const int from = current_;
  current_ = next_thread();
  fibers_.change(from, current_);
  __builtin_unreachable();
}

void Execution::prune() {
  end_ = End::kPruned;
  fibers_.leave(current_);
}

void Execution::interrupt() {
  const runtime::EngineScope in_engine;
  take_call_stack(interrupted_at_);
  end_ = End::kInterrupted;
  fibers_.leave(current_);
}

std::optional<std::uint32_t> Execution::open_operation(int thread) const {
  if ((in_operation_ & bit(thread)) == 0) return std::nullopt;
  return operation_[static_cast<std::size_t>(thread)];
}

// The number is each thread's own, so that the choices of different threads commute.
bool Execution::choose_spurious(SpuriousEvent event) {
  const unsigned most =
      event == SpuriousEvent::kCasFailure ? limits_.spurious_cas_failures : limits_.spurious_wakeups;
  unsigned& times =
      threads_[static_cast<std::size_t>(current_)].spurious_events[static_cast<std::size_t>(event)];
  if (times == most || choose(2) == 0) return false;
  ++times;
  return true;
}

void Execution::acquire(const void* object) {
  if (!limits_.races) return;
  const EngineScope in_engine;
  races_.acquire(current_, object);
}

void Execution::release(const void* object) {
  if (!limits_.races) return;
  const EngineScope in_engine;
  races_.release(current_, object);
}

void Execution::joined(int thread) {
  races_.join(current_, thread);
  if (runtime::g_time_passes) runtime::join_clock(current_, thread);
}

void Execution::keep(const Step& step, std::uint64_t before, std::uint64_t after, bool wrote) {
  const ExecutedStep executed{current_, step, before, after, wrote};
  if (recorder_ != nullptr) recorder_->executed(executed);
  if (survey_ != nullptr) survey_->executed(current_, step, wrote);
  if (keeps_steps_) executed_steps_.push_back(executed);
}

void Execution::report_step_limit(const Step& step) {
  for (int thread = 0; thread < count_; ++thread) {
    if (!threads_[static_cast<std::size_t>(thread)].spin.too_long()) continue;
    refuse(fmt::format(
               "no end after {} steps, and thread {} has read more than {} places without a change: whether "
               "it waits in a loop is not followed that far",
               limits_.steps, thread, Spin::kMost),
           step.pc);
  }
  fail(FindingKind::kLivelock, fmt::format("no end after {} steps", limits_.steps), step.pc);
}

void Execution::observed_environment(std::uint64_t value, const void* from, bool changes) {
  if (keeps_steps_) {
    const EngineScope in_engine;
    executed_steps_.push_back(
        {.thread = current_,
         .step = {.kind = StepKind::kFence, .writes = changes, .size = 4, .address = from}});
  }
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  const auto learn = [value](std::uint64_t& all) { all = ((all + 1) ^ value) * 0x9E37'79B9'7F4A'7C15ULL; };
  learn(self.environment);
  if (runtime::is_clock(from)) {
    ++self.time.looks;
  } else {
    learn(self.environment_but_time);
  }
}

// It yielded, slept or timed out. The second time in a row that it waited in vain, a loop that waits a little, until some time has
// passed, is to see that it has.
void Execution::waited(Thread& self, const Step& step) {
  self.spin.paused();
  if (step.kind != StepKind::kYield && self.yields.count() == 2) self.time.late = true;
}

runtime::Nanoseconds Execution::delay() {
  constexpr runtime::Nanoseconds kDay = 86'400'000'000'000;
  return threads_[static_cast<std::size_t>(current_)].time.comes_late() ? kDay : 0;
}

void Execution::call_operation(std::uint32_t operation) {
  const Step step{.kind = StepKind::kCall, .operand = operation};
  point(step);
  if (limits_.fuses_call_with_first_step) must_continue_ = current_;
  ++open_operations_;
  in_operation_ |= bit(current_);
  operation_[static_cast<std::size_t>(current_)] = operation;
  executed(step, operation, operation, false);
}

void Execution::return_from_operation(std::uint32_t operation, std::uint64_t /*result*/) {
  const Step step{.kind = StepKind::kReturn, .operand = operation};
  survey_memory(nullptr, false);
  strategy_->returned(current_);
  --open_operations_;
  in_operation_ &= ~bit(current_);
  executed(step, operation, operation, false);
}

void Execution::wait_for_all(const void* frame) {
  const Step step{
      .kind = StepKind::kJoin, .ready = &all_others_ended, .operand = reinterpret_cast<std::uint64_t>(this)};
  if (unfinished_ > 1) joining_ = bit(current_);
  body_waits_ = {reinterpret_cast<std::uintptr_t>(frame), runtime::g_stacks[current_].high};
  point(step);
  body_waits_ = {};
  for (int thread = 1; thread < count_; ++thread) joined(thread);
  runtime::g_multithreaded = runtime::g_track_accesses = runtime::g_surveyed = false;
  const EngineScope in_engine;
  if (survey_ != nullptr) survey_->close();
}

}  // namespace plumb::engine
