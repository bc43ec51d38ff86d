// Every text that teaches, made from the tables.
#pragma once

#include <string>

#include "cli/verbs.hpp"

namespace plumb::cli {

[[nodiscard]] std::string short_usage();
[[nodiscard]] std::string general_help();
[[nodiscard]] std::string verb_help(const VerbRow& verb);
[[nodiscard]] std::string version_text();

}  // namespace plumb::cli
