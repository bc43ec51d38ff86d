// Looking for a witness of linearizability in strong hitting families.
#pragma once

#include "check/part.hpp"

namespace plumb {

// Linearizable with the depth at which a witness was found, or unknown (kNoWitness: none up to limits.max_depth). Never a
// violation. `states` is fresh.
[[nodiscard]] PartVerdict search_hitting(const Part& part, States& states, const SearchLimits& limits);

}  // namespace plumb
