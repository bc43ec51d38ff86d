// A document as a person reads it in a terminal.
#include <algorithm>

#include <fmt/format.h>

#include "document/document.hpp"
#include "document/trace_text.hpp"

namespace plumb {
namespace {

// Of an exploration all is in one line.
std::string heading(const Document& document) {
  if (document.subject == DocumentSubject::kExploration)
    return fmt::format("{}: {}\n", document.kind, document.summary);
  std::string out = fmt::format("{} {}", document.verdict, document.name);
  if (!document.kind.empty()) out += ": " + document.kind;
  out += "\n\n";
  if (!document.summary.empty()) out += document.summary + "\n";
  return out;
}

std::string in_columns(const std::vector<DocumentColumn>& columns) {
  std::size_t rows = 0;
  for (const DocumentColumn& column : columns) rows = std::max(rows, column.cells.size() + 1);
  std::string out;
  for (std::size_t row = 0; row < rows; ++row) {
    std::string line = " ";
    for (const DocumentColumn& column : columns) {
      std::size_t width = column.title.size();
      for (const std::string& cell : column.cells) width = std::max(width, cell.size());
      const std::string_view cell = row == 0                     ? std::string_view(column.title)
                                    : row <= column.cells.size() ? std::string_view(column.cells[row - 1])
                                                                 : std::string_view();
      line += fmt::format(" {:<{}} ", cell, width);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out;
}

}  // namespace

const DocumentPlace* Document::where() const {
  for (const DocumentEvidence& each : accesses) {
    if (!each.places.empty()) return each.places.data();
  }
  const auto last =
      std::find_if(trace.rbegin(), trace.rend(), [](const auto& step) { return !step.places.empty(); });
  if (last != trace.rend()) return last->places.data();
  return defined.file.empty() ? nullptr : &defined;
}

std::string document_text(const Document& document, std::string_view history) {
  const bool is_short = document.subject == DocumentSubject::kExploration;
  // The text of a history has a heading of its own.
  const bool is_history = document.subject == DocumentSubject::kHistory && !history.empty();
  std::string out = is_history ? std::string() : heading(document);
  for (const std::string& line : document.evidence) out += fmt::format("  {}\n", line);
  if (!document.scenario.empty()) out += "\n" + in_columns(document.scenario);
  out += history;
  if (!document.trace.empty()) {
    if (!is_short) out += "\nThe interleaving:\n";
    out += trace_text(document.trace);
  }
  if (!document.remarks.empty() && !is_short) out += "\n";
  for (const std::string& remark : document.remarks) out += remark + "\n";
  if (!document.suggestion.empty()) out += document.suggestion + "\n";
  for (const DocumentCommand& command : document.commands)
    out += fmt::format("{}: {}\n", command.label, command.line);
  return out;
}

}  // namespace plumb
