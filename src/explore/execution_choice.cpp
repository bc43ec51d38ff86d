// Which threads are enabled, where that is not plain (execution_step.cpp), and what is said where the execution is to stop.
#include <algorithm>

#include <fmt/format.h>
#include <plumb/detail/mix.hpp>

#include "explore/execution.hpp"
#include "explore/local_state.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {

using runtime::Step;
using runtime::StepKind;

namespace {

constexpr unsigned kMostIdleRounds =
    100;  // rounds in which nothing changes before loops that may count them are a deadlock

}  // namespace

// Those among them whose condition holds.
ThreadSet Execution::enabled_among(ThreadSet blocked) const {
  ThreadSet enabled = 0;
  for (; blocked != 0; blocked &= blocked - 1) {
    const int thread = lowest(blocked);
    const Step& step = *next_[static_cast<std::size_t>(thread)];
    const bool ready = step.kind == StepKind::kCall ? open_operations_ == 0 : step.ready(step, thread);
    const bool late = step.timed && step.can_time_out(step, thread);
    if (ready || late) enabled |= bit(thread);
  }
  return enabled;
}

// A step for which the thread may have to wait.
void Execution::mark_blocked(int thread, const Step& step) {
  check_object(step);
  if (step.ready != nullptr && open_operations_ > 0 && thread != 0 && waiting_.what == nullptr)
    waiting_ = {operation_[static_cast<std::size_t>(thread)], runtime::kind_name(step.kind)};
  const ThreadSet me = bit(thread);
  const bool always = step.timed && step.can_time_out == nullptr;
  runnable_ = always ? runnable_ | me : runnable_ & ~me;
  blocked_candidates_ = always ? blocked_candidates_ & ~me : blocked_candidates_ | me;
}

bool Execution::is_spinning(int thread, const Step& step) {
  Thread& self = threads_[static_cast<std::size_t>(thread)];
  self.repeats_itself = self.counts_rounds = false;
  const bool spins = self.spin.suspects(step);
  const bool pauses = self.yields.suspects(step);
  const bool takes_turns = runtime::g_multithreaded && self.turns.suspects(step);
  if (!spins && !pauses && !takes_turns) return false;
  const LocalState local = local_state(thread, step);
  const auto state = [](std::uint64_t kept, std::uint64_t besides) {
    return kept == 0 ? 0 : kept + besides * 0x9E37'79B9'7F4A'7C15ULL;
  };
  const std::uint64_t writes = runtime::g_writes[thread];
  if (spins) {
    const Waits waits =
        self.spin.waits(step, state(local.all, self.environment ^ writes), limits_.patience, self.time);
    self.counts_rounds = waits == Waits::kCounts;
    if (waits != Waits::kNo) return true;
    const std::uint64_t kept = state(local.but_for_times, self.environment_but_time ^ writes);
    self.repeats_itself = self.time.looks > 0 && self.spin.repeats_but_for_time(step, kept, self.time);
    if (self.repeats_itself) return true;
  }
  if (takes_turns && self.turns.waits(step, state(local.all, self.environment ^ writes), limits_.patience)) {
    taking_turns_ |= bit(thread);
    return self.counts_rounds = true;
  }
  if (!pauses) return false;
  const std::uint64_t changes = writes + self.sections.changes();
  const Waits waits =
      self.yields.waits(step, state(local.but_for_times, self.environment_but_time ^ changes), self.time);
  self.repeats_itself = waits == Waits::kRepeats;
  self.counts_rounds = waits == Waits::kCounts;
  return waits != Waits::kNo;
}

// Those that spin, and not because of what they wait for now: that may have come.
ThreadSet Execution::spinning_threads() const {
  ThreadSet spinning = spinning_;
  for (ThreadSet left = spinning_; left != 0; left &= left - 1) {
    const int thread = lowest(left);
    const Step& step = *next_[static_cast<std::size_t>(thread)];
    if (step.timed && step.ready(step, thread)) spinning &= ~bit(thread);
  }
  return spinning;
}

