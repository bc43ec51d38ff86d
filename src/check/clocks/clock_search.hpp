// The search for an order that some clocks explain: exact, for any model, one part at a time.
//
// A configuration is the set of operations that are in the order, and a state. The next one may be any that no remaining operation
// surely comes before. That relation is no order of intervals (two processes may each have two operations, with nothing known
// between them), so the other engines, which know only intervals, cannot be asked. With an error beyond all times it is sequential
// consistency.
#pragma once

#include <span>
#include <vector>

#include "check/clocks/clock_error.hpp"
#include "check/part.hpp"

namespace plumb {

[[nodiscard]] std::vector<OperationId> called_in(const Part& part);

// Of a violation, everything is told but PartVerdict::core: its operations are core_of_clocks().
[[nodiscard]] PartVerdict search_clocks(const BoundHistory& history, std::span<const OperationId> operations,
                                        ClockError error, const SearchLimits& limits);

// Those that do not surely come after a return that no order passes: by themselves no order explains them. Ascending.
[[nodiscard]] std::vector<OperationId> core_of_clocks(const BoundHistory& history,
                                                      std::span<const OperationId> operations,
                                                      ClockError error, OperationId stuck);

}  // namespace plumb
