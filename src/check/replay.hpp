// Is this a linearization? Plain, and independent of the engines.
#pragma once

#include <span>

#include "check/part.hpp"

namespace plumb {

// Every completed operation of the part once, pending ones at most once, happens-before respected, every result what
// the model says.
[[nodiscard]] bool replays(const Part& part, std::span<const OperationId> order, States& states);

// Happens-before alone: for the orders of several parts, put together.
[[nodiscard]] bool respects_time(const History& history, std::span<const OperationId> order);

}  // namespace plumb
