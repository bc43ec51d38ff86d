// plumb depth: how intricate histories are. One line or object per history; tables and a plot of all of them.
//
// With a limit of time each history is measured by a thread of its own. One that is not done in time (in a
// step of a model, say) is left behind where it is, with all that it uses, and the process ends without it.
#include <unistd.h>

#include <future>
#include <memory>
#include <thread>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include <plumb/depth.hpp>
#include <plumb/files.hpp>

#include "base/count_of.hpp"
#include "base/file_io.hpp"
#include "base/milliseconds.hpp"
#include "check/hitting/depth_figures.hpp"
#include "cli/choose_model.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/verbs.hpp"
#include "history/printable.hpp"
#include "json/json_writer.hpp"
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

std::string as_json(const Measured& m) {
  const Verdict& verdict = m.report.verdict;
  JsonWriter json;
  json.object([&] {
    json.member("file", m.file);
    json.member("history", m.index);
    json.member("verdict", to_string(verdict));
    json.member("model", m.model);
    json.member("depth", verdict.depth);
    json.member("operations", m.history.size());
    json.member("pending", m.history.pending());
    json.member("processes", m.history.processes());
    json.member("parts", m.report.parts);
    json.member("concurrency", m.report.concurrency);
    json.member("concurrent_pairs", m.report.concurrent_pairs);
    json.key("families").array(m.report.families);
    json.member("elapsed_ms", JsonWriter::Fixed{in_milliseconds(verdict.elapsed), 3});
  });
  return json.take() + "\n";
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
  std::vector<std::string> families;
  for (const auto& size : m.report.families) families.push_back(number_or(size, ""));
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{},{}\n", csv_text(m.file), m.index, csv_text(m.model),
                     to_string(m.report.verdict), number_or(m.report.verdict.depth, ""), m.history.size(),
                     m.history.pending(), m.history.processes(), m.report.parts, m.report.concurrency,
                     m.report.concurrent_pairs, fmt::join(families, ","));
}

std::string as_text(const Measured& m, const Console& console) {
  const Verdict& verdict = m.report.verdict;
  const std::string mark =
      verdict.depth ? console.paint(Paint::kGood, fmt::format("depth {}", *verdict.depth))
      : verdict.outcome == Outcome::kViolation
          ? console.paint(Paint::kBad, "no depth: a violation")
          : console.paint(Paint::kDoubt,
                          fmt::format("no depth up to {}: {}", m.report.families.size(), to_string(verdict)));
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

  ExitStatus run() {
    const auto given = given_model(options_, "depth");
    if (!given) {
      console_.error(given.error().text());
      return ExitStatus::kError;
    }
    measure_all(given->get());
    if (left_behind_) _exit(number_of(console_.finish() ? status() : ExitStatus::kError));
    return status();
  }

 private:
  using Histories = std::shared_ptr<const std::vector<History>>;

  // How much longer than its time a history is waited for: what was asked to end ends by then, or is left
  // behind.
  static constexpr auto kGrace = std::chrono::milliseconds(40);

  [[nodiscard]] ExitStatus status() const {
    if (failed_) return ExitStatus::kError;
    if (violations_) return ExitStatus::kViolation;
    return unknown_ || Interrupt::requested() ? ExitStatus::kUnknown : ExitStatus::kHolds;
  }

  void measure_all(const Model* given) {
    if (options_.csv) console_.out(csv_head(check_.max_depth));
    const Inputs inputs = find_inputs(options_.arguments);
    for (const auto& entry : inputs.entries) {
      if (Interrupt::requested()) break;
      if (const auto* error = std::get_if<Error>(&entry)) {
        fail(*error, "");
      } else {
        measure_file(std::get<std::string>(entry), given);
      }
    }
    if (!options_.csv && !options_.json && !options_.quiet && measured_ > 1) console_.out(summary_.tables());
    if (!options_.plot.empty()) {
      if (const auto written = write_file(options_.plot, summary_.plot()); !written)
        fail(written.error(), "");
    }
  }

  void measure_file(const std::string& file, const Model* given) {
    auto read = read_histories(file, options_.format);
    if (!read) return fail(read.error(), file);
    const auto histories = std::make_shared<const std::vector<History>>(std::move(read).value());
    for (std::size_t i = 0; i < histories->size() && !Interrupt::requested(); ++i) {
      const History& history = (*histories)[i];
      const auto model = choose_model(given, history);
      if (!model) return fail(model.error(), file);
      const auto report = measure(histories, i, **model);
      if (!report) {
        fail(report.error(), file);
        continue;
      }
      if (history.empty()) console_.error(no_operations(file, i, histories->size() == 1));
      const bool alone = options_.arguments.size() == 1 && histories->size() == 1;
      tell({file, i, histories->size() == 1, history, (*model)->name(), *report}, alone || options_.verbose);
    }
  }

  Result<DepthReport> measure(const Histories& histories, std::size_t number, const Model& model) {
    if (!check_.timeout) return measure_depth((*histories)[number], model, check_);
    const auto start = std::chrono::steady_clock::now();
    std::packaged_task<Result<DepthReport>()> task([histories, number, &model, check = check_] {
      return measure_depth((*histories)[number], model, check);
    });
    auto report = task.get_future();
    std::thread(std::move(task)).detach();
    if (report.wait_for(*check_.timeout + kGrace) == std::future_status::ready) return report.get();
    left_behind_ = true;
    auto figures = measure_figures((*histories)[number], model, check_, Budget(Seconds::zero(), check_.stop));
    if (figures) figures->verdict.elapsed = std::chrono::steady_clock::now() - start;
    return figures;
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
  bool left_behind_ = false;  // a thread that uses the model
};

}  // namespace

ExitStatus run_depth(const Options& options, Console& console) {
  const Interrupt interrupt([] { _exit(number_of(ExitStatus::kUnknown)); });
  return DepthRun(options, console).run();
}

}  // namespace plumb::cli
