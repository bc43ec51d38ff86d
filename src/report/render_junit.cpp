// Documents as JUnit's XML, which build servers read. Nobody owns the format: this keeps to what both the schema of Ant's tasks and that of
// Jenkins allow. So the counts are those of the suite alone, and test cases have no output of their own.
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>

#include <fmt/chrono.h>
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

// Of those that passed, which have no element for it.
std::string output_of(std::span<const Document> documents) {
  std::string out;
  for (const Document& document : documents) {
    if (is_failure(document) || is_error(document)) continue;
    out += (out.empty() ? "" : "\n") + content(render_text(document));
  }
  return out;
}

}  // namespace

JUnitSuite junit_suite_of_now(std::string name) {
  std::array<char, 256> host = {};
  const bool known = gethostname(host.data(), host.size() - 1) == 0 && host.front() != 0;
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  return {.name = std::move(name),
          .host = known ? host.data() : "localhost",
          .timestamp = fmt::format("{:%FT%T}", fmt::gmtime(std::chrono::system_clock::to_time_t(now)))};
}

std::string render_junit(const JUnitSuite& suite, std::span<const Document> documents) {
  double seconds = 0;
  for (const Document& document : documents) seconds += document.seconds;
  const std::string name = attribute(suite.name);
  std::string out = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n"
      "  <testsuite name=\"{0}\" package=\"{0}\" id=\"0\" timestamp=\"{1}\" hostname=\"{2}\" tests=\"{3}\" "
      "failures=\"{4}\" errors=\"{5}\" skipped=\"0\" time=\"{6:.3f}\">\n    <properties/>\n",
      name, attribute(suite.timestamp), attribute(suite.host), documents.size(),
      std::ranges::count_if(documents, is_failure), std::ranges::count_if(documents, is_error), seconds);
  for (const Document& document : documents) out += case_of(suite.name, document);
  return out +
         fmt::format("    <system-out>{}</system-out>\n    <system-err/>\n  </testsuite>\n</testsuites>\n",
                     output_of(documents));
}

}  // namespace plumb
