// plumb depth: how intricate histories are. One line or object a history; tables and a plot of all of them.
#include <unistd.h>

#include <fmt/format.h>

#include <plumb/depth.hpp>
#include <plumb/files.hpp>

#include "base/file_io.hpp"
#include "cli/choose_model.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/verbs.hpp"
#include "history/printable.hpp"
#include "report/depth.hpp"

namespace plumb::cli {
namespace {

struct Measured {
  std::string_view file;
  std::size_t index;
  bool alone;
  const History& history;
  std::string_view model;
  const DepthReport& report;
};

std::string number_or(const std::optional<std::uint64_t>& number, std::string_view none) {
  return number ? fmt::format("{}", *number) : std::string(none);
}

std::string families(const DepthReport& report, std::string_view none) {
  std::string out;
  for (const auto& size : report.families) out += (out.empty() ? "" : ",") + number_or(size, none);
  return out;
}

std::string as_json(const Measured& m) {
  const Verdict& verdict = m.report.verdict;
  return fmt::format(
      R"({{"file":{},"history":{},"verdict":"{}","model":{},"depth":{},"operations":{},"pending":{},"processes":{},"parts":{},"concurrency":{},"concurrent_pairs":{},"families":[{}],"elapsed_ms":{:.3f}}})"
      "\n",
      json_string(m.file), m.index, to_string(verdict.outcome), json_string(m.model),
      number_or(verdict.depth, "null"), m.history.size(), m.history.pending(), m.history.processes(),
      m.report.parts, m.report.concurrency, m.report.concurrent_pairs, families(m.report, "null"),
      verdict.elapsed_ms);
}

// A name with a comma or a quote is quoted.
std::string csv_text(std::string_view text) {
  if (text.find_first_of(",\"\n") == std::string_view::npos) return std::string(text);
  std::string out = "\"";
  for (const char c : text) out += c == '"' ? std::string("\"\"") : std::string(1, c);
  return out + "\"";
}

std::string csv_head(unsigned deepest) {
  std::string out =
      "file,history,model,verdict,depth,operations,pending,processes,parts,concurrency,concurrent_pairs";
  for (unsigned d = 1; d <= deepest; ++d) out += fmt::format(",family_{}", d);
  return out + "\n";
}

std::string as_csv(const Measured& m) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_text(m.file), m.index, csv_text(m.model),
                     to_string(m.report.verdict.outcome), number_or(m.report.verdict.depth, ""),
                     m.history.size(), m.history.pending(), m.history.processes(), m.report.parts,
                     m.report.concurrency, m.report.concurrent_pairs, families(m.report, ""));
}

std::string as_text(const Measured& m, const Console& console) {
  const Verdict& verdict = m.report.verdict;
  const std::string mark =
      verdict.depth ? console.paint(Paint::kGood, fmt::format("depth {}", *verdict.depth))
      : verdict.outcome == Outcome::kViolation
          ? console.paint(Paint::kBad, "no depth: a violation")
          : console.paint(Paint::kDoubt, fmt::format("no depth up to {}: {}", m.report.families.size(),
                                                     to_string(verdict.outcome)));
  std::string out = fmt::format("{}  {}", mark, console.paint(Paint::kBold, printable(m.file)));
  if (!m.alone) out += fmt::format(", history {}", m.index);
  out += console.paint(Paint::kDim, fmt::format("  [{}, {}, {}]", printable(m.model),
                                                count_of(m.history.size(), "operation"),
                                                count_of(m.history.processes(), "process"))) +
         "\n";
  out += fmt::format("    {} {} open at once, {}\n", console.paint(Paint::kDim, "concurrency "),
                     m.report.concurrency, count_of(m.report.concurrent_pairs, "concurrent pair"));
  out += fmt::format("    {}", console.paint(Paint::kDim, "schedules   "));
  for (std::size_t i = 0; i < m.report.families.size(); ++i) {
    out += fmt::format("{}d = {}: {}", i == 0 ? " " : ", ", i + 1,
                       number_or(m.report.families[i], "too many to count"));
  }
  return out + "\n";
}

class DepthRun {
 public:
  DepthRun(const Options& options, Console& console)
      : options_(options), console_(console), check_(options.check), summary_(options.check.max_depth) {
    check_.stop = Interrupt::flag();
  }

  int run() {
    const auto given = given_model(options_, "depth");
    if (!given) {
      console_.error(given.error().text());
      return 2;
    }
    if (options_.csv) console_.out(csv_head(check_.max_depth));
    const Inputs inputs = find_inputs(options_.arguments);
    for (const auto& entry : inputs.entries) {
      if (Interrupt::requested()) break;
      if (const auto* error = std::get_if<Error>(&entry)) {
        fail(*error, "");
      } else {
        measure_file(std::get<std::string>(entry), given->get());
      }
    }
    if (!options_.csv && !options_.json && !options_.quiet && measured_ > 1) console_.out(summary_.tables());
    if (!options_.plot.empty()) {
      if (const auto written = write_file(options_.plot, summary_.plot()); !written)
        fail(written.error(), "");
    }
    return failed_ ? 2 : violations_ ? 1 : unknown_ || Interrupt::requested() ? 3 : 0;
  }

 private:
  void measure_file(const std::string& file, const Model* given) {
    const auto histories = read_histories(file, options_.format);
    if (!histories) return fail(histories.error(), file);
    for (std::size_t i = 0; i < histories->size() && !Interrupt::requested(); ++i) {
      const History& history = (*histories)[i];
      const auto model = choose_model(given, history);
      if (!model) return fail(model.error(), file);
      const auto report = measure_depth(history, **model, check_);
      if (!report) {
        fail(report.error(), file);
        continue;
      }
      if (history.empty()) console_.error(no_operations(file, i, histories->size() == 1));
      const bool alone = options_.arguments.size() == 1 && histories->size() == 1;
      tell({file, i, histories->size() == 1, history, (*model)->name(), *report}, alone || options_.verbose);
    }
  }

  void tell(const Measured& measured, bool in_text) {
    ++measured_;
    const Outcome outcome = measured.report.verdict.outcome;
    violations_ = violations_ || outcome == Outcome::kViolation;
    unknown_ = unknown_ || outcome == Outcome::kUnknown;
    summary_.add(measured.model, measured.history, measured.report);
    if (options_.quiet) return;
    if (options_.json) {
      console_.out(as_json(measured));
    } else if (options_.csv) {
      console_.out(as_csv(measured));
    } else if (in_text) {
      console_.out(as_text(measured, console_));
    }
  }

  void fail(Error error, std::string_view file) {
    if (error.file.empty()) error.file = file;
    failed_ = true;
    console_.error(error.text());
  }

  const Options& options_;
  Console& console_;
  CheckOptions check_;
  DepthSummary summary_;
  std::size_t measured_ = 0;
  bool failed_ = false;
  bool violations_ = false;
  bool unknown_ = false;
};

}  // namespace

int run_depth(const Options& options, Console& console) {
  const Interrupt interrupt([] { _exit(3); });
  return DepthRun(options, console).run();
}

}  // namespace plumb::cli
