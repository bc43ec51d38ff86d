// The documents of a run as Markdown, for the summary of a build: a table of all tests, and what was found, folded.
#include <fmt/format.h>

#include "base/count_of.hpp"
#include "history/printable.hpp"
#include "report/markup.hpp"
#include "report/renderers.hpp"

namespace plumb {
namespace {

// In a cell of a table: what Markdown, or HTML, would take for something else.
std::string cell(std::string_view text) {
  std::string out;
  for (const char c : markup_escaped(printable(text))) {
    if (std::string_view("|\\`*_[]~#").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

std::string_view sign_of(const Document& document) {
  if (document.verdict == "violation" || document.verdict == "error") return "❌";
  return document.verdict == "unknown" ? "❔" : "✅";
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// The report as it stands in a terminal, in a fence longer than any inside.
std::string details(const Document& document) {
  const std::string text = printable_lines(render_text(document));
  std::string fence = "```";
  while (text.find(fence) != std::string::npos) fence += '`';
  return fmt::format("\n<details{}><summary>{}</summary>\n\n{}text\n{}{}\n\n</details>\n",
                     document.verdict == "violation" ? " open" : "", markup_escaped(printable(document.name)),
                     fence, text.ends_with('\n') ? text : text + "\n", fence);
}

}  // namespace

std::string render_markdown(std::string_view suite, std::span<const Document> documents) {
  std::size_t violations = 0;
  std::size_t open = 0;
  for (const Document& document : documents) {
    violations += document.verdict == "violation" ? 1 : 0;
    open += document.verdict == "unknown" || document.verdict == "error" ? 1 : 0;
  }
  std::string out = fmt::format("### {}: {}", cell(suite), count_of(documents.size(), "test"));
  if (violations > 0) out += fmt::format(", {}", count_of(violations, "violation"));
  if (open > 0) out += fmt::format(", {} not decided", open);
  out += "\n\n| | test | verdict | | s |\n|---|---|---|---|--:|\n";
  for (const Document& document : documents) {
    const std::string verdict =
        document.kind.empty() ? document.verdict : fmt::format("{}: {}", document.verdict, document.kind);
    out += fmt::format("| {} | {} | {} | {} | {:.1f} |\n", sign_of(document), cell(document.name),
                       cell(verdict), cell(first_line(document.summary)), document.seconds);
  }
  for (const Document& document : documents) {
    if (document.verdict == "violation") out += details(document);
  }
  return out + "\n";
}

}  // namespace plumb
