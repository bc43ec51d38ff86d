// All consistent executions of a litmus program, by definition: every way to add its events one after the other, with every source and
// every place in the coherence order, and the axioms of the model, as docs/memory.md has them, over matrices. Shares no code with
// the search, and is slow.
#pragma once

#include "explore/graph/consistency.hpp"
#include "litmus.hpp"

namespace plumb_tests {

Behaviours explore_by_definition(const LitmusProgram& program, plumb::engine::graph::Model model);

}  // namespace plumb_tests
