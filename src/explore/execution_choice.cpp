// Who can go on next, where that is not plain (execution_step.cpp), and what is said where nobody is to.
#include <algorithm>

#include <fmt/format.h>

#include "explore/execution.hpp"
#include "explore/local_state.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {

using runtime::Failure;
using runtime::Step;
using runtime::StepKind;

namespace {

constexpr unsigned kCircles =
    100;  // rounds in which nothing changes before loops that may count them are stuck

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  return (hash ^ value) * 0x9E37'79B9'7F4A'7C15ULL;
}

}  // namespace

// Those among them whose condition holds.
Options Execution::ready_ones(Options waiting) const {
  Options ready = 0;
  for (; waiting != 0; waiting &= waiting - 1) {
    const int thread = lowest(waiting);
    const Step& step = *next_[static_cast<std::size_t>(thread)];
    const bool goes = step.kind == StepKind::kCall ? operating_ == 0 : step.ready(step, thread);
    const bool late = step.timed && step.can_time_out(step, thread);
    if (goes || late) ready |= bit(thread);
  }
  return ready;
}

// A step for which the thread may have to wait.
void Execution::stand_waiting(int thread, const Step& step) {
  look_at_object(step);
  if (step.ready != nullptr && operating_ > 0 && thread != 0 && waiting_.what == nullptr)
    waiting_ = {operation_[static_cast<std::size_t>(thread)], runtime::kind_name(step.kind)};
  const Options me = bit(thread);
  const bool free = step.timed && step.can_time_out == nullptr;
  free_ = free ? free_ | me : free_ & ~me;
  conditional_ = free ? conditional_ & ~me : conditional_ | me;
}

bool Execution::goes_round(int thread, const Step& step) {
  Thread& self = threads_[static_cast<std::size_t>(thread)];
  self.circles = false;
  const bool spins = self.spin.suspects(step);
  const bool pauses = self.yields.suspects(step);
  if (!spins && !pauses) return false;
  const LocalState local = local_state(thread, step);
  const auto state = [](std::uint64_t kept, std::uint64_t besides) {
    return kept == 0 ? 0 : kept + besides * 0x9E37'79B9'7F4A'7C15ULL;
  };
  const std::uint64_t writes = runtime::g_writes[thread];
  if (spins) {
    if (self.spin.circles(step, state(local.all, self.environment ^ writes), limits_.patience, self.time))
      return true;
    const std::uint64_t kept = state(local.but_for_times, self.environment_but_time ^ writes);
    self.circles = self.time.looks > 0 && self.spin.circles_but_for_time(step, kept, self.time);
    if (self.circles) return true;
  }
  if (!pauses) return false;
  const std::uint64_t changes = writes + self.sections.changes();
  const auto waits =
      self.yields.waits(step, state(local.but_for_times, self.environment_but_time ^ changes), self.time);
  self.circles = waits == Yields::Waits::kCircles;
  return waits != Yields::Waits::kNo;
}

// Who goes round in circles, and not because of what it waits for now: that may have come.
Options Execution::in_circles() const {
  Options circling = spinning_;
  for (Options left = spinning_; left != 0; left &= left - 1) {
    const int thread = lowest(left);
    const Step& step = *next_[static_cast<std::size_t>(thread)];
    if (step.timed && step.ready(step, thread)) circling &= ~bit(thread);
  }
  return circling;
}

// Only those who wait in loops are left. A loop that counts its rounds may end by itself: let them go on a while. If all of them keep
// the same, each would do the same again: and to let two of them do so in every order would have no end.
Options Execution::go_round(Options spinning) {
  bool same = true;
  for (Options left = spinning; left != 0; left &= left - 1)
    same &= threads_[static_cast<std::size_t>(lowest(left))].circles;
  if (same || ++circles_ > kCircles) {
    went_round_ = spinning != 0;
    report_stuck();
  }
  for (Thread& thread : threads_) {
    thread.spin.clear();
    thread.yields.clear();
  }
  spinning_ = 0;
  circled_ = true;
  return spinning;
}

int Execution::fresh_thread() const {
  int thread = 0;
  while (threads_[static_cast<std::size_t>(thread)].state != State::kFresh) ++thread;
  return thread;
}

// Where somebody waits for something, goes round in circles, or must not be interrupted.
Options Execution::those_who_go() {
  const Options can_go = free_ | ready_ones(conditional_ & ~joining_);
  Options options = can_go & ~in_circles();
  if (options == 0) options = go_round(can_go);
  if (called_ >= 0 && called_ == last_ && (options & bit(called_)) != 0) options = bit(called_);
  called_ = -1;
  return options;
}

std::uint64_t Execution::hidden_state() const {
  std::uint64_t hash = mix(circles_, runtime::runtime_state());
  for (int i = 0; i < count_; ++i) {
    const Thread& thread = threads_[static_cast<std::size_t>(i)];
    hash = mix(mix(hash, thread.environment),
               thread.spin.hash() ^ thread.yields.hash() ^ (thread.time.late ? 1 : 0));
  }
  return hash ^ (hash >> 32U);
}

bool Execution::nothing_hidden() const {
  const auto end = threads_.begin() + count_;
  return !circled_ &&
         std::all_of(threads_.begin(), end, [](const Thread& thread) { return thread.environment == 0; });
}

void Execution::no_choice(int picked) {
  if (picked == Strategy::kGiveUp) give_up();
  if (picked == Strategy::kCannotGoOnAlone) {
    fail(Failure::kStuck,
         fmt::format("thread {} cannot go on alone: its operation waits for another thread", last_), nullptr);
  }
  if (picked == Strategy::kNondeterministic) fail(difference());
  fail(Failure::kNondeterministic,
       fmt::format(
           "the schedule does not fit: at choice {}, in step {}, its thread cannot go on. Other options "
           "than those it was found with, or a test that is not deterministic",
           schedule_.size() + 1, steps_),
       nullptr);
}

}  // namespace plumb::engine
