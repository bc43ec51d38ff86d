// plumb report: the check of one file, and a report of it into another.
#include <fmt/format.h>

#include "cli/verbs.hpp"
#include "report/renderers.hpp"

namespace plumb::cli {

ExitStatus run_report(const Options& options, Console& console) {
  if (options.report.empty()) {
    console.error(
        fmt::format("plumb report: where to? Expected -o FILE, with a name that ends in {}\n"
                    "'plumb report --help' shows how",
                    kReportEndings.view()));
    return ExitStatus::kError;
  }
  return run_check(options, console);
}

}  // namespace plumb::cli
