// The steps of an execution as a person reads them: objects get names that are the same in each run: those that the
// program gave, the n-th block of a thread, or a letter in order of appearance.
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
};

// Must be called before the next execution begins: blocks are looked up in the arena.
std::vector<TraceStep> make_trace(const std::vector<Event>& events, const std::vector<Name>& names);

}  // namespace plumb::engine
