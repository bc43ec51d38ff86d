// A main() for programs that are nothing but an exploration.
#include <cstdio>
#include <string>

#include <plumb/explore.hpp>

#include "base/exit_status.hpp"
#include "explore/stop_signals.hpp"
#include "options/program_options.hpp"

namespace plumb {
namespace {

Status apply_replay(ExploreOptions& options, const std::string& text) {
  if (text.empty()) return Error{"''; expected the token that a finding prints"};
  options.replay = text;
  return Ok{};
}

constexpr options::OptionRow<ExploreOptions> kTable[] = {
    {"--replay", "TOKEN", options::kEverywhere, "run the one execution that a finding's token names",
     apply_replay},
};

constexpr options::ProgramText kText = {"Runs its threads through their interleavings.",
                                        "Exit status: 0 nothing was found, 1 a finding, 2 incorrect usage, 3 "
                                        "a budget ended the search before that.\n"};

ExitStatus status_of(const Exploration& result) {
  if (result.kind == FindingKind::kBadReplay) return ExitStatus::kError;
  if (result.verdict == Outcome::kUnknown) return ExitStatus::kUnknown;
  return result.passed() ? ExitStatus::kHolds : ExitStatus::kViolation;
}

}  // namespace

int explore_main(int argc, char** argv, const std::function<void(Program&)>& program,
                 ExploreOptions options) {
  const auto over = options::read_program_options<ExploreOptions>(kTable, argc, argv, kText, options);
  if (over) return number_of(*over);
  const engine::StopSignals signals;
  if (options.stop == nullptr) options.stop = engine::StopSignals::flag();
  const Exploration result = explore(program, options);
  std::fputs(result.text().c_str(), stdout);
  const ExitStatus status = status_of(result);
  if (status == ExitStatus::kViolation && !result.replay.empty())
    std::printf("again: %s --replay %s\n", argv[0], result.replay.c_str());
  return number_of(status);
}

}  // namespace plumb
