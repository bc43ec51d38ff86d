// From argv to what is to be done, by the two tables.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "cli/options.hpp"
#include "cli/verbs.hpp"

namespace plumb::cli {

// Either a verb with its options, or an answer that needs no verb: help, the version, what is wrong.
struct CommandLine {
  const VerbRow* verb = nullptr;
  Options options;
  std::string answer;
  ExitStatus status = ExitStatus::kHolds;  // of the answer; others than kHolds go to standard error
};

[[nodiscard]] CommandLine parse_command_line(const std::vector<std::string>& arguments);

}  // namespace plumb::cli
