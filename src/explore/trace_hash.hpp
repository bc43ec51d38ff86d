// Which executions are the same but for the order of independent steps (Mazurkiewicz traces): each step is described by
// its thread and, for every object it touches, by the changes before it and, where it may change the object itself, by who
// read it since the last change. The descriptions, in whatever order, make the hash of the trace.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/execution.hpp"

namespace plumb::engine {

std::uint64_t trace_hash(const std::vector<Event>& events);

}  // namespace plumb::engine
