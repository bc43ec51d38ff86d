// Which shared libraries of this program have no hooks, so that what they do is not seen: those that it has loaded, but for the C and C++
// runtime and what plumb itself brings along.
#pragma once

#include <string>
#include <vector>

namespace plumb::engine {

std::vector<std::string> unwatched_libraries();  // names of files, in the order in which they were loaded

// A line for a person; nothing where there is none.
std::string unwatched_text(const std::vector<std::string>& libraries);

}  // namespace plumb::engine
