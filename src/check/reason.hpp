// From a dead end of a search to a violation: the core, and a sentence.
#pragma once

#include "check/part.hpp"

namespace plumb {

// Everything called before the return that cannot be explained, up to that return. No order of these operations passes
// it, and what is called later could not come before it: these operations alone are not linearizable.
[[nodiscard]] std::vector<Event> core_of_dead_end(const Part& part, OperationId stuck);

// Why there is no verdict, as a sentence without an end; empty where the engine has more to say.
[[nodiscard]] std::string_view to_text(StopReason spent);

[[nodiscard]] Violation describe_violation(const BoundHistory& history, const PartVerdict& verdict);

}  // namespace plumb
