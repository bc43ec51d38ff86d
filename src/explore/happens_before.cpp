#include "explore/happens_before.hpp"

namespace plumb::engine {

using runtime::Step;
using runtime::StepKind;

namespace {

// These happen along with the step before them; there is no choosing.
bool is_point(StepKind kind) { return kind != StepKind::kReturn && kind != StepKind::kFence; }

struct Turn {
  int thread = 0;
  std::vector<std::uint8_t> data_choices;
};

class Follow final : public Strategy {
 public:
  explicit Follow(std::vector<Turn> turns) : turns_(std::move(turns)) { needs_every_step_ = true; }

  void begin() override { at_ = data_choice_ = 0; }
  Pick pick(const SchedulingPoint& point) override {
    if (point.is_data_choice) {
      if (at_ == 0 || data_choice_ == turns_[at_ - 1].data_choices.size()) return Stop::kReplayMismatch;
      const int chosen = turns_[at_ - 1].data_choices[data_choice_++];
      return pick_if_enabled(point, chosen, Stop::kNondeterministic);
    }
    if (at_ == turns_.size()) return prefer(point.current, point.enabled);
    data_choice_ = 0;
    const int chosen = turns_[at_++].thread;
    return pick_if_enabled(point, chosen, Stop::kNondeterministic);
  }
  bool end() override { return false; }
  bool complete() const override { return false; }

 private:
  std::vector<Turn> turns_;
  std::size_t at_ = 0;
  std::size_t data_choice_ = 0;
};

}  // namespace

void HappensBeforeGraph::set(const std::vector<ExecutedStep>& steps,
                             const std::vector<DataChoice>& data_choices) {
  steps_ = steps;
  data_choices_ = data_choices;
  places_.clear();
  intervals_.clear();
  now_ = {};
  operation_.fill(kNone);
  begun_ = created_ = 0;
  find_blocks();
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    order(blocks_[i]);
    note_operations(i);
  }
  find_happens_before();
}

void HappensBeforeGraph::find_blocks() {
  blocks_.clear();
  bool calls = false;  // the block so far is a call, and no step of the operation
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const StepKind kind = steps_[i].step.kind;
    const bool same = !blocks_.empty() && blocks_.back().thread == steps_[i].thread;
    const bool joins = same && (!is_point(kind) || (calls && kind != StepKind::kCall));
    if (!joins) blocks_.push_back({.begin = i, .end = i, .thread = steps_[i].thread, .clock = {}});
    blocks_.back().end = i + 1;
    calls = kind == StepKind::kCall || (joins && calls && !is_point(kind) && kind != StepKind::kReturn);
  }
}

// Calls f(address, size, writes) for all that the steps of the block touch.
template <class F>
void HappensBeforeGraph::each_place(const StepBlock& block, F f) const {
  for (std::size_t i = block.begin; i < block.end; ++i) {
    const Step& step = steps_[i].step;
    const unsigned size = step.size == 0 ? 1 : step.size;
    const bool looked_up = step.kind == StepKind::kCompareExchange && step.size <= sizeof(step.operand);
    const bool writes = looked_up ? steps_[i].wrote : step.writes;
    if (step.address != nullptr) f(step.address, size, writes);
    if (step.also != nullptr) f(step.also, size, writes);
  }
}

void HappensBeforeGraph::join_conflicting(const void* address, unsigned size, bool writes,
                                          Clock& clock) const {
  for (const Place& place : places_) {
    if (!runtime::touch(place.address, place.size, address, size)) continue;
    clock.join(place.change);
    if (writes) clock.join(place.reads);
  }
}

void HappensBeforeGraph::note_access(const void* address, unsigned size, bool writes, const Clock& clock) {
  std::size_t i = 0;
  while (i < places_.size() && (places_[i].address != address || places_[i].size != size)) ++i;
  if (i == places_.size()) places_.push_back({.address = address, .size = size, .change = {}, .reads = {}});
  (writes ? places_[i].change : places_[i].reads).join(clock);
}

