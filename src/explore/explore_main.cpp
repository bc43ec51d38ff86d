// A main() for programs that are nothing but an exploration.
#include <cstdio>
#include <string>
#include <utility>

#include <plumb/explore.hpp>

#include "base/exit_status.hpp"
#include "explore/stop_signals.hpp"
#include "options/program_options.hpp"

namespace plumb {
namespace {

struct Arguments {
  ExploreOptions options;
  bool both_models = false;
};

Status apply_replay(Arguments& arguments, const std::string& text) {
  if (text.empty()) return Error{"''; expected the token that a finding prints"};
  arguments.options.replay = text;
  return Ok{};
}

Status apply_memory_model(Arguments& arguments, const std::string& text) {
  if (text != "sc" && text != "rc11" && text != "both")
    return Error{"'" + text + "'; expected sc, rc11 or both"};
  arguments.both_models = text == "both";
  arguments.options.memory_model = text == "rc11" ? MemoryModel::kRc11 : MemoryModel::kSequential;
  return Ok{};
}

constexpr options::OptionRow<Arguments> kTable[] = {
    {"--memory-model", "MODEL", options::kEverywhere,
     "sc: sequential consistency; rc11: the C++ memory model; both: one after the other", apply_memory_model},
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

ExitStatus explore_and_print(const char* command, const std::function<void(Program&)>& program,
                             const ExploreOptions& options) {
  const Exploration result = explore(program, options);
  std::fputs(result.text().c_str(), stdout);
  const ExitStatus status = status_of(result);
  const char* model = options.memory_model == MemoryModel::kRc11 ? "--memory-model rc11 " : "";
  if (status == ExitStatus::kViolation && !result.replay.empty())
    std::printf("again: %s %s--replay %s\n", command, model, result.replay.c_str());
  return status;
}

}  // namespace

int explore_main(int argc, char** argv, const std::function<void(Program&)>& program,
                 ExploreOptions options) {
  Arguments arguments{.options = std::move(options)};
  const auto over = options::read_program_options<Arguments>(kTable, argc, argv, kText, arguments);
  if (over) return number_of(*over);
  const engine::StopSignals signals;
  if (arguments.options.stop == nullptr) arguments.options.stop = engine::StopSignals::flag();
  const ExitStatus first = explore_and_print(argv[0], program, arguments.options);
  if (!arguments.both_models || first != ExitStatus::kHolds) return number_of(first);
  arguments.options.memory_model = MemoryModel::kRc11;
  return number_of(explore_and_print(argv[0], program, arguments.options));
}

}  // namespace plumb
