// Memory that nothing points to at the end of an execution. Blocks that the program's globals lead to, directly or
// through other blocks, are not lost: caches and singletons stay. Any word that looks like an address counts as one.
#pragma once

#include <vector>

#include "runtime/arena.hpp"

namespace plumb::engine {

std::vector<const void*> unreachable_blocks(const runtime::Arena& arena);

}  // namespace plumb::engine
