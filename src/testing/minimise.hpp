// The smallest scenario that still fails: fewer threads, fewer operations, nothing before or after, smaller values, as long
// as the same kind of failure is found. Each step takes one thing away; what cannot be taken away is needed.
#pragma once

#include <functional>

#include "testing/scenario.hpp"

namespace plumb::testing {

using StillFails = std::function<bool(const Scenario&)>;

[[nodiscard]] Scenario minimise(Scenario failing, const TestCase& test, const StillFails& still_fails);

}  // namespace plumb::testing
