// The command, from argv to the exit status.
#include <algorithm>
#include <csignal>
#include <string>
#include <vector>

#include "base/huge_pages.hpp"
#include "cli/command_line.hpp"
#include "cli/console.hpp"
#include "cli/guarded.hpp"
#include "cli/verbs.hpp"

namespace {

constexpr int kWrong = 2;

int run(const plumb::cli::CommandLine& line) {
  plumb::cli::Console console(line.options.color);
  int status = line.status;
  if (line.verb != nullptr && line.answer.empty()) {
    status = line.verb->run(line.options, console);
  } else if (status == 0) {
    console.out(line.answer);
  } else {
    console.error(line.answer);
  }
  return console.finish() ? status : kWrong;
}

}  // namespace

int main(int argc, char** argv) {
  plumb::prepare_heap();
  plumb::cli::guard_standard_streams();
  std::signal(
      SIGPIPE,
      SIG_DFL);  // whose reader went away ends in silence, as other commands do, whoever ignored it before
  return plumb::cli::guarded([&] {
    return run(
        plumb::cli::parse_command_line(std::vector<std::string>(argv + std::min(argc, 1), argv + argc)));
  });
}
