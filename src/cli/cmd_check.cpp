// plumb check: every file, every history in it, one verdict each, in the order of the input.
//
// Three threads may look at the run at once: the one that works, the progress line, and the watchdog that
// ends it when a signal was not obeyed in time. What they share is guarded by `mutex_`; the watchdog, once it
// has it, keeps it.
#include <unistd.h>

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <set>

#include <fmt/format.h>

#include <plumb/check.hpp>

#include "base/file_io.hpp"
#include "cli/choose_model.hpp"
#include "cli/cmd_check.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/judge.hpp"
#include "cli/progress.hpp"
#include "cli/spread_check.hpp"
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
    if (options_.mpi) {
      auto hands =
          spread_out(options_, check_, model ? model->get() : nullptr, model ? "" : model.error().text(),
                     [this](const std::string& who) { lost(who); });
      if (!hands) return refuse(hands.error());
      if (*hands == nullptr) return 0;  // a rank that works for rank 0
      hands_ = std::move(hands).value();
    } else if (!model) {
      return refuse(model.error());
    }
    const Interrupt interrupt([this] { give_up(); });
    const Progress progress(console_, !options_.quiet, [this] { return progress_line(); });
    const Judge judge(options_, check_, model->get(), console_.has_color(),
                      {[this](const Judged& judged) { begin(judged); }, keeper_});
    if (hands_) {
      spread(judge);
    } else {
      for (const auto& entry : inputs_.entries) check_entry(entry, judge);
    }
    write_certificates_kept();
    return finish();
  }

 private:
  int refuse(const Error& error) {
    console_.error(error.text());
    return 2;
  }

  void check_entry(const std::variant<std::string, Error>& entry, const Judge& judge) {
    if (Interrupt::requested()) return;
    if (const auto* error = std::get_if<Error>(&entry)) {
      fail(*error);
    } else {
      check_file(std::get<std::string>(entry), judge);
    }
    if (!Interrupt::requested()) ++files_done_;
  }

  void check_file(const std::string& path, const Judge& judge) {
    const auto file = judge.read(path);
    if (!file) return fail(file.error());
    judge.judge(*file, 0, file->histories.size(), plain_check(check_),
                [this](Finding finding) { take(std::move(finding)); });
  }

  void spread(const Judge& judge) {
    SpreadCheck spread(
        *hands_, check_, console_.has_color(), judge,
        {.take = [this](Finding finding) { take(std::move(finding)); },
         .error = [this](const Error& error) { fail(error); },
         .file_done = [this] { ++files_done_; },
         .wants_report = [this](Outcome outcome) { return keeper_ != nullptr && keeper_->wants(outcome); }});
    spread.run(inputs_);
  }

  void lost(const std::string& who) {
    if (lost_.insert(who).second)
      console_.error(fmt::format("plumb: {} is gone; the other ranks do its work", who));
  }

  void take(Finding finding) {
    const std::scoped_lock lock(mutex_);
    current_.reset();
    switch (finding.kind) {
      case Finding::Kind::kVerdict:
        tally_.add(finding.outcome);
        console_.out(finding.text);
        break;
      case Finding::Kind::kError:
        ++tally_.errors;
        console_.error(finding.text);
        break;
      case Finding::Kind::kNote:
        console_.error(finding.text);
        break;
      case Finding::Kind::kCertificate:
        certificates_.push_back(std::move(*finding.certificate));
        break;
      case Finding::Kind::kLeft:
      case Finding::Kind::kHard:
        break;  // only among ranks
    }
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

  // Only with mutex_ held.
  void say_interrupted() {
    if (std::exchange(tally_.interrupted, true)) return;
    console_.error(fmt::format("plumb: interrupted; {} of {} checked to the end", files_done_.load(),
                               count_of(inputs_.entries.size(), "file")));
  }

  void fail(const Error& error) { take(Judge::failed(error, {})); }

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
    if (!current_) return fmt::format("{}{}", files, hands_ ? "the ranks are at work" : "reading");
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
        tally_.add(Outcome::kUnknown);
        if (!options_.quiet) {
          console_.out(options_.json ? verdict_json(*current_)
                                     : verdict_text(*current_, console_.has_color(), options_.verbose));
        }
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
  std::unique_ptr<work::Hands> hands_;  // with --mpi
  std::set<std::string> lost_;          // ranks
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
