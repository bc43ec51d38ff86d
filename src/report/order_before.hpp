// How far a history can be explained: an order of everything that happened before a certain return.
#pragma once

#include <optional>
#include <vector>

#include <plumb/check.hpp>

namespace plumb {

// A linearization of what the history was just before `last` returned: `last` itself is left out, and
// what had not returned may have taken effect or not. Nothing if there is none, or if it was not
// found within the budget.
[[nodiscard]] std::optional<std::vector<OperationId>> order_before(const History& history, const Model& model,
                                                                   OperationId last,
                                                                   const CheckOptions& options);

}  // namespace plumb
