// What is done at every step, and at every plain access: a program does little else, so this is where the time of a search goes.
// What is seldom needed stands elsewhere (execution_choice.cpp, execution.cpp), so that little has to be saved on the way in.
#include <fmt/format.h>

#include "explore/execution.hpp"
#include "explore/weak_orders.hpp"
#include "runtime/virtual_clock.hpp"

namespace plumb::engine {

bool g_has_weak_orders = false;

using runtime::EngineScope;
using runtime::Step;
using runtime::StepKind;

bool Execution::reach(const Step& step) {
  const int self = current_;
  take_turn(self, step);
  timed_out_ = step.ready != nullptr && !step.ready(step, self);
  return !timed_out_;
}

inline void Execution::take_turn(int self, const Step& step) {
  const EngineScope in_engine;
  next_[static_cast<std::size_t>(self)] = &step;
  signatures_[static_cast<std::size_t>(self)] =
      (reinterpret_cast<std::uint64_t>(step.address) ^ reinterpret_cast<std::uint64_t>(step.pc) << 20U) *
      (static_cast<std::uint64_t>(self) * 2 + 3);
  if ((lends_ & bit(self)) != 0) end_borrowed(find_alive(self), step.pc);
  if (followed_) follow(self, step);
  update_enabledness(self, step);
  if (++steps_ > limits_.steps) report_step_limit(step);
  step_log_.append(self, step);
  const int next = pick_next();
  if (next != self) {
    alive_from_[static_cast<std::size_t>(self)] = 0;
    current_ = next;
    fibers_.change(self, next);
  }
}

// A thread that runs stays in the sets of its last point: they are not looked at before it is at the next one.
inline void Execution::update_enabledness(int thread, const Step& step) {
  const ThreadSet me = bit(thread);
  if (step.ready != nullptr || (limits_.serial && step.kind == StepKind::kCall)) {
    mark_blocked(thread, step);
  } else {
    runnable_ |= me;
    blocked_candidates_ &= ~me;
  }
  const Thread& self = threads_[static_cast<std::size_t>(thread)];
  const bool suspect = self.spin.often() || self.yields.often() || self.turns.often();
  taking_turns_ &= ~me;
  if (suspect && is_spinning(thread, step)) {
    spinning_ |= me;
  } else {
    spinning_ &= ~me;
  }
}

int Execution::next_thread() { return pick_next(); }

inline int Execution::pick_next() {
  if (fresh_ > 0) return fresh_thread();
  ThreadSet enabled = runnable_;
  if (enabled == 0 || ((blocked_candidates_ & ~joining_) | spinning_) != 0 || must_continue_ >= 0)
    enabled = enabled_threads();
  if (single(enabled) && !strategy_->needs_every_step()) return last_ = lowest(enabled);
  SchedulingPoint point{.enabled = enabled, .current = last_, .implicit = this, .next = &next_};
  if (last_ >= 0 && (enabled & bit(last_)) != 0) {
    point.is_yielding = runtime::is_yielding(*next_[static_cast<std::size_t>(last_)], last_);
  }
  for (ThreadSet left = enabled; left != 0; left &= left - 1)
    point.signature += signatures_[static_cast<std::size_t>(lowest(left))];
  return last_ = ask(point);
}

int Execution::choose(int outcomes) {
  const EngineScope in_engine;
  const int picked =
      ask({.enabled = bit(outcomes) - 1, .current = last_, .is_data_choice = true, .next = &next_});
  if (keeps_steps_) data_choices_.push_back({executed_steps_.size(), static_cast<std::uint8_t>(picked)});
  return picked;
}

inline int Execution::ask(const SchedulingPoint& point) {
  const Pick answer = strategy_->pick(point);
  if (answer.stops()) stop(answer.stop());
  const int picked = answer.chosen();
  if (!single(point.enabled)) {
    schedule_.push_back(static_cast<std::uint8_t>(picked));
    if (live_ != nullptr && live_->size < sizeof live_->choices)
      live_->choices[live_->size++] = static_cast<std::uint8_t>(picked);
  }
  return picked;
}

void Execution::note_executed(const Step& step, std::uint64_t before, std::uint64_t after, bool wrote) {
  const EngineScope in_engine;
  if (followed_ || keeps_steps_) keep(step, before, after, wrote);
  note_for_loops(step, before, wrote && (before != after || step.size > sizeof before));
  timed_out_ = false;
  if (runtime::g_time_passes) runtime::meet_others(current_, step, wrote);
  if (runtime::is_atomic(step.kind)) {
    runtime::g_is_instrumented = true;
    note_order(step);
    if (!fine(step.address, step.size)) check_atomic_access(step, wrote);
    if (limits_.races && races_.atomic(current_, step, wrote))
      report_race(races_.race(), step.address, step.size, wrote, step.pc);
  } else if (step.kind == StepKind::kFence) {
    races_.fence(current_, step.order);
  } else {
    check_object(step);
  }
}

// Which threads wait in a loop, after this step.
[[gnu::always_inline]] inline void Execution::note_for_loops(const Step& step, std::uint64_t before,
                                                             bool changed) {
  Thread& self = threads_[static_cast<std::size_t>(current_)];
  self.yields.executed(step, changed, timed_out_, self.time);
  if (timed_out_ || runtime::is_pause(step.kind)) waited(self, step);
  if (runtime::is_operation(step.kind)) {
    self.spin.clear();  // a new operation is no turn of a loop
    self.yields.clear();
    self.turns.clear();
    self.time.late = false;
  } else if (!changed) {
    self.spin.saw(step, limits_.spin, self.time);
  } else {
    const bool visible = self.sections.executed(step, runtime::g_writes[current_]);
    if (visible) idle_spin_rounds_ = 0;
    self.spin.clear();
    const std::uint64_t places = Spin::places(step);
    for (int i = 0; i < count_; ++i) {
      Thread& other = threads_[static_cast<std::size_t>(i)];
      if (i == current_ || (!other.spin.may_mind(places) && !other.yields.may_mind())) continue;
      const bool read = other.spin.changed(step);
      if (other.yields.changed(step, visible) || read) spinning_ &= ~bit(i) | taking_turns_;
    }
    if (self.turns.changed(step, before, places) && taking_turns_ != 0) release_turns(places);
  }
}

void Execution::read(const void* address, std::size_t size, const void* pc) {
  if (in_full_ || !fine(address, size)) return check_access_slow(address, size, false, pc);
  if (runtime::g_track_accesses && !races_.quick_read(current_, address, size, pc))
    check_race(address, size, false, pc);
}

void Execution::write(const void* address, std::size_t size, const void* pc) {
  if (in_full_ || !fine(address, size)) return check_access_slow(address, size, true, pc);
  if (runtime::g_track_accesses && !races_.quick_write(current_, address, size, pc))
    check_race(address, size, true, pc);
}

}  // namespace plumb::engine
