// plumb report: the check of one file, and a report of it into another.
#include "cli/verbs.hpp"

namespace plumb::cli {

ExitStatus run_report(const Options& options, Console& console) {
  if (options.report.empty()) {
    console.error(
        "plumb report: where to? Expected -o FILE, with a name that ends in .html, .svg, .txt or .json\n"
        "'plumb report --help' shows how");
    return ExitStatus::kError;
  }
  return run_check(options, console);
}

}  // namespace plumb::cli
