#include "options/program_options.hpp"

#include <cstdio>

#include <fmt/format.h>

namespace plumb::options {

ExitStatus show_help(const char* program, const ProgramText& text, std::string_view options) {
  fmt::print("Usage: {} [options]\n\n{}\n\n{}\n{}", program, text.about, options, text.end);
  return ExitStatus::kHolds;
}

ExitStatus refuse(const char* program, std::string_view what) {
  fmt::print(stderr, "{}: {}\n'{} --help' shows how\n", program, what, program);
  return ExitStatus::kError;
}

ExitStatus refuse_argument(const char* program, std::string_view argument) {
  return refuse(program, fmt::format("did not expect '{}': only options are allowed", argument));
}

}  // namespace plumb::options
