// The choices that lead to a graph, when its events are added one after the other in an order that respects po and rf: for each its thread,
// and how much older than the newest value it reads, or how far from the last place it writes. That is all a token has to say.
#pragma once

#include <cstdint>
#include <vector>

#include "explore/graph/graph.hpp"

namespace plumb::engine::graph {

std::vector<std::uint8_t> choices_of(const Graph& graph);

}  // namespace plumb::engine::graph
