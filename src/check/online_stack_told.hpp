// What is left of a watched stack, told to the engines as a history: for the case that a pop has not returned, and what it
// takes decides.
//
// Values inside and what waits are told as they are. For the values that are out, one stands for each stretch of them that
// StackOrder remembers. It may have been pushed as early as wanted and popped as late as now: so it is not in the way of
// anything that ended by now, and whatever is popped later finds it out.
#pragma once

#include <chrono>
#include <deque>
#include <span>
#include <string>

#include "check/online.hpp"
#include "check/online_stack_order.hpp"

namespace plumb {

struct StackName {
  Value value;
  WatchedOperation push;
  WatchedOperation pop = {};
  bool push_is_open = true;
  bool is_out = false;
};

struct StackPop {
  // What it takes is a value; or nothing is inside; or it is not known; or it did not happen.
  static constexpr StackOrder::Id kEmpty = StackOrder::kNone;
  static constexpr StackOrder::Id kOpen = StackOrder::kNone - 1;
  static constexpr StackOrder::Id kNever = StackOrder::kNone - 2;

  Moment called = 0;
  WatchedOperation name;
  Value process;
  StackOrder::Id takes = kOpen;

  [[nodiscard]] bool has_value() const { return takes < kNever; }
};

// An event that the order has not been told.
struct StackEvent {
  enum Kind : std::uint8_t { kPushReturn, kPopCall, kPopReturn };
  Kind kind;
  std::uint32_t who;  // the value, or the number of the pop
  Moment now;
};

struct WatchedStack {
  StackOrder order;
  Moment now = 0;                  // of the last event that the order was told
  std::vector<StackName> names;    // by value
  std::vector<StackPop> pops;      // by number
  std::deque<StackEvent> waiting;  // from the call of the oldest open pop on
};

struct StackVerdict {
  Outcome outcome = Outcome::kUnknown;
  std::string why;  // where it is not known
  Alarm alarm;      // of a violation
};

// With the open pops pending.
[[nodiscard]] StackVerdict judge_by_engines(const OnlineSetting& setting, const WatchedStack& stack,
                                            std::chrono::duration<double> timeout);

}  // namespace plumb
