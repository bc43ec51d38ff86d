// Journals of a test program are merged by the program itself: 'plumb merge' starts it in its own place.
#pragma once

#include <string>
#include <vector>

#include <plumb/result.hpp>

#include "cli/options.hpp"
#include "journal/program_head.hpp"

namespace plumb::cli {

// Of its files, those that all runs had the same name for are written, or those that are named here. Does not come back, unless that is not possible: why. A journal is only data, perhaps from elsewhere: what it names is run only if it
// is a test program of plumb, and the very one that wrote the journal.
[[nodiscard]] Error merge_by_program(const ProgramHead& head, const std::vector<std::string>& journals,
                                     const Options& options);

}  // namespace plumb::cli
