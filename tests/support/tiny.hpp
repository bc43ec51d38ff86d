// Tiny histories of one object, all in small integers, and what linearizable means for them, once more.
//
// Nothing here uses the library but to_history: the objects are written down again, and the definition is
// tried on bits, so that millions of histories can be compared with what the monitors say.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <plumb/history.hpp>

#include "support/tiny_objects.hpp"

namespace plumb::test {

// An operation with its times; it comes before another if it returns before that is called.
struct TinyOp {
  TinyCall call;
  TinyResult result = kNothing;  // of a pending one: not known
  Time called = 0;
  Time returned = kNever;
  int process = 0;
  bool required = true;  // if not, it may be left out, but has this result if it is not

  [[nodiscard]] bool pending() const { return returned == kNever; }
};

using TinyHistory = std::vector<TinyOp>;

// Whether an order exists; tries each set of operations with each state once.
class TinyOracle {
 public:
  explicit TinyOracle(const TinyObject& object) : object_(object) {}

  bool is_linearizable(const TinyHistory& history) {
    history_ = &history;
    required_ = 0;
    before_.assign(history.size(), 0);
    for (std::size_t i = 0; i < history.size(); ++i) {
      if (history[i].required && !history[i].pending()) required_ |= 1U << i;
      for (std::size_t j = 0; j < history.size(); ++j) {
        if (history[j].returned < history[i].called) before_[i] |= 1U << j;
      }
    }
    ++round_;
    return from(0, object_.initial);
  }

 private:
  bool from(std::uint32_t done, TinyState state) {
    if ((required_ & ~done) == 0) return true;
    if (met(done, state)) return false;
    for (std::size_t i = 0; i < history_->size(); ++i) {
      if ((done >> i & 1U) != 0 || (before_[i] & ~done) != 0) continue;
      const TinyOp& op = (*history_)[i];
      TinyState next = state;
      const TinyResult result = object_.apply(next, op.call, op.process);
      if (result == kIllegal || (!op.pending() && result != op.result)) continue;
      if (from(done | 1U << i, next)) return true;
    }
    return false;
  }

  // Whether this was met in this round; a full neighbourhood of the table forgets, which costs only time.
  bool met(std::uint32_t done, TinyState state) {
    constexpr std::size_t kTries = 4;
    const std::uint64_t hash = (state * 0x9E3779B97F4A7C15U ^ done) * 0xD6E8FEB86659FD93U;
    for (std::size_t i = 0; i < kTries; ++i) {
      Met& entry = table_[(hash >> 50U) + i];
      if (entry.round == round_ && entry.done == done && entry.state == state) return true;
      if (entry.round != round_) {
        entry = {round_, done, state};
        return false;
      }
    }
    return false;
  }

  struct Met {
    std::uint64_t round = 0;
    std::uint32_t done = 0;
    TinyState state = 0;
  };
  const TinyObject& object_;
  const TinyHistory* history_ = nullptr;
  std::uint32_t required_ = 0;
  std::vector<std::uint32_t> before_;  // by operation: which come before it
  std::uint64_t round_ = 0;
  std::vector<Met> table_ = std::vector<Met>((1U << 14U) + 8);
};

// The order is a linearization: every completed operation once, in time, with the results the object gives.
inline ::testing::AssertionResult is_tiny_witness(const TinyHistory& history, const TinyObject& object,
                                                  std::span<const OperationId> order) {
  TinyState state = object.initial;
  std::uint32_t done = 0;
  Time latest_call = 0;
  for (const OperationId i : order) {
    if (i >= history.size() || (done >> i & 1U) != 0) {
      return ::testing::AssertionFailure() << "operation " << i << " again";
    }
    done |= 1U << i;
    const TinyOp& op = history[i];
    if (op.returned < latest_call) return ::testing::AssertionFailure() << "operation " << i << " is late";
    latest_call = std::max(latest_call, op.called);
    const TinyResult result = object.apply(state, op.call, op.process);
    if (result == kIllegal || (!op.pending() && result != op.result)) {
      return ::testing::AssertionFailure() << "operation " << i << " cannot give its result there";
    }
  }
  for (std::size_t i = 0; i < history.size(); ++i) {
    if ((done >> i & 1U) == 0 && !history[i].pending())
      return ::testing::AssertionFailure() << "operation " << i << " is missing";
  }
  return ::testing::AssertionSuccess();
}

// The same for the library, which numbers the operations in the same order. Values can be pulled apart: the
// order of two of them stays as it is.
inline History to_history(const TinyHistory& history, const TinyObject& object, std::int64_t apart = 1) {
  HistoryBuilder builder;
  const auto pulled = [&](Value value) {
    return apart != 1 && value.is_small() ? Value::small(value.small_integer() * apart) : value;
  };
  for (const TinyOp& op : history) {
    const std::string_view f = object.functions[op.call.operation];
    const Value argument = pulled(Value::small(op.call.argument));
    std::array<Value, 2> args = {argument, argument};
    std::span<const Value> given = args;
    switch (object.takes(op.call.operation)) {
      case TinyArguments::kNone:
        given = given.first(0);
        break;
      case TinyArguments::kOne:
        given = given.first(1);
        break;
      case TinyArguments::kKeyOnly:
        args[0] = Value::small(kOnlyKey);
        given = given.first(1);
        break;
      case TinyArguments::kKeyAndOne:
        args[0] = Value::small(kOnlyKey);
        break;
    }
    builder.add(Value::small(op.process), builder.function(f), given,
                {pulled(object.value_of(op.call.operation, op.result)), !op.pending()}, op.called,
                op.returned);
  }
  return builder.finish().value();
}

}  // namespace plumb::test
