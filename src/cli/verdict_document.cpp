// A verdict as a document: its name is the history's, its text what a terminal shows.
#include <fmt/format.h>

#include "cli/verdict_output.hpp"

namespace plumb::cli {

Document verdict_document(const Judged& judged) {
  const Verdict& verdict = *judged.verdict;
  Document document{.name = std::string(judged.file), .verdict = std::string(to_string(verdict.outcome))};
  if (!judged.alone) document.name += fmt::format(", history {}", judged.index);
  if (!judged.history->name().empty()) document.name += fmt::format(" ({})", judged.history->name());
  if (verdict.violation) {
    document.kind = "not-linearizable";
    document.summary = verdict.violation->reason;
  } else if (verdict.outcome == Outcome::kUnknown) {
    document.summary = verdict.why;
  }
  document.history = verdict_text(judged, false, false);
  document.seconds = verdict.elapsed_ms / 1'000;
  return document;
}

}  // namespace plumb::cli
