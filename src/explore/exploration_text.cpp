// How the result of an exploration reads: the verdict, the counts, the steps of the failing execution with the changes
// of threads marked, and the token that runs it again.
#include <array>

#include <fmt/format.h>

#include "plumb/explore.hpp"

namespace plumb {
namespace {

std::string step_line(const TraceStep& step, bool changed_thread) {
  std::string line = fmt::format("{} thread {}  {}", changed_thread ? "->" : "  ", step.thread, step.what);
  if (!step.object.empty()) line += " " + step.object;
  if (step.atomic)
    line +=
        step.changed ? fmt::format(": {} -> {}", step.before, step.after) : fmt::format(": {}", step.before);
  if (!step.order.empty()) line += fmt::format(" ({})", step.order);
  return line + "\n";
}

}  // namespace

const char* to_string(FindingKind kind) {
  static constexpr std::array kNames{"none",
                                     "check",
                                     "assert",
                                     "abort",
                                     "exception",
                                     "crash",
                                     "stuck",
                                     "livelock",
                                     "race",
                                     "use-after-free",
                                     "double-free",
                                     "leak",
                                     "misuse",
                                     "nondeterministic",
                                     "not-instrumented",
                                     "bad-replay"};
  return kNames.at(static_cast<std::size_t>(kind));
}

std::string Exploration::text() const {
  std::string out;
  const std::string counts = fmt::format("{} executions, {} pruned, {} steps", executions, pruned, steps);
  if (verdict == Verdict::kPass) return fmt::format("pass: {}, {}\n", counts, ended_by);
  if (verdict == Verdict::kUnknown) return fmt::format("unknown: {}, ended by {}\n", counts, ended_by);
  out = fmt::format("{}: {}\n{}\n", to_string(kind), message, counts);
  int last = -1;
  for (const TraceStep& step : trace) {
    out += step_line(step, last >= 0 && step.thread != last);
    last = step.thread;
  }
  if (!replay.empty()) out += fmt::format("replay: {}\n", replay);
  return out;
}

}  // namespace plumb
