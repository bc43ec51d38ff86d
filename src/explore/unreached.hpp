// The lines of the classes under test that no execution has come to.
#pragma once

#include <vector>

#include "plumb/explore.hpp"

namespace plumb::engine {

// By file and line. Only lines that access memory, atomically or not, are known, and only those of classes (and free functions) of which
// some line was reached since runtime::forget_reached().
std::vector<SourcePlace> unreached_lines();

}  // namespace plumb::engine
