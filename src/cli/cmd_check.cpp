// plumb check: every file, every history in it, one verdict each, in the order of the input.
//
// Four threads may look at the run at once: the one that works, the progress line, the watchdog that ends it when a signal
// was not obeyed in time, and the overseer. What they share is guarded by `mutex_`; the watchdog, once it has it, keeps it.
//
// The overseer holds the limits of time and memory wherever the work is: in a step of a model, in a monitor, in freeing
// memory. What does not end in time is told as `unknown`, its thread is left behind where it is, and a new one goes on with
// the next history. Who works has a number; one that was left behind finds another there when it next has something to say,
// and sleeps from then on: nothing that it has, and nobody else does, goes away. The process then ends without it.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include <plumb/check.hpp>

#include "base/count_of.hpp"
#include "base/file_io.hpp"
#include "check/reached_watch.hpp"
#include "check/reason.hpp"
#include "cli/check_ledger.hpp"
#include "cli/check_share.hpp"
#include "cli/choose_model.hpp"
#include "cli/cmd_check.hpp"
#include "cli/guarded.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/judge.hpp"
#include "cli/overseer.hpp"
#include "cli/progress.hpp"
#include "cli/spread_check.hpp"
#include "cli/verbs.hpp"

namespace plumb::cli {
namespace {

using Clock = std::chrono::steady_clock;

// How much longer than its time a history is waited for: what was asked to end ends by then, or is left behind.
constexpr auto kGrace = std::chrono::milliseconds(40);

bool is_regular_file(const std::string& path) {
  std::error_code ignored;
  return std::filesystem::is_regular_file(path, ignored);
}

// What a history takes in any case, whichever engine decides it: this much is not counted.
std::size_t memory_for(const History& history) {
  constexpr std::size_t kAnything = std::size_t{64} << 20U;
  constexpr std::size_t kEachOperation = 512;
  return kAnything + kEachOperation * history.size();
}

class CheckRun {
 public:
  CheckRun(const Options& options, Console& console, std::string_view verb, ReportKeeper* keeper,
           const AfterCheck& after)
      : options_(options),
        check_(options.check),
        console_(console),
        verb_(verb),
        keeper_(keeper),
        after_(after),
        inputs_(find_inputs(options.arguments)),
        ledger_(options, console, keeper, verb == "explain") {
    check_.stop = Interrupt::flag();
    check_.progress = [this](double share) { share_ = share; };
  }

  ExitStatus run() {
    const auto model = given_model(options_, verb_);
    if (options_.mpi) {
      auto ranks =
          spread_out(options_, check_, model ? model->get() : nullptr, model ? "" : model.error().text(),
                     [this](const std::string& who) { lost(who); });
      if (!ranks) return refuse(ranks.error());
      if (*ranks == nullptr) return ExitStatus::kHolds;  // a rank that worked for rank 0
      ranks_ = std::move(ranks).value();
    } else if (!model) {
      return refuse(model.error());
    }
    model_ = model->get();
    if (verb_ == "check") {
      auto share = CheckShare::of(options_, inputs_);
      if (!share) return refuse(share.error());
      share_of_work_ = std::move(share).value();
      listen();
    }
    const Interrupt interrupt([this] { give_up(); });
    const Progress progress(console_, !options_.quiet, [this] { return progress_line(); });
    if (ranks_) {
      spread();
      return conclude();
    }
    std::optional<Overseer> overseer;
    if (check_.timeout || check_.memory) overseer.emplace([this] { look(); });
    work(worker_);
    return conclude();
  }

 private:
  using Doing = CheckLedger::Doing;

  void listen() {
    if (auto* journal = share_of_work_.journal())
      ledger_.listen([journal](const OutputItem& item) { journal->note(item); });
  }

  ExitStatus refuse(const Error& error) {
    console_.error(error.text());
    return ExitStatus::kError;
  }

  // The lock of a worker. One that was abandoned does not come back from here.
  std::unique_lock<std::timed_mutex> lock_as(unsigned worker) {
    std::unique_lock lock(mutex_);
    if (worker == worker_) return lock;
    lock.unlock();
    for (;;) pause();
  }

