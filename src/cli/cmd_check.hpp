// What `check` does, for the verbs that do more with it.
#pragma once

#include <string_view>

#include "cli/console.hpp"
#include "cli/options.hpp"
#include "cli/report_keeper.hpp"

namespace plumb::cli {

// Checks everything the options name, prints the verdicts unless they say `quiet`, and gives the exit status. `keeper`, if
// there is one, is offered every history; `verb` is for messages.
int check_all(const Options& options, Console& console, std::string_view verb, ReportKeeper* keeper);

}  // namespace plumb::cli
