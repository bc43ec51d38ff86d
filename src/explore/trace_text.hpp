// A trace as lines of text: a step each, with changes of threads marked, source lines beside it, and loops folded.
#pragma once

#include <string>
#include <vector>

#include "plumb/explore.hpp"

namespace plumb::engine {

std::string trace_text(const std::vector<TraceStep>& trace);
std::string evidence_text(const std::vector<Evidence>& evidence);  // what led to the finding, and where

}  // namespace plumb::engine
