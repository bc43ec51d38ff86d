#include "check/clocks/clock_search.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>

#include <absl/container/flat_hash_set.h>

#include "history/lane_names.hpp"

namespace plumb {
namespace {

class ClockSearch {
 public:
  ClockSearch(const BoundHistory& history, std::span<const OperationId> operations, ClockError error,
              const SearchLimits& limits)
      : history_(history),
        error_(error),
        limits_(limits),
        gauge_(*limits.budget, limits.rank),
        states_(fresh_states(history)) {
    lay_out(operations);
  }

  PartVerdict run() {
    PartVerdict verdict;
    verdict.outcome = search();
    verdict.configurations = configurations_;
    verdict.spent = gauge_.reason();
    if (verdict.outcome == Outcome::kHolds) verdict.linearization = Linearization(taken());
    if (verdict.outcome == Outcome::kViolation) verdict.stuck = dead_end();
    return verdict;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Operation {
    OperationId id = 0;
    Time call = 0;
    Time ret = kNever;
    bool leaves_state = false;
    bool done = false;
    std::vector<std::uint32_t> after;  // of the same process: those right before it
  };
  struct Choice {
    std::uint32_t number;
    StateId state;
  };
  struct Frame {
    std::vector<Choice> choices;  // what comes next, the best last
    std::uint32_t low = 0;        // everything before is in the order, or pending
    std::uint32_t end = 0;        // nothing from here on is in the order
  };

  // By their calls. Pending ones that change nothing need not happen.
  void lay_out(std::span<const OperationId> operations) {
    const History& h = history_.history();
    for (const OperationId id : operations) {
      const bool leaves_state = history_.leaves_state(id);
      if (!h.is_pending(id) || !leaves_state)
        operations_.push_back({id, h.call(id), h.ret(id), leaves_state, false, {}});
    }
    std::ranges::sort(operations_, {},
                      [](const Operation& op) { return std::tuple(op.call, op.ret, op.id); });
    std::map<std::uint32_t, std::vector<std::uint32_t>> processes;
    for (std::uint32_t i = 0; i < operations_.size(); ++i) {
      if (is_in_lane(h, operations_[i].id)) continue;
      std::vector<std::uint32_t>& earlier = processes[h.process(operations_[i].id).bits()];
      find_before(i, earlier);
      earlier.push_back(i);
    }
  }

  // The last operation of the process that has returned by then, and those that are not ordered with it: they may have taken no time.
  void find_before(std::uint32_t i, const std::vector<std::uint32_t>& earlier) {
    std::optional<Time> last_call;
    for (std::size_t k = earlier.size(); k-- > 0;) {
      const Operation& before = operations_[earlier[k]];
      if (before.ret >= operations_[i].call) continue;
      if (last_call && before.ret < *last_call) break;
      if (!last_call) last_call = before.call;
      operations_[i].after.push_back(earlier[k]);
    }
  }

  Outcome search() {
    frames_.push_back(look(0, 0, states_->initial()));
    while (!frames_.empty()) {
      if (is_complete_) return Outcome::kHolds;
      if (gauge_.spent()) return Outcome::kUnknown;
      if (configurations_ > limits_.configurations) {
        gauge_.spend(StopReason::kRound);
        return Outcome::kUnknown;
      }
      Frame& frame = frames_.back();
      if (frame.choices.empty()) {
        take_back();
        continue;
      }
      const Choice choice = frame.choices.back();
      frame.choices.pop_back();
      operations_[choice.number].done = true;
      order_.push_back(choice);
      Frame next = look(frame.low, std::max(frame.end, choice.number + 1), choice.state);
      frames_.push_back(std::move(next));
    }
    return Outcome::kViolation;
  }

  void take_back() {
    keep_furthest();
    frames_.pop_back();
    if (order_.empty()) return;
    operations_[order_.back().number].done = false;
    order_.pop_back();
  }

  // The order that came furthest, before it changes.
  void keep_furthest() {
    if (order_.size() != furthest_size_ || !furthest_is_here_) return;
    furthest_order_ = taken();
    furthest_is_here_ = false;
  }

  // What is possible in a configuration; nothing in one that was met before.
  Frame look(std::uint32_t low, std::uint32_t end, StateId state) {
    while (low < operations_.size() && (operations_[low].done || operations_[low].ret == kNever)) ++low;
    Frame frame{{}, low, end};
    const std::uint32_t next = next_to_return(low);
    if (next == kNone) {
      is_complete_ = true;
      return frame;
    }
    note(next, state);
    if (!is_new(low, end, state)) return frame;
    ++configurations_;
    choose(next, state, frame);
    return frame;
  }

  // Of the operations that remain, the one that returns first.
  [[nodiscard]] std::uint32_t next_to_return(std::uint32_t low) const {
    std::uint32_t next = kNone;
    for (std::uint32_t i = low; i < operations_.size(); ++i) {
      const Operation& op = operations_[i];
      if (next != kNone && op.call > operations_[next].ret) break;
      if (!op.done && op.ret != kNever && (next == kNone || op.ret < operations_[next].ret)) next = i;
    }
    return next;
  }

  void choose(std::uint32_t next, StateId state, Frame& frame) {
    const Time first_return = operations_[next].ret;
    std::vector<StateId> after;
    for (std::uint32_t i = 0; i < operations_.size(); ++i) {
      if (i < frame.low && operations_[i].ret != kNever) i = next_pending(i, frame.low);
      if (i == operations_.size() || error_.surely_before(first_return, operations_[i].call)) break;
      const Operation& op = operations_[i];
      if (op.done || !std::ranges::all_of(op.after, [&](std::uint32_t k) { return operations_[k].done; }))
        continue;
      after.clear();
      states_->step(state, history_.call(op.id), history_.result(op.id), after);
      if (op.leaves_state && op.ret != kNever && !after.empty() &&
          after.front() == state) {  // nothing is lost when it comes at once
        frame.choices = {{i, after.front()}};
        return;
      }
      for (const StateId to : after) frame.choices.push_back({i, to});
    }
    std::ranges::stable_sort(frame.choices, std::ranges::greater(),
                             [&](const Choice& choice) { return operations_[choice.number].ret; });
  }

  // Before `low` only pending operations are of interest; they are listed as they are met.
  [[nodiscard]] std::uint32_t next_pending(std::uint32_t i, std::uint32_t low) {
    for (; pending_until_ < low; ++pending_until_) {
      if (operations_[pending_until_].ret == kNever) pending_.push_back(pending_until_);
    }
    const auto it = std::ranges::lower_bound(pending_, i);
    return it == pending_.end() || *it >= low ? low : *it;
  }

  bool is_new(std::uint32_t low, std::uint32_t end, StateId state) {
    key_.clear();
    const auto put = [&](std::uint32_t number) {
      key_.append(reinterpret_cast<const char*>(&number), sizeof number);
    };
    put(state);
    put(low);
    for (std::uint32_t i = next_pending(0, low); i < low; i = next_pending(i + 1, low)) {
      if (operations_[i].done) put(i);
    }
    for (std::uint32_t i = low; i < end; ++i) {
      if (operations_[i].done) put(i);
    }
    if (known_.contains(key_)) return false;
    if (memory_ + key_.size() + kPerKey > limits_.memory) return true;
    memory_ += key_.size() + kPerKey;
    known_.insert(key_);
    return true;
  }

  // How far this order came: everything that returned before this return is in it.
  void note(std::uint32_t next, StateId state) {
    if (furthest_ != kNone && operations_[next].ret <= operations_[furthest_].ret) return;
    furthest_ = next;
    furthest_size_ = order_.size();
    furthest_is_here_ = true;
    furthest_state_ = state;
  }

  [[nodiscard]] std::vector<OperationId> taken() const {
    std::vector<OperationId> order;
    order.reserve(order_.size());
    for (const Choice& choice : order_) order.push_back(operations_[choice.number].id);
    return order;
  }

  [[nodiscard]] DeadEnd dead_end() {
    const Operation& stuck = operations_[furthest_];
    DeadEnd dead_end;
    dead_end.operation = stuck.id;
    for (const Operation& op : operations_) dead_end.returned_before += op.ret < stuck.ret ? 1U : 0U;
    for (const OperationId id : furthest_order_) dead_end.prefix.push_back({id, 0});
    for (const Value result : states_->results(furthest_state_, history_.call(stuck.id)))
      dead_end.allowed.push_back(states_->values().to_json(result));
    dead_end.allowed_complete = false;  // after other orders there may be others
    dead_end.states = {states_->describe(furthest_state_)};
    return dead_end;
  }

  static constexpr std::size_t kPerKey = 48;  // bytes that a key takes beside its own

  const BoundHistory& history_;
  ClockError error_;
  const SearchLimits& limits_;
  BudgetGauge gauge_;
  std::unique_ptr<States> states_;
  std::vector<Operation> operations_;
  std::vector<Frame> frames_;
  std::vector<Choice> order_;
  std::vector<std::uint32_t> pending_;  // those called before pending_until_
  std::uint32_t pending_until_ = 0;
  absl::flat_hash_set<std::string> known_;
  std::string key_;
  std::size_t memory_ = 0;
  std::uint64_t configurations_ = 0;
  bool is_complete_ = false;
  std::uint32_t furthest_ = kNone;
  std::size_t furthest_size_ = 0;
  bool furthest_is_here_ = false;
  StateId furthest_state_ = 0;
  std::vector<OperationId> furthest_order_;
};

}  // namespace

std::vector<OperationId> called_in(const Part& part) {
  std::vector<OperationId> operations;
  for (const Event event : part.events) {
    if (!event.is_return()) operations.push_back(event.operation());
  }
  return operations;
}

PartVerdict search_clocks(const BoundHistory& history, std::span<const OperationId> operations,
                          ClockError error, const SearchLimits& limits) {
  return ClockSearch(history, operations, error, limits).run();
}

std::vector<OperationId> core_of_clocks(const BoundHistory& history, std::span<const OperationId> operations,
                                        ClockError error, OperationId stuck) {
  const History& h = history.history();
  std::vector<OperationId> core;
  for (const OperationId id : operations) {
    const bool needless = h.is_pending(id) && history.leaves_state(id);
    if (!needless && !error.surely_before(h.ret(stuck), h.call(id))) core.push_back(id);
  }
  std::ranges::sort(core);
  return core;
}

}  // namespace plumb
