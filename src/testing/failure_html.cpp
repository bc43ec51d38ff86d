// A failure as one page that needs nothing else: the sentence, the history as a picture (drawn by the code that draws every
// history), the interleaving with a column a thread, and the command that runs it again.
#include <algorithm>

#include <fmt/format.h>

#include "plumb/check.hpp"
#include "plumb/report.hpp"
#include "report/assets.hpp"
#include "report/markup.hpp"
#include "testing/campaign.hpp"
#include "testing/observed_model.hpp"

namespace plumb::testing {
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

// The history as it was observed; nothing where it cannot be drawn.
std::string picture(const TestCase& test, const LineUp& line_up) {
  if (line_up.contradiction() || line_up.log().events().empty()) return "";
  const History history = line_up.log().history(test, line_up.layout());
  const auto observed = observed_model(test, line_up.layout(), line_up.tree());
  const Model& model = test.chosen_model() != nullptr ? *test.chosen_model() : *observed;
  const CheckOptions options = check_options(test);
  const auto verdict = plumb::check(history, model, options);
  if (!verdict) return "";
  const auto drawn =
      make_report(history, model, *verdict, ReportFormat::kSvg, {.file = test.name()}, {}, options);
  return drawn ? *drawn : "";
}

std::string steps_table(const std::vector<TraceStep>& trace) {
  int threads = 0;
  for (const TraceStep& step : trace) threads = std::max(threads, step.thread);
  std::string out = "<table class=\"steps\">\n<tr>";
  for (int thread = 0; thread <= threads; ++thread)
    out += thread == 0 ? std::string("<th>the test</th>") : fmt::format("<th>thread {}</th>", thread);
  out += "<th></th></tr>\n";
  int last = -1;
  for (const TraceStep& step : trace) {
    out += step.thread != last ? "<tr class=\"switch\">" : "<tr>";
    last = step.thread;
    for (int thread = 0; thread <= threads; ++thread) {
      std::string text = thread == step.thread ? fmt::format("{} {}", step.what, step.object) : std::string();
      if (thread == step.thread && step.atomic)
        text +=
            step.changed ? fmt::format(": {} → {}", step.seen, step.left) : fmt::format(": {}", step.seen);
      out += fmt::format("<td class=\"code\">{}</td>", markup_escaped(text));
    }
    std::string place;
    if (!step.places.empty())
      place = fmt::format("{}:{} {}", step.places[0].file, step.places[0].line, step.places[0].function);
    out += fmt::format("<td class=\"place\">{}</td></tr>\n", markup_escaped(place));
  }
  return out + "</table>\n";
}

}  // namespace

std::string failure_html(const TestCase& test, const Failure& failure, const TestResult& result,
                         const FailureParts& parts) {
  const std::string title = fmt::format("{}: {}", test.name(), result.kind);
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>{} · "
      "plumb</title>\n<style>\n{}{}</style>\n"
      "</head>\n<body>\n<h1>{}</h1>\n<pre>{}</pre>\n",
      markup_escaped(title), assets::kStyle, kPageStyle, markup_escaped(title),
      markup_escaped(parts.sentence));
  out += picture(test, *failure.line_up);
  if (!parts.trace.empty()) out += "<h2>The interleaving</h2>\n" + steps_table(parts.trace);
  out += fmt::format("<h2>Again</h2>\n<pre>{}</pre>\n</body>\n</html>\n", markup_escaped(parts.command));
  return out;
}

}  // namespace plumb::testing
