#include "testing/stress_report.hpp"

#include <memory>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "base/milliseconds.hpp"
#include "base/shell_word.hpp"
#include "plumb/files.hpp"
#include "report/history_view.hpp"
#include "testing/result_document.hpp"

namespace plumb::testing {
namespace {

// 1234567 as 1,234,567.
std::string grouped(std::uint64_t number) {
  std::string text = std::to_string(number);
  for (std::size_t at = text.size(); at > 3; at -= 3) text.insert(at - 3, ",");
  return text;
}

std::string many(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}", grouped(count), noun_for(count, thing));
}

std::string amount(const TestResult& result) {
  const StressFigures& figures = *result.stress;
  std::string text =
      fmt::format("{} in {}", many(figures.operations, "operation"), many(figures.judged, "round"));
  if (figures.rounds > figures.judged)
    text = fmt::format("{}, of which {} {} judged: {}", many(figures.rounds, "round"),
                       grouped(figures.judged), figures.judged == 1 ? "was" : "were", text);
  if (result.scenarios > 0)
    text +=
        fmt::format(" of {}, {}, {} of them with operations that overlap", many(result.scenarios, "scenario"),
                    many(result.histories, "distinct history"), grouped(figures.overlapping));
  if (figures.released > 0)
    text += fmt::format(", {} of them with a thread that releases the others", figures.released);
  if (figures.left_out > 0)
    text += fmt::format(", {} more left out in which threads may wait forever", figures.left_out);
  return text + fmt::format(", {:.1f} s", result.elapsed.count());
}

std::string checking(const StressFigures& figures) {
  std::string text = fmt::format("Checked by {} ({}), at most {:.1f} ms after the end of a round",
                                 figures.engine, figures.why, in_milliseconds(figures.lag));
  if (figures.waiting_time >= std::chrono::milliseconds(1))
    text += fmt::format("; the threads waited {:.1f} s for it", figures.waiting_time.count());
  return text + ".\n";
}

// The round in a file, and how to look at it.
void keep_round(const History& history, const std::string& file, TestResult& result, Document& document) {
  if (auto written = write_histories(std::span(&history, 1), file); !written) {
    document.remarks.push_back(written.error().text());
    return;
  }
  result.stress->saved = file;
  const std::string where = fmt::format("The round, {}, is in {}", many(history.size(), "operation"), file);
  if (!history.model().empty()) {
    document.commands = {{where, fmt::format("plumb explain {}", shell_word(file))}};
    return;
  }
  document.remarks.push_back(where + ".");
  document.commands = {
      {"The class, run serially, has judged it. If it is one of those that 'plumb models' lists, that model "
       "can, too",
       fmt::format("plumb explain {} --model NAME", shell_word(file))}};
}

void report_violation(const TestCase& test, const StressOptions& options, const WrongRound& wrong,
                      TestResult& result) {
  result.kind = ViolationKind::kNotLinearizable;
  result.message = wrong.verdict.violation->reason;
  Document document{.name = test.name(), .verdict = "violation", .kind = kind_text(result)};
  auto view = HistoryView::make(std::make_shared<const History>(wrong.history), *wrong.model,
                                std::make_shared<const Verdict>(wrong.verdict), {.file = test.name()},
                                round_check_options(test, options.jobs, nullptr));
  if (view)
    document.history = std::make_shared<const HistoryView>(std::move(view).value());
  else
    document.summary = view.error().text();
  document.remarks = {fmt::format("Found after {}.", amount(result))};
  if (!options.save.empty()) keep_round(wrong.history, options.save, result, document);
  ResultDocument::keep(std::move(document), result);
}

}  // namespace

std::string open_operations(const Recorder& recorder) {
  std::string open;
  const auto history = recorder.history();
  for (OperationId i = 0; history.ok() && i < history->size(); ++i) {
    if (history->is_pending(i)) open += fmt::format("\n  {}", history->describe(i));
  }
  return open;
}

void finish_stress_report(const TestCase& test, const StressOptions& options,
                          const std::optional<WrongRound>& wrong, TestResult& result) {
  if (wrong) return report_violation(test, options, *wrong, result);
  switch (result.verdict) {
    case Outcome::kHolds:
      result.report = fmt::format("pass {}: {}\n{}", test.name(), amount(result), checking(*result.stress));
      break;
    case Outcome::kViolation:
      ResultDocument::keep(
          {.name = test.name(),
           .verdict = "violation",
           .kind = kind_text(result),
           .summary = result.message,
           .remarks = {"Found in serial runs, before any thread ran: without --mode stress the report "
                       "has more."}},
          result);
      break;
    case Outcome::kUnknown:
      result.report = fmt::format("unknown {}: {}; {}\n", test.name(), amount(result), result.message);
  }
}

}  // namespace plumb::testing
