// What `check` does, for the verbs that do more with it.
#pragma once

#include <functional>
#include <string_view>

#include "base/exit_status.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"
#include "cli/report_keeper.hpp"

namespace plumb::cli {

// Is given the exit status of the check, does what is to be done after it, and gives the exit status of the
// command.
using AfterCheck = std::function<ExitStatus(ExitStatus status)>;

// Checks everything the options name, prints the verdicts unless they say `quiet`, and gives the exit status.
// `keeper`, if there is one, is offered every history; `verb` is for messages. Where a limit has left a
// thread behind, `after` is called by another, and the process ends with it.
ExitStatus check_all(const Options& options, Console& console, std::string_view verb, ReportKeeper* keeper,
                     const AfterCheck& after);

}  // namespace plumb::cli
