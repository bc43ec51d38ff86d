// Of a queue that is not linearizable, the violation with the earliest return.
#pragma once

#include <optional>

#include "check/monitors/monitor.hpp"

namespace plumb {

// None: removals are pending, or a value is removed twice; then it takes more than a look at each value.
[[nodiscard]] std::optional<MonitorVerdict> earliest_of_queue(const Part& part);

}  // namespace plumb
