// Running another program without a shell, and what it said.
#pragma once

#include <string>
#include <vector>

namespace plumb {

struct ProgramResult {
  int status = -1;     // its exit status; -1 if it could not be run or was killed
  std::string output;  // standard output and standard error, as they came
};

// `command` is the program, looked up in PATH, and its arguments.
[[nodiscard]] ProgramResult run_program(const std::vector<std::string>& command);

}  // namespace plumb
