// What a trace says about a read of a graph: which write it took its value from, which newer ones it did not see, and why it did not have to.
#pragma once

#include <functional>

#include "explore/graph/graph.hpp"
#include "explore/weak_read.hpp"

namespace plumb::engine::graph {

// `has_passed`: whether a write was run before that read.
WeakRead weak_read(const Graph& graph, EventId id, const std::function<bool(EventId)>& has_passed);

// The same of a gate: the use of a lock, a semaphore … that ended before.
WeakRead released_before(const Graph& graph, EventId gate);

// With what a fence synchronises, by what its thread read before it.
WeakRead fence_passed(const Graph& graph, EventId fence);

}  // namespace plumb::engine::graph