// These go on later, though they may be about to do something else.
void Execution::hold_back(ThreadSet spinning) {
  for (; spinning != 0 && !held_back_; spinning &= spinning - 1)
    held_back_ = threads_[static_cast<std::size_t>(lowest(spinning))].counts_rounds;
}

// Only threads that wait in loops are left. A loop that counts its rounds may end by itself: they are enabled for a while. If all of
// them keep the same state, each would do the same again, and to run two of them in every order would have no end.
ThreadSet Execution::release_spinning_threads(ThreadSet spinning) {
  bool same = true;
  for (ThreadSet left = spinning; left != 0; left &= left - 1)
    same &= threads_[static_cast<std::size_t>(lowest(left))].repeats_itself;
  if (same || ++idle_spin_rounds_ > kMostIdleRounds) {
    ended_in_spin_loop_ = spinning != 0;
    if ((spinning & taking_turns_) != 0) report_livelock();
    report_deadlock();
  }
  for (Thread& thread : threads_) {
    thread.spin.clear();
    thread.yields.clear();
    thread.turns.clear();
  }
  spinning_ = taking_turns_ = 0;
  released_spinners_ = true;
  return spinning;
}

// Something was changed there for the first time: whose loop touches it may take another turn.
void Execution::release_turns(std::uint64_t places) {
  for (ThreadSet left = taking_turns_; left != 0; left &= left - 1) {
    const int thread = lowest(left);
    const Thread& other = threads_[static_cast<std::size_t>(thread)];
    if (((other.turns.places() & places) == 0 && !other.spin.may_mind(places))) continue;
    taking_turns_ &= ~bit(thread);
    spinning_ &= ~bit(thread);
  }
}

int Execution::fresh_thread() const {
  int thread = 0;
  while (threads_[static_cast<std::size_t>(thread)].state != State::kFresh) ++thread;
  return thread;
}

// Where some thread is blocked, spins, or must not be interrupted.
ThreadSet Execution::enabled_threads() {
  const ThreadSet runnable = runnable_ | enabled_among(blocked_candidates_ & ~joining_);
  const ThreadSet spinning = runnable & spinning_threads();
  ThreadSet enabled = runnable & ~spinning;
  if (enabled == 0)
    enabled = release_spinning_threads(runnable);
  else
    hold_back(spinning);
  if (must_continue_ >= 0 && must_continue_ == last_ && (enabled & bit(must_continue_)) != 0)
    enabled = bit(must_continue_);
  must_continue_ = -1;
  return enabled;
}

std::uint64_t Execution::implicit_state() const {
  std::uint64_t hash = detail::mix(idle_spin_rounds_, runtime::runtime_state());
  for (int i = 0; i < count_; ++i) {
    const Thread& thread = threads_[static_cast<std::size_t>(i)];
    hash = detail::mix(detail::mix(hash, thread.environment), thread.spin.hash() ^ thread.yields.hash() ^
                                                                  thread.turns.hash() ^
                                                                  (thread.time.late ? 1 : 0));
  }
  return hash;
}

bool Execution::is_implicit_state_empty() const {
  const auto end = threads_.begin() + count_;
  return !released_spinners_ &&
         std::all_of(threads_.begin(), end, [](const Thread& thread) { return thread.environment == 0; });
}

void Execution::stop(Stop why) {
  if (why == Stop::kRedundant) prune();
  if (why == Stop::kNotObstructionFree) {
    fail(FindingKind::kDeadlock,
         fmt::format("thread {} is not enabled when it runs alone: its operation waits for another thread",
                     last_),
         nullptr);
  }
  if (why == Stop::kNondeterministic) fail(difference());
  fail(FindingKind::kNondeterministic,
       fmt::format(
           "the schedule does not fit: at choice {}, in step {}, its thread is not enabled. Other options "
           "than those it was found with, or a test that is not deterministic",
           schedule_.size() + 1, steps_),
       nullptr);
}

}  // namespace plumb::engine
