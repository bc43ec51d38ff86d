// A document as one page that needs nothing else: what is wrong, the history as a picture, the interleaving
// with a column per thread, and the commands that run it again. A history with nothing beside it has a page
// of its own, to look around in.
#include <algorithm>

#include <fmt/format.h>

#include "report/assets.hpp"
#include "report/history_document.hpp"
#include "report/history_page.hpp"
#include "report/markup.hpp"
#include "report/renderers.hpp"

namespace plumb {
namespace {

constexpr std::string_view kPageStyle = R"(
body { max-width: 72rem; margin: 2rem auto; padding: 0 1rem; overflow: auto; display: block; height: auto }
table.steps { border-collapse: collapse; font-size: 0.9rem }
table.steps td, table.steps th { padding: 0.15rem 0.6rem; text-align: left; vertical-align: top }
table.steps tr.switch td { border-top: 1px solid currentColor }
table.steps .place { opacity: 0.65 }
pre { white-space: pre-wrap }
svg { max-width: 100%; height: auto }
)";

std::string scenario_table(const std::vector<DocumentColumn>& columns) {
  std::size_t rows = 0;
  std::string out = "<table class=\"steps\">\n<tr>";
  for (const DocumentColumn& column : columns) {
    rows = std::max(rows, column.cells.size());
    out += fmt::format("<th>{}</th>", markup_escaped(column.title));
  }
  out += "</tr>\n";
  for (std::size_t row = 0; row < rows; ++row) {
    out += "<tr>";
    for (const DocumentColumn& column : columns) {
      out += fmt::format("<td class=\"code\">{}</td>",
                         row < column.cells.size() ? markup_escaped(column.cells[row]) : "");
    }
    out += "</tr>\n";
  }
  return out + "</table>\n";
}

std::string trace_table(const std::vector<DocumentStep>& trace) {
  int threads = 0;
  for (const DocumentStep& step : trace) threads = std::max(threads, step.thread);
  std::string out = "<table class=\"steps\">\n<tr>";
  for (int thread = 0; thread <= threads; ++thread)
    out += thread == 0 ? std::string("<th>the test</th>") : fmt::format("<th>thread {}</th>", thread);
  out += "<th></th></tr>\n";
  int last = -1;
  for (const DocumentStep& step : trace) {
    out += step.thread != last ? "<tr class=\"switch\">" : "<tr>";
    last = step.thread;
    for (int thread = 0; thread <= threads; ++thread)
      out +=
          fmt::format("<td class=\"code\">{}</td>", thread == step.thread ? markup_escaped(step.what) : "");
    out += fmt::format("<td class=\"place\">{}</td></tr>\n", markup_escaped(step.place));
  }
  return out + "</table>\n";
}

}  // namespace

std::string render_html(const Document& document, const ReportStyle& style) {
  if (document.history && document.scenario.empty() && document.trace.empty())
    return history_page(history_document(document.history));
  const std::string title = markup_escaped(fmt::format("{}: {}", document.name, document.kind));
  std::string text = document.summary;
  for (const std::string& line : document.evidence) text += "\n  " + line;
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{} · "
      "plumb</title>\n<style>\n{}{}</style>\n</head>\n<body>\n<h1>{}</h1>\n<pre>{}</pre>\n",
      title, assets::kStyle, kPageStyle, title, markup_escaped(text));
  if (!document.scenario.empty()) out += scenario_table(document.scenario);
  if (document.history) out += render_svg(document, style);
  if (!document.trace.empty()) out += "<h2>The interleaving</h2>\n" + trace_table(document.trace);
  for (const std::string& remark : document.remarks)
    out += fmt::format("<p>{}</p>\n", markup_escaped(remark));
  if (!document.commands.empty()) out += "<h2>Again</h2>\n";
  for (const DocumentCommand& command : document.commands)
    out += fmt::format("<pre>{}</pre>\n", markup_escaped(command.line));
  return out + "</body>\n</html>\n";
}

}  // namespace plumb
