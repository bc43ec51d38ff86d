// All renderers of documents, in a table: its rows are those of <plumb/detail/reports.def>, and whatever is known of formats elsewhere
// (options, help, errors) comes from here. JUnit's XML is of all documents of a run, and so has an option of its own.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include <plumb/report.hpp>

#include "base/fixed_text.hpp"
#include "document/document.hpp"
#include "report/history_view.hpp"

namespace plumb {

#define PLUMB_REPORT(name, ending, function, detail, what) \
  [[nodiscard]] std::string function(const Document& document, const ReportStyle& style = {});
#include "plumb/detail/reports.def"
#undef PLUMB_REPORT

// What JUnit's readers are told of a run: who ran, where and when.
struct JUnitSuite {
  std::string name;
  std::string host = {};
  std::string timestamp = {};  // "2026-11-19T20:06:23", in UTC
};
[[nodiscard]] JUnitSuite junit_suite_of_now(std::string name);

// One test case per document. A violation is a failure. What is unknown, or could not be judged at all, is an error: nobody should
// take it for a pass. What is said of those that passed is the output of the suite.
[[nodiscard]] std::string render_junit(const JUnitSuite& suite, std::span<const Document> documents);
// What else build servers show, of all documents of a run. Places below `root` are relative to it.
[[nodiscard]] std::string render_sarif(std::span<const Document> documents, std::string_view root);
[[nodiscard]] std::string render_markdown(std::string_view suite, std::span<const Document> documents);
// One line per finding, for the log of a build on GitHub, which shows it in the difference.
[[nodiscard]] std::string render_annotations(std::span<const Document> documents, std::string_view root);

struct Renderer {
  ReportFormat format;
  std::string_view ending;
  std::string (*render)(const Document& document, const ReportStyle& style);
  Detail detail;  // that it needs of a history
  std::string_view what;
};

inline constexpr std::array kRenderers = {
#define PLUMB_REPORT(name, ending, function, detail, what) \
  Renderer{ReportFormat::name, ending, function, Detail::detail, what},
#include "plumb/detail/reports.def"
#undef PLUMB_REPORT
};

[[nodiscard]] constexpr const Renderer& renderer_of(ReportFormat format) {
  return kRenderers.at(static_cast<std::size_t>(format));
}

// Of a word such as --html, for those who expect an option for each format: the ending by which it is chosen. "-o": the first one. Empty:
// it means no report.
[[nodiscard]] constexpr std::string_view ending_meant_by(std::string_view option) {
  if (option == "-o" || option == "--output" || option == "--report") return kRenderers.front().ending;
  for (const Renderer& row : kRenderers) {
    if (option.starts_with("--") && option.substr(2) == row.ending.substr(1)) return row.ending;
  }
  return "";
}

// ".html, .svg, .txt or .json"
inline constexpr FixedText kReportEndings = [] {
  FixedText text;
  for (const Renderer& row : kRenderers) {
    if (&row != &kRenderers.front()) text.append(&row == &kRenderers.back() ? " or " : ", ");
    text.append(row.ending);
  }
  return text;
}();

// A line each: "  .svg   a picture of what matters"
inline constexpr FixedText kReportLines = [] {
  constexpr std::size_t kColumn = 7;
  FixedText text;
  for (const Renderer& row : kRenderers) {
    text.append("\n  ");
    text.append(row.ending);
    for (std::size_t at = row.ending.size(); at < kColumn; ++at) text.append(" ");
    text.append(row.what);
  }
  return text;
}();

}  // namespace plumb
