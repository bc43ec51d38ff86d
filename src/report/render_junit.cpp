// Documents as JUnit's XML, which build servers read.
#include <algorithm>

#include <fmt/format.h>

#include "history/printable.hpp"
#include "report/markup.hpp"
#include "report/renderers.hpp"

namespace plumb {
namespace {

// XML has no control characters, whatever they are escaped as.
std::string attribute(std::string_view text) { return markup_escaped(printable(text)); }
std::string content(std::string_view text) { return markup_escaped(printable_lines(text)); }

bool is_failure(const Document& document) { return document.verdict == "violation"; }
bool is_error(const Document& document) {
  return document.verdict == "unknown" || document.verdict == "error";
}

// What a list of tests has room for.
std::string message_of(const Document& document) {
  const std::string first_line = document.summary.substr(0, document.summary.find('\n'));
  return first_line.empty() ? document.kind : first_line;
}

std::string case_of(std::string_view suite, const Document& document) {
  const std::string head = fmt::format(R"(    <testcase classname="{}" name="{}" time="{:.3f}")",
                                       attribute(suite), attribute(document.name), document.seconds);
  if (!is_failure(document) && !is_error(document)) return head + "/>\n";
  const std::string_view element = is_failure(document) ? "failure" : "error";
  return fmt::format("{}>\n      <{} type=\"{}\" message=\"{}\">{}</{}>\n    </testcase>\n", head, element,
                     attribute(document.kind.empty() ? document.verdict : document.kind),
                     attribute(message_of(document)), content(render_text(document)), element);
}

}  // namespace

std::string render_junit(std::string_view suite, std::span<const Document> documents) {
  double seconds = 0;
  for (const Document& document : documents) seconds += document.seconds;
  const std::string counts = fmt::format(R"(tests="{}" failures="{}" errors="{}" skipped="0" time="{:.3f}")",
                                         documents.size(), std::ranges::count_if(documents, is_failure),
                                         std::ranges::count_if(documents, is_error), seconds);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites {}>\n  <testsuite name=\"{}\" {}>\n", counts,
      attribute(suite), counts);
  for (const Document& document : documents) out += case_of(suite, document);
  return out + "  </testsuite>\n</testsuites>\n";
}

}  // namespace plumb
