// A linearization of a priority queue, where there is one that is found without looking at all values first.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/part.hpp"

namespace plumb {

// Values must be whole numbers that are not too large, and each inserted once; otherwise nothing is found, as where
// there is no order.
[[nodiscard]] std::optional<std::vector<OperationId>> find_priority_order(const Part& part);

}  // namespace plumb
