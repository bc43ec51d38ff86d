// plumb check: every file, every history in it, one verdict each, in the order of the input.
//
// Three threads may look at the run at once: the one that works, the progress line, and the watchdog that
// ends it when a signal was not obeyed in time. What they share is guarded by `mutex_`; the watchdog, once it
// has it, keeps it.
#include <unistd.h>

#include <chrono>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include <plumb/check.hpp>
#include <plumb/explain.hpp>
#include <plumb/files.hpp>

#include "base/file_io.hpp"
#include "cli/choose_model.hpp"
#include "cli/cmd_check.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/progress.hpp"
#include "cli/verbs.hpp"
#include "cli/verdict_output.hpp"
#include "history/printable.hpp"

namespace plumb::cli {
namespace {

// How many of each, and the exit status that follows: an error outweighs a violation, a violation an unknown
// verdict.
struct Tally {
  std::size_t linearizable = 0;
  std::size_t violations = 0;
  std::size_t unknown = 0;
  std::size_t errors = 0;
  bool interrupted = false;

  void add(Outcome outcome) {
    switch (outcome) {
      case Outcome::kLinearizable:
        ++linearizable;
        break;
      case Outcome::kViolation:
        ++violations;
        break;
      case Outcome::kUnknown:
        ++unknown;
        break;
    }
  }
  [[nodiscard]] std::size_t histories() const { return linearizable + violations + unknown; }
  [[nodiscard]] int status() const {
    if (errors != 0) return 2;
    if (violations != 0) return 1;
    return unknown != 0 || interrupted ? 3 : 0;
  }
};

class CheckRun {
 public:
  CheckRun(const Options& options, Console& console, std::string_view verb, ReportKeeper* keeper)
      : options_(options),
        check_(options.check),
        console_(console),
        verb_(verb),
        keeper_(keeper),
        inputs_(find_inputs(options.arguments)) {
    check_.stop = Interrupt::flag();
    check_.progress = [this](double share) { share_ = share; };
  }

  int run() {
    const auto model = given_model(options_, verb_);
    if (!model) {
      console_.error(model.error().text());
      return 2;
    }
    given_ = model->get();
    const Interrupt interrupt([this] { give_up(); });
    const Progress progress(console_, !options_.quiet, [this] { return progress_line(); });
    for (const auto& entry : inputs_.entries) {
      if (Interrupt::requested()) break;
      if (const auto* error = std::get_if<Error>(&entry)) {
        fail(*error);
      } else {
        check_file(std::get<std::string>(entry));
      }
      if (!Interrupt::requested()) ++files_done_;
    }
    write_certificates_kept();
    return finish();
  }

 private:
  void check_file(const std::string& file) {
    const auto histories = read_histories(file, options_.format);
    if (!histories) return fail(histories.error());
    for (std::size_t i = 0; i < histories->size() && !Interrupt::requested(); ++i) {
      const History& history = (*histories)[i];
      const auto model = choose_model(given_, history);
      if (!model) {
        fail(model.error(), file);
        continue;
      }
      const bool any = given_ == nullptr && history.model().empty();
      check_history({file, i, histories->size() == 1, &history, any ? "any" : (*model)->name(), nullptr},
                    **model);
    }
  }

  void check_history(Judged judged, const Model& model) {
    begin(judged);
    const auto verdict = check(*judged.history, model, check_);
    {
      const std::scoped_lock lock(mutex_);
      current_.reset();
      if (!verdict) return report_error(verdict.error(), judged.file);
      judged.verdict = &*verdict;
      report(judged);
    }
    keep_certificate(judged, model);
    if (keeper_ == nullptr) return;
    if (const auto kept = keeper_->offer(judged, model, check_); !kept) fail(kept.error(), judged.file);
  }

  // One a verdict, in the order of the input, written at the end.
  void keep_certificate(const Judged& judged, const Model& model) {
    if (options_.certificate.empty()) return;
    auto certificate = certify(*judged.history, model, *judged.verdict, check_);
    if (!certificate) return fail(certificate.error(), judged.file);
    if (judged.verdict->outcome == Outcome::kViolation) doubt(judged, model, *certificate);
    certificates_.push_back(std::move(*certificate));
  }

  // A core too large for the verifier is told at once, not only to whom the certificate is given.
  void doubt(const Judged& judged, const Model& model, const Certificate& certificate) {
    const auto verification = verify(*judged.history, model, certificate);
    if (!verification || verification->proved) return;
    console_.error(fmt::format("{}: the certificate will not be accepted by 'plumb verify': {}", judged.file,
                               verification->reason));
  }

