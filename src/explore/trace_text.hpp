// A trace as lines of text: a step each, with changes of threads marked, source lines beside it, and loops folded.
#pragma once

#include <string>
#include <vector>

#include "plumb/explore.hpp"

namespace plumb::engine {

std::string trace_text(const std::vector<TraceStep>& trace);

}  // namespace plumb::engine
