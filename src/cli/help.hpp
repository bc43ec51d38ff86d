// Every text that teaches, made from the tables.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/verbs.hpp"

namespace plumb::cli {

struct ExitStatusRow {
  ExitStatus status;
  std::string_view meaning;
};
[[nodiscard]] std::span<const ExitStatusRow> exit_statuses();

[[nodiscard]] std::string short_usage();
[[nodiscard]] std::string general_help();
[[nodiscard]] std::string verb_help(const VerbRow& verb);
[[nodiscard]] std::string version_text();

}  // namespace plumb::cli
