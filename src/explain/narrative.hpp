// One sentence about a core, for a colleague.
#pragma once

#include <string>

#include "explain/core.hpp"

namespace plumb {

// `stuck` is what the core alone allowed at the impossible return.
[[nodiscard]] std::string narrate(const BoundHistory& history, const Core& core, const Stuck& stuck);

}  // namespace plumb
