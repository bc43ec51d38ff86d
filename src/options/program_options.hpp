// The command line of a program that has options only: reads them, shows help, says what is wrong.
#pragma once

#include <algorithm>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_status.hpp"
#include "options/option_table.hpp"

namespace plumb::options {

inline constexpr unsigned kEverywhere = 1;  // OptionRow::verbs of a program without verbs

struct ProgramText {
  std::string_view about;  // what it does
  std::string_view end;    // after the options: exit status, what to know
};

// Each prints, and gives the status to end with.
[[nodiscard]] ExitStatus show_help(const char* program, const ProgramText& text, std::string_view options);
[[nodiscard]] ExitStatus refuse(const char* program, std::string_view what);
[[nodiscard]] ExitStatus refuse_argument(const char* program, std::string_view argument);

// The exit status, where the program is over with that: help was asked for, or something is
// wrong, and that has been said. `options_given`: is told what there was, unless it is null.
template <class Target>
std::optional<ExitStatus> read_program_options(std::span<const OptionRow<Target>> table, int argc,
                                               char** argv, const ProgramText& text, Target& target,
                                               std::vector<GivenOption>* options_given = nullptr,
                                               const WhatIsMeant& what_is_meant = {}) {
  std::vector<std::string> given(argv + std::min(argc, 1), argv + argc);
  const auto words = read_options(table, kEverywhere, std::move(given), target, what_is_meant);
  if (!words) return refuse(argv[0], words.error().message);
  if (words->help) return show_help(argv[0], text, options_text(table, kEverywhere));
  if (options_given != nullptr) *options_given = words->given;
  if (!words->arguments.empty()) return refuse_argument(argv[0], words->arguments.front());
  return std::nullopt;
}

}  // namespace plumb::options
