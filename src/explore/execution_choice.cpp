// Who goes on next: the part of an execution that finds out who can, and asks the strategy.
#include <fmt/format.h>

#include "explore/execution.hpp"
#include "runtime/waiting.hpp"

namespace plumb::engine {

using runtime::Failure;
using runtime::Step;
using runtime::StepKind;

namespace {

constexpr unsigned kCircles = 100;  // rounds in which nothing changes before waiting loops count as stuck

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
    if (goes) ready |= bit(thread);
  }
  return ready;
}

// Only those who wait in loops are left. A loop that counts its rounds may end by itself: let them go on a while.
Options Execution::go_round(Options spinning) {
  if (spinning == 0 || ++circles_ > kCircles) {
    went_round_ = spinning != 0;
    report_stuck();
  }
  for (Thread& thread : threads_) {
    thread.spin.clear();
    thread.yields.clear();
  }
  spinning_ = 0;
  return spinning;
}

int Execution::fresh_thread() const {
  int thread = 0;
  while (threads_[static_cast<std::size_t>(thread)].state != State::kFresh) ++thread;
  return thread;
}

int Execution::next_thread() {
  if (fresh_ > 0) return fresh_thread();
  const Options waiting = conditional_ & ~joining_;
  const Options can_go = waiting == 0 ? free_ : free_ | ready_ones(waiting);
  Options options = can_go & ~spinning_;
  if (options == 0) options = go_round(can_go);
  if (limits_.calls_go_on && called_ == last_ && called_ >= 0 && (options & bit(called_)) != 0)
    options = bit(called_);
  called_ = -1;
  if (single(options) && !strategy_->needs_every_step()) {
    last_ = lowest(options);
    return last_;
  }
  Choice choice{.options = options, .current = last_, .next = &next_};
  if (last_ >= 0 && (options & bit(last_)) != 0) {
    choice.voluntary = runtime::is_voluntary(next_[static_cast<std::size_t>(last_)]->kind);
  }
  for (Options left = options; left != 0; left &= left - 1) {
    const int thread = lowest(left);
    const Step& step = *next_[static_cast<std::size_t>(thread)];
    choice.signature +=
        (reinterpret_cast<std::uint64_t>(step.address) ^ reinterpret_cast<std::uint64_t>(step.pc) << 20U) *
        (static_cast<std::uint64_t>(thread) * 2 + 3);
  }
  if (strategy_->needs_hidden_state()) choice.hidden = hidden_state();
  last_ = ask(choice);
  return last_;
}

std::uint64_t Execution::hidden_state() const {
  std::uint64_t hash = mix(circles_, runtime::runtime_state());
  for (int i = 0; i < count_; ++i) {
    const Thread& thread = threads_[static_cast<std::size_t>(i)];
    hash = mix(mix(hash, thread.learnt), thread.spin.hash() ^ thread.yields.hash());
  }
  return hash ^ (hash >> 32U);
}

int Execution::ask(const Choice& choice) {
  const int picked = strategy_->pick(choice);
  if (picked == Strategy::kGiveUp) give_up();
  if (picked == Strategy::kCannotGoOnAlone) {
    fail(Failure::kStuck,
         fmt::format("thread {} cannot go on alone: its operation waits for another thread", last_), nullptr);
  }
  if (picked == Strategy::kNondeterministic) fail(difference());
  if (picked == Strategy::kDoesNotFit) {
    fail(Failure::kNondeterministic,
         fmt::format(
             "the schedule does not fit: at choice {}, in step {}, its thread cannot go on. Other options "
             "than those it was found with, or a test that is not deterministic",
             schedule_.size() + 1, steps_),
         nullptr);
  }
  if (!single(choice.options)) {
    schedule_.push_back(static_cast<std::uint8_t>(picked));
    if (live_ != nullptr && live_->size < sizeof live_->choices)
      live_->choices[live_->size++] = static_cast<std::uint8_t>(picked);
  }
  return picked;
}

}  // namespace plumb::engine