  void work(unsigned worker) {
    try {
      while (check_next_file(worker)) {
      }
    } catch (...) {
      (void)lock_as(worker);
      throw;
    }
  }

  // False: there is none.
  bool check_next_file(unsigned worker) {
    std::shared_ptr<const HistoryFile> file;
    std::size_t first = 0;
    {
      const auto lock = lock_as(worker);
      if (is_over() || next_entry_ == inputs_.entries.size()) return rest(), false;
      if (!share_of_work_.is_by_history() && tell_known(std::nullopt))
        return ++next_entry_, ++files_done_, true;
      file = file_;
      first = next_history_;
    }
    if (!file) file = read_next(worker);
    if (file) judge(worker, *file, first);
    const auto lock = lock_as(worker);
    if (!is_over()) {
      ++files_done_;
      if (!share_of_work_.is_by_history() || !file) finish_piece(std::nullopt);
    }
    file_.reset();
    next_history_ = 0;
    ++next_entry_;
    ledger_.rest();
    return true;
  }

  // Only with mutex_ held: nothing more is to be done.
  [[nodiscard]] bool is_over() const { return Interrupt::requested() || share_of_work_.has_failed(); }

  // A piece of the entry, as the journal has it; false: it has not. Only with mutex_ held.
  bool tell_known(std::optional<std::size_t> history) {
    const CheckedPiece* piece = share_of_work_.find(next_entry_, history);
    if (piece == nullptr) return false;
    for (const OutputItem& item : piece->items) ledger_.take(item);
    share_of_work_.journal()->drop();
    return true;
  }

  // All that was told since the last one is a piece of the entry. Only with mutex_ held.
  void finish_piece(std::optional<std::size_t> history) {
    if (!share_of_work_.finish(next_entry_, history, file_ ? file_->histories.size() : 0))
      tell_changed(std::get<std::string>(inputs_.entries[next_entry_]));
  }

  void tell_changed(const std::string& path) {
    console_.error(
        fmt::format("{}: changed while it was checked; its verdicts are not in the journal", path));
  }

  // What a pipe waits for is not plumb's time.
  std::shared_ptr<const HistoryFile> read_next(unsigned worker) {
    const auto& entry = inputs_.entries[next_entry_];
    if (const auto* error = std::get_if<Error>(&entry)) return fail_entry(worker, *error), nullptr;
    const auto& path = std::get<std::string>(entry);
    const Fingerprint print = share_of_work_.journal() != nullptr ? Fingerprint::of(path) : Fingerprint{};
    {
      const auto lock = lock_as(worker);
      rest();
      ledger_.read(path, model_ == nullptr ? "any" : model_->name());
      share_of_work_.begin(path, print);
      if (is_regular_file(path)) start_clock();
    }
    auto file = judge_with({}).read(path);
    if (!file) return fail(worker, file.error()), nullptr;
    auto shared = std::make_shared<const HistoryFile>(std::move(file).value());
    const auto lock = lock_as(worker);
    file_ = shared;
    if (share_of_work_.is_by_history() && !tell_known(std::nullopt)) finish_piece(std::nullopt);
    return shared;
  }

  void fail_entry(unsigned worker, const Error& error) {
    {
      const auto lock = lock_as(worker);
      share_of_work_.begin({}, {});
    }
    fail(worker, error);
  }

  // From now on time counts. Only with mutex_ held.
  void start_clock() {
    if (!check_.timeout) return;
    deadline_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(*check_.timeout);
  }
  void rest() {
    ledger_.rest();
    deadline_.reset();
    most_memory_.reset();
  }

  void judge(unsigned worker, const HistoryFile& file, std::size_t first) {
    if (!share_of_work_.is_by_history()) return judge(worker, file, first, file.histories.size());
    for (std::size_t i = first; i < file.histories.size(); ++i) {
      if (!share_of_work_.has_history(i)) continue;
      {
        const auto lock = lock_as(worker);
        if (is_over()) return;
        next_history_ = i + 1;
        if (tell_known(i)) continue;
      }
      judge(worker, file, i, i + 1);
      const auto lock = lock_as(worker);
      if (!is_over()) finish_piece(i);
    }
  }

