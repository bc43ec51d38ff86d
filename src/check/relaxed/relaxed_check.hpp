// The whole check with relaxed classes.
#pragma once

#include "check/part.hpp"

namespace plumb {

// With options.relax, which is not empty. Fails only where that does not fit the model.
//
// Where several smallest k are asked for, the answer is the one with the least largest k; of these, the least by the order
// in which the classes are named: the first as small as it can be, then the second, and so on.
[[nodiscard]] Result<Verdict> check_relaxed(const BoundHistory& history, const CheckOptions& options);

}  // namespace plumb
