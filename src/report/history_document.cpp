#include "report/history_document.hpp"

#include <utility>

#include <fmt/format.h>

#include "base/milliseconds.hpp"

namespace plumb {
namespace {

Facts facts_of(const ReportSource& source, const History& history, const Verdict& verdict) {
  constexpr int kDigits = 3;
  return {{"file", source.file},
          {"history", source.index},
          {"verdict", to_string(verdict)},
          {"model", source.model},
          {"engine", to_string(verdict.engines)},
          {"why", verdict.why},
          {"operations", history.size()},
          {"pending", history.pending()},
          {"processes", history.processes()},
          {"elapsed_ms", FactValue::Decimal{in_milliseconds(verdict.elapsed), kDigits}}};
}

}  // namespace

Document verdict_document(const ReportSource& source, const History& history, const Verdict& verdict) {
  Document document{.subject = DocumentSubject::kHistory,
                    .name = source.file,
                    .verdict = std::string(to_string(verdict)),
                    .facts = facts_of(source, history, verdict),
                    .seconds = verdict.elapsed.count()};
  if (!source.alone) document.name += fmt::format(", history {}", source.index);
  if (!history.name().empty()) document.name += fmt::format(" ({})", history.name());
  if (verdict.violation) {
    document.kind = "not-linearizable";
    document.summary = verdict.violation->reason;
  } else if (verdict.outcome == Outcome::kUnknown) {
    document.summary = verdict.why;
  }
  return document;
}

Document history_document(std::shared_ptr<const HistoryView> view) {
  Document document = verdict_document(view->source(), view->history(), view->verdict());
  document.summary = view->sentence();
  document.facts.emplace_back("sentence", document.summary);
  if (!view->history().name().empty()) document.facts.emplace_back("name", view->history().name());
  document.history = std::move(view);
  return document;
}

}  // namespace plumb
