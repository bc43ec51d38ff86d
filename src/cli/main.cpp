// The command, from argv to the exit status.
#include <algorithm>
#include <string>
#include <vector>

#include "base/exit_status.hpp"
#include "base/huge_pages.hpp"
#include "cli/command_line.hpp"
#include "cli/console.hpp"
#include "cli/guarded.hpp"
#include "cli/verbs.hpp"
#include "options/standard_output.hpp"

namespace {

using plumb::ExitStatus;

ExitStatus run(const plumb::cli::CommandLine& line) {
  plumb::cli::Console console(line.options.color);
  ExitStatus status = line.status;
  if (line.verb != nullptr && line.answer.empty()) {
    status = line.verb->run(line.options, console);
  } else if (status == ExitStatus::kHolds) {
    console.out(line.answer);
  } else {
    console.error(line.answer);
  }
  return console.finish() ? status : ExitStatus::kError;
}

}  // namespace

int main(int argc, char** argv) {
  plumb::prepare_heap();
  plumb::prepare_standard_streams();
  return number_of(plumb::cli::guarded([&] {
    return run(
        plumb::cli::parse_command_line(std::vector<std::string>(argv + std::min(argc, 1), argv + argc)));
  }));
}
