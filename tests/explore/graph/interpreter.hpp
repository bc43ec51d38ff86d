// Litmus programs explored by the graph search, without fibers or hooks: a thread is an interpreter that runs along its events and adds
// more at their end.
#pragma once

#include "explore/graph/search.hpp"
#include "litmus.hpp"

namespace plumb_tests {

struct Explored : Behaviours {
  std::uint64_t duplicates = 0;
};

Explored explore_by_graphs(const LitmusProgram& program, plumb::engine::graph::Model model);

}  // namespace plumb_tests
