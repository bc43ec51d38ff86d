// The steps of an execution as a person reads them, with names and source lines. Objects are called as the program says
// (Program::name), by the variable and member that debug information knows, as the n-th block of a thread, or by a number
// in order of appearance: names that are the same in each run.
#pragma once

#include <string>
#include <vector>

#include "explore/execution.hpp"
#include "plumb/explore.hpp"

namespace plumb::engine {

struct Name {
  const char* address = nullptr;
  std::size_t size = 0;
  std::string name;
  const void* type_tag = nullptr;
};

// Must be called before the next execution begins: blocks are looked up in the arena.
std::vector<TraceStep> make_trace(const std::vector<TraceEntry>& entries, const std::vector<Name>& names,
                                  const Finding& finding);

// What led to the finding, and where.
std::vector<Evidence> make_evidence(const TraceRecorder& recorder, const std::vector<Name>& names,
                                    const Finding& finding);

}  // namespace plumb::engine
