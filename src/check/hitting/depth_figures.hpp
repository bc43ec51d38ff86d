// What `plumb depth` says of a history without running a step of its model: all but the verdict.
#pragma once

#include <plumb/depth.hpp>

#include "base/budget.hpp"

namespace plumb {

// The verdict is `unknown`. Families that cannot be counted within the budget are not.
[[nodiscard]] Result<DepthReport> measure_figures(const History& history, const Model& model,
                                                  const CheckOptions& options, const Budget& budget);

}  // namespace plumb