  void judge(unsigned worker, const HistoryFile& file, std::size_t first, std::size_t last) {
    std::shared_ptr<ReachedWatch> watch;
    Judge::Watchers watchers = watchers_as(worker);
    watchers.begin = [&, worker](const CheckedHistory& checked) {
      watch = std::make_shared<ReachedWatch>();
      return begin(worker, checked, watch);
    };
    const auto check = [&](const History& history, const Model& model,
                           const CheckOptions& options) -> Result<std::optional<Verdict>> {
      auto verdict = check_watched(history, model, options, *watch);
      if (!verdict) return verdict.error();
      return std::optional(std::move(verdict).value());
    };
    judge_with(std::move(watchers)).judge(file, first, last, check, [this, worker](OutputItem item) {
      take(worker, std::move(item));
    });
  }

  [[nodiscard]] Judge judge_with(Judge::Watchers watchers) const {
    return {options_, check_, model_, console_.has_color(), std::move(watchers)};
  }

  Judge::Watchers watchers_as(unsigned worker) {
    return {
        .begin = [this, worker](const CheckedHistory& checked) { return begin(worker, checked, nullptr); },
        .end =
            [this, worker] {
              const auto lock = lock_as(worker);
              ledger_.rest();
            },
        .wants_report =
            [this, worker](const CheckedHistory& checked) {
              const auto lock = lock_as(worker);
              return ledger_.wants_report(checked);
            },
        .keeper = keeper_};
  }

  void spread() {
    const Judge judge = judge_with(watchers_as(worker_));
    SpreadCheck spread(
        ranks_->pool, check_, console_.has_color(), judge, share_of_work_,
        {.take = [this](OutputItem item) { take(worker_, std::move(item)); },
         .file_done = [this] { ++files_done_; },
         .wants_report = [this](Outcome outcome) { return keeper_ != nullptr && keeper_->wants(outcome); },
         .changed = [this](const std::string& path) { tell_changed(path); }});
    spread.run(inputs_);
  }

  void lost(const std::string& who) {
    if (!Interrupt::requested() && lost_.insert(who).second)
      console_.error(fmt::format("plumb: {} is gone; the other ranks do its work", who));
  }

  // The time of the first history of a file begins where reading it did.
  std::optional<Clock::time_point> begin(unsigned worker, const CheckedHistory& checked,
                                         std::shared_ptr<ReachedWatch> watch) {
    const auto lock = lock_as(worker);
    if (ledger_.doing() != Doing::kReading || !deadline_) start_clock();
    if (check_.memory) most_memory_ = memory_in_use() + memory_for(*checked.history) + *check_.memory;
    ledger_.begin(checked, std::move(watch));
    next_history_ = checked.index + 1;
    share_ = 0;
    return deadline_;
  }

  void take(unsigned worker, OutputItem item) {
    const auto lock = lock_as(worker);
    const bool over = item.kind == OutputItem::Kind::kError;
    ledger_.take(std::move(item));
    if (over) rest();
  }

  void fail(unsigned worker, const Error& error) { take(worker, Judge::failed(error, {})); }

  // By the overseer, often.
  void look() {
    const std::unique_lock lock(mutex_);
    if (deadline_ && Clock::now() > *deadline_ + kGrace) return leave_behind(StopReason::kTime);
    if (most_memory_ && memory_in_use() > *most_memory_) leave_behind(StopReason::kMemory);
  }

  // Only with mutex_ held. What takes more memory than it may goes on doing so where it is left: then all is over.
  void leave_behind(StopReason limit) {
    const bool was_reading = ledger_.doing() == Doing::kReading;
    ledger_.cut_off(to_text(limit));
    if (was_reading || share_of_work_.is_by_history())
      finish_piece(was_reading ? std::nullopt : std::optional(next_history_ - 1));
    if (was_reading) ++next_entry_;
    ++worker_;
    if (limit == StopReason::kMemory && !is_last()) {
      ledger_.end_early(to_text(limit), files_done_, inputs_.entries.size());
      next_entry_ = inputs_.entries.size();
    }
    rest();
    std::thread([this, worker = worker_] { go_on(worker); }).detach();
  }

  [[noreturn]] void go_on(unsigned worker) {
    const ExitStatus status = guarded([&] {
      work(worker);
      return conclude();
    });
    _exit(number_of(console_.finish() ? status : ExitStatus::kError));
  }

