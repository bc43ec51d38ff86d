// A main() for programs that are nothing but an exploration.
#include <algorithm>
#include <cstdio>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <plumb/explore.hpp>

#include "base/count_of.hpp"
#include "base/exit_status.hpp"
#include "base/shell_word.hpp"
#include "explore/memory_models.hpp"
#include "explore/stop_signals.hpp"
#include "options/option_values.hpp"
#include "options/program_options.hpp"
#include "options/standard_output.hpp"
#include "runtime/end_of_process.hpp"

namespace plumb {
namespace {

struct Arguments {
  ExploreOptions options;
  bool both_models = false;
  bool names_model = false;  // the command line does
};

Status apply_replay(Arguments& arguments, const std::string& text) {
  if (text.empty()) return Error{"''; expected the token that a finding prints"};
  arguments.options.replay = text;
  return Ok{};
}

Status apply_memory_model(Arguments& arguments, const std::string& text) {
  const auto chosen = options::parse_choice(text, engine::memory_model_words());
  if (!chosen) return chosen.error();
  arguments.both_models = *chosen == engine::kMemoryModels.size();
  if (!arguments.both_models) arguments.options.memory_model = engine::kMemoryModels.at(*chosen).model;
  arguments.names_model = true;
  return Ok{};
}

constexpr options::OptionRow<Arguments> kTable[] = {
    {"--memory-model", "MODEL", options::kEverywhere, engine::kMemoryModelHelp.view(), apply_memory_model},
    {"--replay", "TOKEN", options::kEverywhere, "run the one execution that a finding's token names",
     apply_replay},
};

constexpr options::ProgramText kText = {"Runs its threads through their interleavings.",
                                        "Exit status: 0 nothing was found, 1 a finding, 2 incorrect usage, 3 "
                                        "a budget ended the search before that.\n"};

ExitStatus status_of(const Exploration& result) {
  if (result.kind == FindingKind::kBadReplay || result.kind == FindingKind::kBadOptions)
    return ExitStatus::kError;
  if (result.verdict == Outcome::kUnknown) return ExitStatus::kUnknown;
  return result.passed() ? ExitStatus::kHolds : ExitStatus::kViolation;
}

// What was observed, the most frequent first.
void print_outcomes(const Exploration& result) {
  std::vector<std::pair<std::string, std::uint64_t>> outcomes(result.outcomes.begin(), result.outcomes.end());
  std::stable_sort(outcomes.begin(), outcomes.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  for (const auto& [outcome, executions] : outcomes)
    fmt::print("outcome {}: {}\n", outcome, count_of(executions, "execution"));
}

ExitStatus explore_and_print(const char* command, const std::function<void(Program&)>& program,
                             const ExploreOptions& options, bool names_model) {
  const Exploration result = explore(program, options);
  if (names_model || options.memory_model != MemoryModel::kSequential)
    fmt::print("memory model {}\n", engine::word_of(options.memory_model));
  fmt::print("{}", result.text());
  print_outcomes(result);
  const ExitStatus status = status_of(result);
  if (status == ExitStatus::kViolation && !result.replay.empty()) {
    const bool usual = options.memory_model == MemoryModel::kSequential;
    const std::string model =
        usual ? "" : fmt::format("--memory-model {} ", engine::word_of(options.memory_model));
    fmt::print("again: {} {}--replay {}\n", shell_word(command), model, result.replay);
  }
  return status;
}

// A verdict that nobody can read is none.
ExitStatus said(ExitStatus status) { return output_has_arrived() ? status : ExitStatus::kError; }

}  // namespace

int explore_main(int argc, char** argv, const std::function<void(Program&)>& program,
                 ExploreOptions options) {
  Arguments arguments{.options = std::move(options)};
  const auto over = options::read_program_options<Arguments>(kTable, argc, argv, kText, arguments);
  if (over) return number_of(*over);
  const runtime::EndGuard guard([](const runtime::EndOfProcess& end) {
    const std::string how = end.call.empty() ? "" : ", by " + end.call;
    std::fprintf(stderr, "the process was ended before there was a verdict%s\n", how.c_str());
    return number_of(ExitStatus::kError);
  });
  prepare_standard_streams();
  const engine::StopSignals signals;
  if (arguments.options.stop == nullptr) arguments.options.stop = engine::StopSignals::flag();
  const bool names_model = arguments.names_model;
  if (!arguments.both_models)
    return number_of(said(explore_and_print(argv[0], program, arguments.options, names_model)));
  ExitStatus status = ExitStatus::kHolds;
  for (const MemoryModel model : engine::kModelsOfBoth) {
    arguments.options.memory_model = model;
    status = explore_and_print(argv[0], program, arguments.options, names_model);
    if (status != ExitStatus::kHolds) break;
  }
  return number_of(said(status));
}

}  // namespace plumb
