// What the engine does not see, and says at the end of a run: shared libraries that the program has loaded and that were compiled without
// the hooks, and memory that code without hooks wrote. The C and C++ runtime and what plumb itself is linked with are not among the libraries.
#pragma once

#include <string>
#include <vector>

#include "plumb/explore.hpp"

namespace plumb::engine {

class Observer;
class Survey;
struct Name;

std::vector<std::string> unwatched_libraries();  // names of files, in the order in which they were loaded

// The one of them that has this address in the code; empty: none has.
std::string unwatched_library_at(const void* pc);

// A line to print; empty where there are none.
std::string unwatched_text(const std::vector<std::string>& libraries);
// A line each, at most a few.
std::string unwatched_text(const std::vector<UnwatchedWrite>& writes);

// Of each writer and place one is kept, the first.
void add_unwatched(const std::vector<UnwatchedWrite>& more, std::vector<UnwatchedWrite>& all);
// What a survey found, which is an observer's operations' if there is one. Must be called before the next execution begins: blocks are
// looked up in the arena.
void add_unwatched(const Survey& survey, const std::vector<Name>& names, const Observer* observer,
                   std::vector<UnwatchedWrite>& all);

}  // namespace plumb::engine
