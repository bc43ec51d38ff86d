// plumb explain: the check, and then a reason that a person can follow instead of a line.
#include "cli/cmd_check.hpp"
#include "cli/verbs.hpp"

namespace plumb::cli {

ExitStatus run_explain(const Options& options, Console& console) {
  ReportKeeper keeper(options.json ? ReportFormat::kJson : ReportFormat::kText,
                      {.width = Console::width(), .color = console.has_color()});
  Options silent = options;
  silent.quiet = true;
  return check_all(silent, console, "explain", &keeper, [&](ExitStatus status) {
    if (!options.quiet && keeper.report()) console.out(*keeper.report());
    return status;
  });
}

}  // namespace plumb::cli
