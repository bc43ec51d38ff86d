// What is left of a watched stack, told to the engines as a history: for the case that a pop has not returned, and what it
// takes decides.
//
// Values inside and what waits are told as they are. For the values that are out, one stands for each stretch of them that
// StackOrder remembers: pushed right when it begins, popped right when it ends. That is not in the way of anything that ended by
// now: whoever is pushed in between has to be pushed before the stretch or after it, and can be; unless it is being popped, and
// may have left before the stretch ends: then the stretch may as well end now.
//
// The same, as events, leaves another monitor where all that happened would have left it: also one for values that
// repeat. The values inside, each with the moments at which it can have been pushed, are all that a stack is.
#pragma once

#include <chrono>
#include <optional>
#include <span>
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

// With the pushes that have not returned, those that are lost too. Of no pop is it guessed what it takes. Moments of the stack
// are those of the run, and `start` more. None: not at the moment.
[[nodiscard]] std::optional<RetoldRun> retell_stack(const OnlineSetting& setting, const WatchedStack& stack,
                                                    std::span<const StackOrder::Id> open_pushes,
                                                    Moment start);

}  // namespace plumb
