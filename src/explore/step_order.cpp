#include "explore/step_order.hpp"

namespace plumb::engine {

using runtime::Step;
using runtime::StepKind;

namespace {

// These happen along with the step before them; there is no choosing.
bool is_point(StepKind kind) { return kind != StepKind::kReturn && kind != StepKind::kFence; }

struct Turn {
  int thread = 0;
  std::vector<std::uint8_t> outcomes;
};

class Follow final : public Strategy {
 public:
  explicit Follow(std::vector<Turn> turns) : turns_(std::move(turns)) { needs_every_step_ = true; }

  void begin() override { at_ = outcome_ = 0; }
  Pick pick(const SchedulingPoint& point) override {
    if (point.is_data_choice) {
      if (at_ == 0 || outcome_ == turns_[at_ - 1].outcomes.size()) return Stop::kReplayMismatch;
      const int chosen = turns_[at_ - 1].outcomes[outcome_++];
      return pick_if_enabled(point, chosen, Stop::kNondeterministic);
    }
    if (at_ == turns_.size()) return prefer(point.current, point.enabled);
    outcome_ = 0;
    const int chosen = turns_[at_++].thread;
    return pick_if_enabled(point, chosen, Stop::kNondeterministic);
  }
  bool end() override { return false; }
  bool complete() const override { return false; }

 private:
  std::vector<Turn> turns_;
  std::size_t at_ = 0;
  std::size_t outcome_ = 0;
};

}  // namespace

void StepOrder::set(const std::vector<Event>& events, const std::vector<OutcomeOf>& outcomes) {
  events_ = events;
  outcomes_ = outcomes;
  places_.clear();
  intervals_.clear();
  now_ = {};
  inside_.fill(kNone);
  begun_ = created_ = 0;
  find_stretches();
  for (std::size_t i = 0; i < stretches_.size(); ++i) {
    order(stretches_[i]);
    note_operations(i);
  }
  find_causes();
}

void StepOrder::find_stretches() {
  stretches_.clear();
  bool calls = false;  // the stretch so far is a call, and no step of the operation
  for (std::size_t i = 0; i < events_.size(); ++i) {
    const StepKind kind = events_[i].step.kind;
    const bool same = !stretches_.empty() && stretches_.back().thread == events_[i].thread;
    const bool joins = same && (!is_point(kind) || (calls && kind != StepKind::kCall));
    if (!joins) stretches_.push_back({.begin = i, .end = i, .thread = events_[i].thread, .clock = {}});
    stretches_.back().end = i + 1;
    calls = kind == StepKind::kCall || (joins && calls && !is_point(kind) && kind != StepKind::kReturn);
  }
}

// Calls f(address, size, writes) for all that the steps of the stretch touch.
template <class F>
void StepOrder::each_place(const Stretch& stretch, F f) const {
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    const Step& step = events_[i].step;
    const unsigned size = step.size == 0 ? 1 : step.size;
    const bool looked_up = step.kind == StepKind::kCompareExchange && step.size <= sizeof(step.operand);
    const bool writes = looked_up ? events_[i].wrote : step.writes;
    if (step.address != nullptr) f(step.address, size, writes);
    if (step.also != nullptr) f(step.also, size, writes);
  }
}

void StepOrder::meet(const void* address, unsigned size, bool writes, Clock& clock) const {
  for (const Place& place : places_) {
    if (!runtime::touch(place.address, place.size, address, size)) continue;
    clock.join(place.change);
    if (writes) clock.join(place.reads);
  }
}

void StepOrder::leave(const void* address, unsigned size, bool writes, const Clock& clock) {
  std::size_t i = 0;
  while (i < places_.size() && (places_[i].address != address || places_[i].size != size)) ++i;
  if (i == places_.size()) places_.push_back({.address = address, .size = size, .change = {}, .reads = {}});
  (writes ? places_[i].change : places_[i].reads).join(clock);
}

