// How the result of an exploration reads: the verdict and where it happened, the counts, the steps of the failing execution
// (trace_text.cpp) and the token that runs it again.
#include <array>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "explore/trace_text.hpp"
#include "explore/unwatched.hpp"
#include "plumb/explore.hpp"

namespace plumb {

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
  const std::string counts =
      fmt::format("{}, {} pruned, {}", count_of(executions, "execution"), pruned, count_of(steps, "step"));
  const std::string unseen = engine::unwatched_text(unwatched) + engine::unwatched_text(unwatched_writes);
  if (verdict == Verdict::kPass) return fmt::format("pass: {}, {}\n{}", counts, ended_by, unseen);
  if (verdict == Verdict::kUnknown) {
    out = fmt::format("unknown: {}, ended by {}\n", counts, ended_by);
    if (!message.empty()) out += message + "\n" + engine::evidence_text(evidence);
    return out + unseen;
  }
  out = fmt::format("{}: {}\n", to_string(kind), message);
  out += engine::evidence_text(evidence);
  out += counts + "\n" + engine::trace_text(trace);
  if (!replay.empty()) out += fmt::format("replay: {}\n", replay);
  return out + unseen;
}

}  // namespace plumb