void HappensBeforeGraph::order(StepBlock& block) {
  const auto self = static_cast<std::size_t>(block.thread);
  Clock& now = now_[self];
  if (block.thread != 0 && (begun_ & bit(block.thread)) == 0)
    now.join((created_ & bit(block.thread)) != 0 ? started_[self] : now_[0]);
  begun_ |= bit(block.thread);
  // The program itself goes on when the threads it started have ended.
  if (block.thread == 0) {
    for (ThreadSet left = begun_ & ~created_ & ~bit(0); left != 0; left &= left - 1)
      now.join(now_[static_cast<std::size_t>(lowest(left))]);
  }
  each_place(block, [&](const void* address, unsigned size, bool writes) {
    join_conflicting(address, size, writes, now);
  });
  for (std::size_t i = block.begin; i < block.end; ++i) {
    if (steps_[i].step.kind == StepKind::kJoin) now.join(now_[steps_[i].step.operand]);
  }
  ++now[block.thread];
  block.clock = now;
  each_place(block, [&](const void* address, unsigned size, bool writes) {
    note_access(address, size, writes, now);
  });
  for (std::size_t i = block.begin; i < block.end; ++i) {
    if (steps_[i].step.kind != StepKind::kCreate) continue;
    created_ |= bit(static_cast<int>(steps_[i].after));
    started_[steps_[i].after] = now;
  }
}

void HappensBeforeGraph::note_operations(std::size_t block) {
  const StepBlock& it = blocks_[block];
  std::size_t& operation = operation_[static_cast<std::size_t>(it.thread)];
  for (std::size_t i = it.begin; i < it.end; ++i) {
    const Step& step = steps_[i].step;
    if (step.kind == StepKind::kCall) {
      operation = static_cast<std::size_t>(step.operand);
      if (intervals_.size() <= operation) intervals_.resize(operation + 1);
      intervals_[operation] = {.call = block, .first = kNone, .last = block};
    } else if (operation == kNone) {
      continue;
    } else if (step.kind == StepKind::kReturn) {
      if (intervals_[operation].first == kNone) intervals_[operation].first = block;
      intervals_[operation].returned = true;
      operation = kNone;
    } else {
      if (intervals_[operation].first == kNone && (is_point(step.kind) || step.address != nullptr))
        intervals_[operation].first = block;
      intervals_[operation].last = block;
    }
  }
}

void HappensBeforeGraph::find_happens_before() {
  happens_before_.assign(intervals_.size(), {});
  for (Interval& interval : intervals_) {
    if (interval.first == kNone) interval.first = interval.call;  // open, and waits for its first step
  }
  const auto before = [&](std::size_t block) {
    Predecessors all;
    for (std::size_t i = 0; i < intervals_.size(); ++i) {
      const Interval& other = intervals_[i];
      if (other.call == kNone) continue;
      if (comes_before(other.first, block)) all.calls |= std::uint64_t{1} << i;
      if (other.returned && comes_before(other.last, block)) all.returns |= std::uint64_t{1} << i;
    }
    return all;
  };
  for (std::size_t i = 0; i < intervals_.size(); ++i) {
    if (intervals_[i].call == kNone) continue;
    const std::uint64_t others = ~(std::uint64_t{1} << i);
    happens_before_[i] = {.call = before(intervals_[i].first), .ret = before(intervals_[i].last)};
    happens_before_[i].call.calls &= others;  // not before itself
    happens_before_[i].call.returns &= others;
    happens_before_[i].ret.returns &= others;
  }
}

std::unique_ptr<Strategy> HappensBeforeGraph::follow(std::span<const OperationEvent> order) const {
  std::vector<bool> taken(blocks_.size());
  std::vector<Turn> turns;
  const auto take = [&](const StepBlock& block) {
    for (std::size_t i = block.begin; i < block.end; ++i) {
      if (!is_point(steps_[i].step.kind)) continue;
      turns.push_back({.thread = block.thread, .data_choices = {}});
      for (const DataChoice& choice : data_choices_) {
        if (choice.step == i) turns.back().data_choices.push_back(choice.chosen);
      }
    }
  };
  // A call is taken right before the first step of its operation.
  std::vector<std::size_t> call_of(blocks_.size(), kNone);
  std::vector<bool> waits(blocks_.size());
  for (const Interval& interval : intervals_) {
    if (interval.call == kNone || interval.first == kNone || interval.first == interval.call) continue;
    call_of[interval.first] = interval.call;
    waits[interval.call] = true;
  }
  const auto take_all = [&](auto wanted) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (taken[i] || waits[i] || !wanted(i)) continue;
      taken[i] = true;
      if (call_of[i] != kNone) take(blocks_[call_of[i]]);
      take(blocks_[i]);
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