  void write_certificates_kept() {
    if (options_.certificate.empty() || Interrupt::requested()) return;
    if (const auto status = write_certificates(certificates_, options_.certificate); !status)
      fail(status.error());
  }

  void begin(const Judged& judged) {
    const std::scoped_lock lock(mutex_);
    current_ = judged;
    share_ = 0;
  }

  // Only with mutex_ held, from here to the next comment.
  void report(const Judged& judged) {
    tally_.add(judged.verdict->outcome);
    if (options_.quiet) return;
    console_.out(options_.json ? verdict_json(judged) : verdict_text(judged, console_, options_.verbose));
  }

  void report_error(Error error, std::string_view file) {
    if (error.file.empty()) error.file = file;
    ++tally_.errors;
    console_.error(error.text());
  }

  void say_interrupted() {
    if (std::exchange(tally_.interrupted, true)) return;
    console_.error(fmt::format("plumb: interrupted; {} of {} checked to the end", files_done_.load(),
                               count_of(inputs_.entries.size(), "file")));
  }

  // mutex_ is not held from here on.
  void fail(const Error& error, std::string_view file = {}) {
    const std::scoped_lock lock(mutex_);
    report_error(error, file);
  }

  int finish() {
    const std::scoped_lock lock(mutex_);
    if (Interrupt::requested()) say_interrupted();
    if (!options_.quiet && !options_.json) {
      if (options_.verbose && !inputs_.passed_over.empty()) {
        console_.out(fmt::format("passed over {} whose names are no histories': {}\n",
                                 count_of(inputs_.passed_over.size(), "file"),
                                 printable(inputs_.passed_over.front())));
      }
      if (tally_.histories() > 1 || inputs_.entries.size() > 1) console_.out(summary());
    }
    return tally_.status();
  }

  [[nodiscard]] std::string summary() const {
    std::string out =
        fmt::format("{}: {} linearizable, {}, {} unknown", count_of(tally_.histories(), "history"),
                    tally_.linearizable, count_of(tally_.violations, "violation"), tally_.unknown);
    if (tally_.errors != 0) out += fmt::format("; {}", count_of(tally_.errors, "error"));
    return out + "\n";
  }

  std::string progress_line() {
    const std::scoped_lock lock(mutex_);
    const std::string files =
        inputs_.entries.size() == 1
            ? ""
            : fmt::format("{} of {} files, ", files_done_.load(), inputs_.entries.size());
    if (!current_) return fmt::format("{}reading", files);
    const std::string share = share_ > 0 ? fmt::format(", {:.0f} %", share_ * 100) : "";
    return fmt::format("{}checking {} of {}{}", files, count_of(current_->history->size(), "operation"),
                       current_->file, share);
  }

  // On the watchdog's thread: the work has not ended in time. Says what is known and ends the process.
  [[noreturn]] void give_up() {
    constexpr auto kPatience = std::chrono::milliseconds(200);  // the worker may be stuck in a write
    const std::unique_lock lock(mutex_, kPatience);
    if (lock.owns_lock()) {
      if (current_) {
        Verdict unknown;
        unknown.engine = check_.engine == Engine::kBrute     ? "brute"
                         : check_.engine == Engine::kMonitor ? "monitor"
                         : check_.engine == Engine::kHitting ? "hitting"
                                                             : "wgl";
        unknown.why = "interrupted";
        current_->verdict = &unknown;
        report(*current_);
      }
      say_interrupted();
    }
    tally_.interrupted = true;
    _exit(tally_.status());
  }

  const Options& options_;
  CheckOptions check_;
  Console& console_;
  std::string_view verb_;
  ReportKeeper* keeper_;  // or null
  Inputs inputs_;
  const Model* given_ = nullptr;  // the model of --model or --spec
  std::vector<Certificate> certificates_;

  std::timed_mutex mutex_;
  Tally tally_;
  std::optional<Judged> current_;  // the history that is being checked
  std::atomic<double> share_ = 0;
  std::atomic<std::size_t> files_done_ = 0;
};

}  // namespace

int check_all(const Options& options, Console& console, std::string_view verb, ReportKeeper* keeper) {
  return CheckRun(options, console, verb, keeper).run();
}

int run_check(const Options& options, Console& console) {
  if (options.report.empty()) return check_all(options, console, "check", nullptr);
  ReportKeeper keeper(report_format(options.report).value(), {});
  const int status = check_all(options, console, "check", &keeper);
  if (!keeper.report()) return status;
  const auto written = write_file(options.report, *keeper.report());
  if (written) return status;
  console.error(written.error().text());
  return 2;
}

}  // namespace plumb::cli