  // Nothing is left to be checked after what is being checked.
  [[nodiscard]] bool is_last() const {
    const std::size_t entries = inputs_.entries.size();
    return next_entry_ >= entries ||
           (next_entry_ + 1 == entries && file_ && next_history_ == file_->histories.size());
  }

  // All that is to be said is said; gives the exit status.
  ExitStatus conclude() {
    if (!options_.certificate.empty() && !Interrupt::requested()) {
      const std::scoped_lock lock(mutex_);
      ledger_.write_certificates_kept();
    }
    return after_(finish());
  }

  ExitStatus finish() {
    const std::scoped_lock lock(mutex_);
    if (Interrupt::requested()) ledger_.interrupt(files_done_, inputs_.entries.size());
    ledger_.write_junit();
    if (auto* journal = share_of_work_.journal()) close(*journal);
    ledger_.tell_summary(inputs_.entries.size(), inputs_.passed_over.size(),
                         inputs_.passed_over.empty() ? "" : inputs_.passed_over.front());
    return ledger_.tally().status();
  }

  void close(CheckJournal& journal) {
    ledger_.listen({});
    journal.close();
    if (!journal.status()) ledger_.take(Judge::failed(journal.status().error(), {}));
  }

  std::string progress_line() {
    const std::scoped_lock lock(mutex_);
    const std::string files =
        inputs_.entries.size() == 1
            ? ""
            : fmt::format("{} of {} files, ", files_done_.load(), inputs_.entries.size());
    if (!ledger_.current()) return fmt::format("{}{}", files, ranks_ ? "the ranks are at work" : "reading");
    const std::string share = share_ > 0 ? fmt::format(", {:.0f} %", share_ * 100) : "";
    return fmt::format("{}checking {} of {}{}", files,
                       count_of(ledger_.current()->history->size(), "operation"), ledger_.current()->file,
                       share);
  }

  // On the watchdog's thread: the work has not ended in time. Says what is known and ends the process.
  [[noreturn]] void give_up() {
    constexpr auto kPatience = std::chrono::milliseconds(200);  // the worker may be stuck in a write
    const std::unique_lock lock(mutex_, kPatience);
    if (lock.owns_lock()) {
      ledger_.interrupt(files_done_, inputs_.entries.size());
      ledger_.write_junit();
    }
    _exit(number_of(worse(ledger_.tally().status(), ExitStatus::kUnknown)));
  }

  const Options& options_;
  CheckOptions check_;
  Console& console_;
  std::string_view verb_;
  ReportKeeper* keeper_;  // or null
  const AfterCheck& after_;
  Inputs inputs_;
  const Model* model_ = nullptr;        // that was given, or null
  std::unique_ptr<work::Ranks> ranks_;  // with --mpi
  std::set<std::string> lost_;
  CheckShare share_of_work_;

  std::timed_mutex mutex_;  // of all below
  unsigned worker_ = 0;     // the number of the one who works
  std::size_t next_entry_ = 0;
  std::shared_ptr<const HistoryFile> file_;  // of that entry, if it has been read
  std::size_t next_history_ = 0;             // of that file
  std::optional<Clock::time_point> deadline_;
  std::optional<std::size_t> most_memory_;
  CheckLedger ledger_;
  std::atomic<double> share_ = 0;
  std::atomic<std::size_t> files_done_ = 0;
};

}  // namespace

ExitStatus check_all(const Options& options, Console& console, std::string_view verb, ReportKeeper* keeper,
                     const AfterCheck& after) {
  return CheckRun(options, console, verb, keeper, after).run();
}

ExitStatus run_check(const Options& options, Console& console) {
  if (options.report.empty())
    return check_all(options, console, "check", nullptr, [](ExitStatus status) { return status; });
  ReportKeeper keeper(report_format(options.report).value(), {});
  return check_all(options, console, "check", &keeper, [&](ExitStatus status) {
    if (!keeper.report()) return status;
    const auto written = write_file(options.report, *keeper.report());
    if (written) return status;
    console.error(written.error().text());
    return ExitStatus::kError;
  });
}

}  // namespace plumb::cli
