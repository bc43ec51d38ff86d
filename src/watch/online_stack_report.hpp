// What is wrong with a watched stack, in words.
#pragma once

#include "watch/online_stack_state.hpp"

namespace plumb {

// `pop → 5` by process 2
[[nodiscard]] std::string pop_text(const Values& values, Value process, Value result);

// `pop` is the one whose call or return `order` found to be impossible.
[[nodiscard]] WatchViolation stack_alarm(const Values& values, const WatchedStack& stack,
                                         const StackOrder& order, const StackPop& pop,
                                         const StackFinding& found);

}  // namespace plumb
