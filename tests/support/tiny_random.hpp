// Random tiny histories: a sequential run of the object, each operation stretched around its moment, then often spoiled
// a little. They are nearly right, which is where a monitor errs.
#pragma once

#include <algorithm>
#include <array>
#include <numeric>
#include <optional>
#include <utility>
#include <vector>

#include "base/rng.hpp"
#include "support/tiny.hpp"

namespace plumb::test {

class TinyRandom {
 public:
  TinyRandom(const TinyObject& object, std::uint64_t seed) : object_(object), rng_(seed) {}
  // No more than so many different values: they repeat.
  TinyRandom(const TinyObject& object, std::uint64_t seed, int values) : TinyRandom(object, seed) {
    values_ = values;
  }

  TinyHistory make() {
    draw_names();
    plain_ = rng_.chance(0.8);
    const std::size_t count = 3 + below(rng_.chance(0.9) ? 6 : 10);
    const double pending = rng_.chance(0.3) ? 0.15 : 0;
    std::vector<Time> width = {2, 5, 12, 30};
    const Time most = width[below(width.size())];
    history_.clear();
    state_ = object_.initial;
    for (std::size_t i = 0; i < count; ++i) {
      const Time moment = static_cast<Time>(60 + 8 * i);
      TinyOp op = next_operation();
      op.called = moment - time_below(most);
      op.returned = moment + 1 + time_below(most);
      if (rng_.chance(pending)) op.returned = kNever;
      history_.push_back(op);
    }
    for (std::size_t times = below(5); times > 0; --times) spoil();
    if (is_mutex()) keep_processes_apart();
    return history_;
  }

 private:
  [[nodiscard]] std::size_t below(std::size_t n) { return static_cast<std::size_t>(rng_.below(n)); }
  [[nodiscard]] Time time_below(Time n) { return static_cast<Time>(below(static_cast<std::size_t>(n))); }
  [[nodiscard]] bool is_mutex() const { return object_.model == "mutex"; }

  // Values in no order, so that a priority queue has something to do.
  void draw_names() {
    std::iota(names_.begin(), names_.end(), std::int8_t{1});
    for (std::size_t i = names_.size(); i-- > 1;) std::swap(names_[i], names_[below(i + 1)]);
    for (std::int8_t& name : names_) name = static_cast<std::int8_t>(1 + (name - 1) % values_);
    used_ = 0;
  }

  TinyOp next_operation() {
    while (true) {
      TinyOp op;
      op.call.operation = static_cast<std::uint8_t>(below(object_.functions.size()));
      op.process = static_cast<int>(is_mutex() ? below(3) : history_.size());
      if (object_.model == "counter") op.call.argument = static_cast<std::int8_t>(1 + below(3));
      if (takes_new_value(op.call.operation)) op.call.argument = names_[used_];
      TinyState after = state_;
      op.result = object_.apply(after, op.call, op.process);
      if (plain_ && object_.model == "multiset" && op.call.operation != 0) {  // what its monitor can judge
        op.call.operation = 1;
        op.result = 1;
      }
      if (op.result == kIllegal) {
        if (!rng_.chance(0.03)) continue;
        op.result = kNothing;
      } else {
        state_ = after;
      }
      if (takes_new_value(op.call.operation)) ++used_;
      return op;
    }
  }

  // An insertion or a write: no value twice.
  [[nodiscard]] bool takes_new_value(std::uint8_t operation) const {
    const TinyArguments takes = object_.takes(operation);
    return takes == TinyArguments::kKeyAndOne || (takes == TinyArguments::kOne && object_.model != "counter");
  }

  void spoil() {
    TinyOp& op = history_[below(history_.size())];
    TinyOp& other = history_[below(history_.size())];
    switch (below(5)) {
      case 0:  // the results of two operations of one kind
        if (op.call.operation == other.call.operation) std::swap(op.result, other.result);
        break;
      case 1:  // their times
        std::swap(op.called, other.called);
        std::swap(op.returned, other.returned);
        break;
      case 2:
        change_result(op);
        break;
      case 3: {  // later or earlier
        const Time by = time_below(60) - 30;
        op.called = std::max<Time>(op.called + by, 0);
        if (!op.pending()) op.returned = std::max<Time>(op.returned + by, 1);
        break;
      }
      default:  // shorter
        if (!op.pending())
          op.returned = op.called + 1 + time_below(std::max<Time>(op.returned - op.called, 1));
    }
  }

  void change_result(TinyOp& op) {
    switch (object_.returns[op.call.operation]) {
      case TinyReturns::kBool:
        if (plain_ && object_.model == "multiset") break;
        op.result = op.result == 0 ? 1 : 0;
        break;
      case TinyReturns::kInteger:
        op.result = static_cast<TinyResult>(below(6));
        break;
      case TinyReturns::kValue:
        if (object_.takes(op.call.operation) == TinyArguments::kNone ||
            (object_.model == "map" && op.call.operation == 0)) {
          if (!is_mutex()) op.result = rng_.chance(0.5) || used_ == 0 ? kNothing : names_[below(used_)];
        }
        break;
      case TinyReturns::kAlwaysTrue:
        break;
    }
  }

  // A process runs one operation at a time, and a pending one is its last.
  void keep_processes_apart() {
    std::ranges::sort(history_, {}, &TinyOp::called);
    for (int p = 0; p < 3; ++p) {
      TinyOp* before = nullptr;
      for (TinyOp& op : history_) {
        if (op.process != p) continue;
        if (before != nullptr) {
          if (op.called <= before->called + 1) op.called = before->called + 2;
          before->returned = std::min(before->returned, op.called - 1);
          if (!op.pending()) op.returned = std::max(op.returned, op.called + 1);
        }
        before = &op;
      }
    }
  }

  const TinyObject& object_;
  Rng rng_;
  TinyHistory history_;
  TinyState state_ = 0;
  std::array<std::int8_t, 13> names_ = {};
  int values_ = 13;
  std::size_t used_ = 0;
  bool plain_ = false;
};

}  // namespace plumb::test
