// From a dead end of a search to a violation: the core, and a sentence.
#pragma once

#include "check/part.hpp"

namespace plumb {

[[nodiscard]] Violation describe_violation(const Part& part, const Stuck& stuck);

}  // namespace plumb
