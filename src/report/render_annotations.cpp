// Findings as commands to a build on GitHub: it shows each beside its line in the difference. GitLab and others read the same form
// with a converter, or JUnit's and SARIF's files.
#include <fmt/format.h>

#include "history/printable.hpp"
#include "report/places.hpp"
#include "report/renderers.hpp"

namespace plumb {
namespace {

// As GitHub's own toolkit escapes it: in a message, and in a property, which a comma or a colon would end.
std::string escaped(std::string_view text, bool is_property) {
  std::string out;
  for (const char c : printable_lines(text)) {
    if (c == '%' || c == '\r' || c == '\n' || (is_property && (c == ':' || c == ','))) {
      out += fmt::format("%{:02X}", static_cast<unsigned>(c));
    } else {
      out += c;
    }
  }
  return out;
}

std::string message_of(const Document& document) {
  std::string text = document.summary;
  for (const std::string& line : document.evidence) text += "\n" + line;
  for (const DocumentColumn& column : document.scenario) {
    text += "\n" + column.title + ":";
    for (const std::string& cell : column.cells) text += " " + cell + ";";
  }
  if (!document.suggestion.empty()) text += "\n" + document.suggestion;
  for (const DocumentCommand& command : document.commands) text += "\n" + command.label + ": " + command.line;
  return text;
}

}  // namespace

std::string render_annotations(std::span<const Document> documents, std::string_view root) {
  std::string out;
  for (const Document& document : documents) {
    const bool is_error = document.verdict == "violation" || document.verdict == "error";
    if (!is_error && document.verdict != "unknown") continue;
    out += is_error ? "::error " : "::warning ";
    if (const DocumentPlace* place = document.where()) {
      out += fmt::format("file={},", escaped(relative_to(root, place->file), true));
      if (place->line > 0) out += fmt::format("line={},", place->line);
    }
    const std::string title = fmt::format("{} {}{}", document.verdict, document.name,
                                          document.kind.empty() ? "" : ": " + document.kind);
    out += fmt::format("title={}::{}\n", escaped(title, true), escaped(message_of(document), false));
  }
  return out;
}

}  // namespace plumb
