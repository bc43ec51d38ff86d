// What is left of a watched stack, told to the engines as a history: for the case that a pop has not returned, and what it
// takes decides.
//
// Values inside and what waits are told as they are. For the values that are out, one stands for each stretch of them that
// StackOrder remembers. It may have been pushed as early as wanted and popped as late as now: so it is not in the way of
// anything that ended by now, and whatever is popped later finds it out.
#pragma once

#include <chrono>
#include <string>

#include "watch/online_stack_state.hpp"

namespace plumb {

struct StackVerdict {
  Outcome outcome = Outcome::kUnknown;
  std::string why;       // where it is not known
  WatchViolation alarm;  // of a violation
};

// With the open pops pending.
[[nodiscard]] StackVerdict judge_by_engines(const OnlineSetting& setting, const WatchedStack& stack,
                                            std::chrono::duration<double> timeout);

}  // namespace plumb
