// A document as a person reads it in a terminal.
#include <algorithm>

#include <fmt/format.h>

#include "document/document.hpp"
#include "document/trace_text.hpp"

namespace plumb {
namespace {

// Of a document without a name all is in one line.
std::string heading(const Document& document) {
  if (document.name.empty()) return fmt::format("{}: {}\n", document.kind, document.summary);
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

std::string render_text(const Document& document) {
  const std::string_view gap = document.name.empty() ? "" : "\n";
  std::string out = heading(document);
  for (const std::string& line : document.evidence) out += fmt::format("  {}\n", line);
  if (!document.scenario.empty()) out += "\n" + in_columns(document.scenario);
  out += document.history;
  if (!document.trace.empty()) {
    if (!document.name.empty()) out += "\nThe interleaving:\n";
    out += trace_text(document.trace);
  }
  if (!document.remarks.empty()) out += gap;
  for (const std::string& remark : document.remarks) out += remark + "\n";
  for (const DocumentCommand& command : document.commands)
    out += fmt::format("{}: {}\n", command.label, command.line);
  return out;
}

}  // namespace plumb