void StepOrder::order(Stretch& stretch) {
  const auto self = static_cast<std::size_t>(stretch.thread);
  Clock& now = now_[self];
  if (stretch.thread != 0 && (begun_ & bit(stretch.thread)) == 0)
    now.join((created_ & bit(stretch.thread)) != 0 ? started_[self] : now_[0]);
  begun_ |= bit(stretch.thread);
  // The program itself goes on when the threads it started have ended.
  if (stretch.thread == 0) {
    for (ThreadSet left = begun_ & ~created_ & ~bit(0); left != 0; left &= left - 1)
      now.join(now_[static_cast<std::size_t>(lowest(left))]);
  }
  each_place(stretch,
             [&](const void* address, unsigned size, bool writes) { meet(address, size, writes, now); });
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    if (events_[i].step.kind == StepKind::kJoin) now.join(now_[events_[i].step.operand]);
  }
  ++now[stretch.thread];
  stretch.clock = now;
  each_place(stretch,
             [&](const void* address, unsigned size, bool writes) { leave(address, size, writes, now); });
  for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
    if (events_[i].step.kind != StepKind::kCreate) continue;
    created_ |= bit(static_cast<int>(events_[i].after));
    started_[events_[i].after] = now;
  }
}

void StepOrder::note_operations(std::size_t stretch) {
  const Stretch& it = stretches_[stretch];
  std::size_t& inside = inside_[static_cast<std::size_t>(it.thread)];
  for (std::size_t i = it.begin; i < it.end; ++i) {
    const Step& step = events_[i].step;
    if (step.kind == StepKind::kCall) {
      inside = static_cast<std::size_t>(step.operand);
      if (intervals_.size() <= inside) intervals_.resize(inside + 1);
      intervals_[inside] = {.call = stretch, .first = kNone, .last = stretch};
    } else if (inside == kNone) {
      continue;
    } else if (step.kind == StepKind::kReturn) {
      if (intervals_[inside].first == kNone) intervals_[inside].first = stretch;
      intervals_[inside].returned = true;
      inside = kNone;
    } else {
      if (intervals_[inside].first == kNone && (is_point(step.kind) || step.address != nullptr))
        intervals_[inside].first = stretch;
      intervals_[inside].last = stretch;
    }
  }
}

void StepOrder::find_causes() {
  causes_.assign(intervals_.size(), {});
  for (Interval& interval : intervals_) {
    if (interval.first == kNone) interval.first = interval.call;  // open, and waits for its first step
  }
  const auto before = [&](std::size_t stretch) {
    Before all;
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      const Interval& other = intervals_[i];
      if (other.call == kNone) continue;
      if (comes_before(other.first, stretch)) all.calls |= std::uint64_t{1} << i;
      if (other.returned && comes_before(other.last, stretch)) all.returns |= std::uint64_t{1} << i;
    }
    return all;
  };
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    if (intervals_[i].call == kNone) continue;
    const std::uint64_t others = ~(std::uint64_t{1} << i);
    causes_[i] = {.call = before(intervals_[i].first), .ret = before(intervals_[i].last)};
    causes_[i].call.calls &= others;  // not before itself
    causes_[i].call.returns &= others;
    causes_[i].ret.returns &= others;
  }
}

std::unique_ptr<Strategy> StepOrder::follow(std::span<const OperationEvent> order) const {
  std::vector<bool> taken(stretches_.size());
  std::vector<Turn> turns;
  const auto take = [&](const Stretch& stretch) {
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
      if (!is_point(events_[i].step.kind)) continue;
      turns.push_back({.thread = stretch.thread, .outcomes = {}});
      for (const OutcomeOf& outcome : outcomes_) {
        if (outcome.event == i) turns.back().outcomes.push_back(outcome.chosen);
      }
    }
  };
  // A call is taken right before the first step of its operation.
  std::vector<std::size_t> call_of(stretches_.size(), kNone);
  std::vector<bool> waits(stretches_.size());
  for (const Interval& interval : intervals_) {
    if (interval.call == kNone || interval.first == kNone || interval.first == interval.call) continue;
    call_of[interval.first] = interval.call;
    waits[interval.call] = true;
  }
  const auto take_all = [&](auto wanted) {
    for (std::size_t i = 0; i < stretches_.size(); ++i) {
      if (taken[i] || waits[i] || !wanted(i)) continue;
      taken[i] = true;
      if (call_of[i] != kNone) take(stretches_[call_of[i]]);
      take(stretches_[i]);
    }
  };
  for (const OperationEvent& event : order) {
    const Interval& interval = intervals_[event.operation];
    const std::size_t until = event.returns ? interval.last : interval.first;
    take_all([&](std::size_t i) { return comes_before(i, until); });
  }
  take_all([](std::size_t) { return true; });
  return std::make_unique<Follow>(std::move(turns));
}

}  // namespace plumb::engine
