// The verbs: what each is called, takes, shows in its help, and runs.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/exit_status.hpp"
#include "cli/console.hpp"
#include "cli/options.hpp"

namespace plumb::cli {

struct Example {
  std::string_view command;
  std::string_view meaning;
};

struct VerbRow {
  Verb verb;
  std::string_view name;
  std::string_view arguments;  // as help shows them: "FILE…"
  std::size_t least_arguments;
  std::size_t most_arguments;
  std::string_view summary;      // one line
  std::string_view description;  // what a person has to know before the first use
  std::span<const Example> examples;
  ExitStatus (*run)(const Options& options, Console& console);
};

[[nodiscard]] std::span<const VerbRow> verb_table();
[[nodiscard]] std::vector<std::string> verb_names();

// What the verbs run; each stands in its own cmd_*.cpp.
ExitStatus run_check(const Options& options, Console& console);
ExitStatus run_explain(const Options& options, Console& console);
ExitStatus run_report(const Options& options, Console& console);
ExitStatus run_convert(const Options& options, Console& console);
ExitStatus run_generate(const Options& options, Console& console);
ExitStatus run_models(const Options& options, Console& console);
ExitStatus run_verify(const Options& options, Console& console);
ExitStatus run_depth(const Options& options, Console& console);
ExitStatus run_merge(const Options& options, Console& console);
ExitStatus run_watch(const Options& options, Console& console);

}  // namespace plumb::cli
