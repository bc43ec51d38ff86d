// The result of an exploration as a document: the verdict and where it happened, the steps of the failing execution, the counts
// and the token that runs it again.
#include <fmt/format.h>

#include "base/count_of.hpp"
#include "explore/trace_document.hpp"
#include "explore/unwatched.hpp"
#include "plumb/explore.hpp"

namespace plumb {

const char* to_string(FindingKind kind) {
  switch (kind) {
#define PLUMB_FINDING(name, text, test_kind) \
  case FindingKind::name:                    \
    return text;
#include "plumb/detail/findings.def"
#undef PLUMB_FINDING
  }
  return "none";
}

std::string_view to_string(SearchEnd end) {
  switch (end) {
    case SearchEnd::kExhausted:
      return "exhausted";
    case SearchEnd::kFinding:
      return "finding";
    case SearchEnd::kExecutions:
      return "executions";
    case SearchEnd::kTimeout:
      return "seconds";
    case SearchEnd::kStopped:
      return "a request to stop";
    case SearchEnd::kReplayed:
      return "replay";
    case SearchEnd::kOlderValues:
      return "the bound on older values";
  }
  return "";
}

std::string Exploration::text() const {
  std::string counts =
      fmt::format("{}, {} pruned, {}", count_of(executions, "execution"), pruned, count_of(steps, "step"));
  if (states > 0) counts += ", " + count_of(states, "state");
  std::string unseen = engine::unwatched_text(unwatched) + engine::unwatched_text(unwatched_writes);
  if (!beyond_states.empty())
    unseen += fmt::format("Schedules were searched, not states: {}.\n", beyond_states);
  if (held_back)
    unseen +=
        "A loop that may count its rounds went round so often (--patience) that from then on it was run only "
        "while no other thread could go on: its later rounds were not run in every order.\n";
  const std::string_view end = ended_by ? to_string(*ended_by) : "";
  if (verdict == Outcome::kHolds) return fmt::format("pass: {}, {}\n{}", counts, end, unseen);
  Document document{.subject = DocumentSubject::kExploration,
                    .evidence = engine::document_evidence(evidence)};
  if (verdict == Outcome::kUnknown) {
    document.kind = "unknown";
    document.summary = fmt::format("{}, ended by {}", counts, end);
    if (!message.empty()) document.summary += "\n" + message;
    return document_text(document) + unseen;
  }
  document.kind = to_string(kind);
  document.summary = message;
  document.trace = engine::document_steps(trace);
  document.remarks = {counts};
  document.suggestion = suggestion;
  if (!replay.empty()) document.commands = {{"replay", replay}};
  return document_text(document) + unseen;
}

}  // namespace plumb
