// plumb watch: a history while it happens, line by line, or as it is recorded; it speaks as soon
// as a violation is certain.
//
// Lines go through the same readers as files do, into a sink that passes the events to a Watcher.
// Whole operations (jsonl) say when they ended only when they are there; so they are collected, and
// judged at the end of the input.
#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include <fmt/format.h>

#include <plumb/check.hpp>
#include <plumb/files.hpp>
#include <plumb/watch.hpp>

#include "cli/choose_model.hpp"
#include "cli/inputs.hpp"
#include "cli/interrupt.hpp"
#include "cli/line_source.hpp"
#include "cli/verbs.hpp"
#include "cli/watch_output.hpp"
#include "formats/event_lines.hpp"
#include "history/printable.hpp"
#include "history/text.hpp"
#include "record/recording_tail.hpp"

namespace plumb::cli {
namespace {

// Tells the events of the input to a watcher, and keeps the alarm that came of it.
class WatchSink final : public EventSink {
 public:
  explicit WatchSink(const Model* given) : given_(given) {}

  Values& values() override { return *values_; }
  Status begin(const Header& header) override {
    if (header.model().empty() && given_ == nullptr) return Ok{};
    const auto model = given_ != nullptr ? Result<const Model*>(given_) : find_model(header.model());
    if (!model) return fatal(model.error());
    auto made = Watcher::make(**model, values_, {header.initial(), Interrupt::flag()});
    if (!made) return fatal(made.error());
    count_before();
    watcher_.emplace(std::move(*made));
    model_ = *model;
    return Ok{};
  }
  Status end() override { return watcher_ ? heard(watcher_->settle()) : Ok{}; }

  Status call(Value process, std::string_view function, std::span<const Value> args, Value object,
              Place place) override {
    if (!watcher_) {
      if (given_ == nullptr)
        return fatal({"no model is named; use --model NAME, or name it in a header", place});
      if (auto status = begin(Header()); !status) return status;
    }
    return heard(watcher_->call(process, function, args, object, place));
  }
  Status complete(Value process, HistoryBuilder::Completed completed, Place place) override {
    return runs(process) ? heard(watcher_->ret(process, completed, place)) : stranger(process, place);
  }
  Status fail(Value process, Place place) override {
    return runs(process) ? heard(watcher_->fail(process, place)) : stranger(process, place);
  }
  Status lose(Value process, Place place) override {
    return runs(process) ? heard(watcher_->info(process, place)) : stranger(process, place);
  }
  std::optional<std::string_view> open_function(Value process) const override {
    return watcher_ ? watcher_->open_function(process) : std::nullopt;
  }
  Error without_invocation(Error error) override {
    stranger_ = true;
    return error;
  }

  // What the last line brought.
  std::optional<WatchViolation> take_alarm() { return std::exchange(alarm_, std::nullopt); }
  // Its error is one that no other line can mend.
  [[nodiscard]] bool is_fatal() const { return fatal_; }
  // It was the response of a process that runs nothing.
  bool take_stranger() { return std::exchange(stranger_, false); }

  [[nodiscard]] const Model* model() const { return model_ != nullptr ? model_ : given_; }
  [[nodiscard]] WatchCounts counts() const {
    WatchCounts all = before_;
    if (!watcher_) return all;
    all.operations += watcher_->operations();
    all.events += watcher_->events();
    all.open = watcher_->open();
    return all;
  }
  [[nodiscard]] std::string unjudged() const {
    return watcher_ && unjudged_.empty() ? watcher_->unjudged() : unjudged_;
  }

 private:
  Status heard(Watcher::Answer answer) {
    if (!answer) return answer.error();
    if (*answer) alarm_ = std::move(**answer);
    return Ok{};
  }
  Status fatal(Error error) {
    fatal_ = true;
    return error;
  }
  [[nodiscard]] bool runs(Value process) const { return watcher_ && watcher_->is_open(process); }
  Status stranger(Value process, Place place) {
    return without_invocation(
        {fmt::format("a response of process {} without an invocation; expected its call first",
                     values_->to_json(process)),
         place});
  }
  void count_before() {
    if (watcher_ && unjudged_.empty()) unjudged_ = watcher_->unjudged();
    before_ = counts();
    before_.open = 0;
  }

  const Model* given_;
  const Model* model_ = nullptr;
  std::shared_ptr<Values> values_ = std::make_shared<Values>();
  std::optional<Watcher> watcher_;
  std::optional<WatchViolation> alarm_;
  WatchCounts before_;  // of the histories that ended
  std::string unjudged_;
  bool fatal_ = false;
  bool stranger_ = false;
};

// How far the run has come, for another thread.
class Known {
 public:
  void publish(const WatchCounts& counts) {
    operations_.store(counts.operations, std::memory_order_relaxed);
    events_.store(counts.events, std::memory_order_relaxed);
    open_.store(counts.open, std::memory_order_relaxed);
  }
  [[nodiscard]] WatchCounts counts() const {
    WatchCounts counts;
    counts.operations = operations_.load(std::memory_order_relaxed);
    counts.events = events_.load(std::memory_order_relaxed);
    counts.open = open_.load(std::memory_order_relaxed);
    return counts;
  }

 private:
  std::atomic<std::uint64_t> operations_ = 0;
  std::atomic<std::uint64_t> events_ = 0;
  std::atomic<std::size_t> open_ = 0;
};

class WatchRun {
 public:
  WatchRun(const Options& options, Console& console, const Model* given)
      : options_(options),
        console_(console),
        given_(given),
        path_(options.arguments.empty() ? "-" : options.arguments[0]),
        sink_(given),
        reader_(options.format, sink_) {}

  ExitStatus run() {
    const Interrupt interrupt([this] { give_up(); });
    if (path_ != "-" && is_recording(path_)) return recording();
    auto source = LineSource::open(path_, options_.follow);
    if (!source) return fail(source.error());
    while (true) {
      auto next = source->next();
      if (!next) return fail(next.error());
      if (*next == LineSource::Next::kStopped) return interrupted();
      if (*next == LineSource::Next::kBinary) {
        auto bytes = source->rest();
        return bytes ? judge_whole(*bytes, "binary") : fail(bytes.error());
      }
      if (*next == LineSource::Next::kEnd) break;
      if (!line(source->text(), source->number())) return finish("");
    }
    return end_of_input();
  }

 private:
  // False: the run is over.
  bool line(std::string_view text, std::uint32_t number) {
    if (!has_events_) {
      held_.append(text).push_back('\n');
      if (reader_.is_whole()) return true;
    }
    line_ = number;
    const auto status = reader_.line(text, number);
    if (!has_events_) look_at_format();
    known_.publish(sink_.counts());
    return status ? judge() : broken(status.error());
  }

  void look_at_format() {
    if (reader_.is_whole()) say_whole_operations();
    has_events_ = reader_.knows_form() && !reader_.is_whole();
    if (has_events_) held_ = {};
  }

  bool judge() {
    auto alarm = sink_.take_alarm();
    if (!alarm) return true;
    if (skipped_ != 0) {
      alarm->reason += fmt::format(" ({} skipped before; if one of them was an event, it may explain this)",
                                   skipped_ == 1 ? "1 line was" : fmt::format("{} lines were", skipped_));
    }
    const std::scoped_lock lock(mutex_);
    ++violations_;
    if (!options_.quiet) console_.out(watch_alarm(shown(), *alarm, line_, console_));
    return options_.keep_going;
  }

  // A line that says nothing that can be is passed over, except where going on would make no sense.
  bool broken(Error error) {
    const bool stranger = sink_.take_stranger();
    const bool fatal = options_.strict || sink_.is_fatal() || (stranger && skipped_ == 0);
    if (error.file.empty()) error.file = path_;
    console_.error(fatal ? error.text() : error.text() + " (this line is skipped)");
    ++skipped_;
    failed_ = failed_ || fatal;
    return !fatal;
  }

  void say_whole_operations() {
    console_.error(fmt::format(
        "plumb watch: {} has whole operations, which can be judged only when all are there: {}",
        reader_.format(),
        options_.follow ? "--follow has no such end; plumb check judges what the file holds" : "at the end"));
  }

  // Of whole operations that were being collected nothing is certain yet: one that explains the
  // others may have come later.
  ExitStatus interrupted() {
    if (!reader_.is_whole()) return finish("interrupted");
    const auto histories = parse_histories(held_, reader_.format(), path_);
    if (!histories) return fail(histories.error());
    is_whole_ = true;
    for (const History& history : *histories) count_whole(history);
    return finish("interrupted before the end, at which whole operations are judged");
  }

  void count_whole(const History& history) {
    whole_.operations += history.size();
    whole_.events += history.events().size();
    whole_.open += history.pending();
    known_.publish(whole_);
  }

  ExitStatus end_of_input() {
    if (reader_.is_whole()) return judge_whole(held_, reader_.format());
    if (!reader_.knows_form() && sink_.model() == nullptr && !trim(held_).empty() && skipped_ == 0)
      return fail({"no line of a known format; expected events or whole operations (see --format)"});
    return end_of_events();
  }

  ExitStatus end_of_events() {
    do {
      const auto before = violations_;
      if (auto status = sink_.end(); !status) return fail(status.error());
      if (!judge() || violations_ == before) break;
    } while (true);
    return finish("");
  }

  // The events of a recording, which may still grow.
  ExitStatus recording() {
    constexpr auto kPause = std::chrono::milliseconds(20);
    auto tail = RecordingTail::open(path_);
    if (!tail) return fail(tail.error());
    while (true) {
      if (Interrupt::requested()) return finish("interrupted");
      Status told = Ok{};
      const auto next = tail->next(sink_, told);
      if (!next) return fail(next.error());
      if (*next == RecordingTail::Next::kEnded ||
          (*next == RecordingTail::Next::kNothing && !options_.follow))
        return end_of_events();
      if (*next == RecordingTail::Next::kNothing) std::this_thread::sleep_for(kPause);
      known_.publish(sink_.counts());
      if (!(told ? judge() : broken(told.error()))) return finish("");
    }
  }

  ExitStatus judge_whole(std::string_view text, std::string_view format) {
    is_whole_ = true;
    const auto histories = parse_histories(text, format, path_);
    if (!histories) return fail(histories.error());
    CheckOptions check_options = options_.check;
    check_options.stop = Interrupt::flag();
    for (const History& history : *histories) {
      const auto model = choose_model(given_, history);
      if (!model) return fail(model.error());
      const auto verdict = check(history, **model, check_options);
      if (!verdict) return fail(verdict.error());
      whole_model_ = *model;
      count_whole(history);
      if (verdict->outcome == Outcome::kUnknown) unknown_ = verdict->why;
      if (verdict->outcome != Outcome::kViolation) continue;
      WatchViolation alarm{verdict->violation->reason, {}};
      if (const Value object = history.object(verdict->violation->stuck); !object.is_null())
        alarm.object = history.values().to_json(object);
      for (const OperationId i : verdict->violation->operations)
        alarm.operations.push_back({i, history.place(i).line, 0});
      ++violations_;
      if (!options_.quiet) console_.out(watch_alarm(shown(), alarm, 0, console_));
      if (!options_.keep_going) break;
    }
    return finish("");
  }

  ExitStatus fail(Error error) {
    if (error.file.empty()) error.file = path_;
    console_.error(error.text());
    return ExitStatus::kError;
  }

  // The summary, and the exit status that follows.
  ExitStatus finish(std::string why) {
    const std::scoped_lock lock(mutex_);
    if (failed_) return violations_ != 0 ? ExitStatus::kViolation : ExitStatus::kError;
    if (why.empty()) why = !unknown_.empty() ? unknown_ : sink_.unjudged();
    WatchCounts counts = is_whole_ ? whole_ : sink_.counts();
    counts.violations = violations_;
    counts.skipped = skipped_;
    if (!options_.quiet) console_.out(watch_summary(shown(), counts, why, console_));
    if (counts.operations == 0) console_.error(no_operations(path_, 0, true));
    if (violations_ != 0) return ExitStatus::kViolation;
    if (skipped_ != 0) return ExitStatus::kError;
    return why.empty() ? ExitStatus::kHolds : ExitStatus::kUnknown;
  }

  [[nodiscard]] WatchShown shown() const {
    const Model* model = whole_model_ != nullptr ? whole_model_ : sink_.model();
    return {path_, model == nullptr ? "any" : model->name(), options_.json};
  }

  // On the watchdog's thread: a check goes on for too long.
  [[noreturn]] void give_up() {
    constexpr auto kPatience = std::chrono::milliseconds(200);
    const std::unique_lock lock(mutex_, kPatience);
    if (lock.owns_lock() && !options_.quiet) {
      WatchCounts counts = known_.counts();
      counts.violations = violations_;
      counts.skipped = skipped_;
      console_.out(watch_summary(shown(), counts, "interrupted", console_));
    }
    _exit(number_of(violations_ != 0 ? ExitStatus::kViolation : ExitStatus::kUnknown));
  }

  const Options& options_;
  Console& console_;
  const Model* given_;
  std::string path_;
  WatchSink sink_;
  EventLines reader_;
  bool has_events_ = false;  // the format is known, and is one of events
  std::string held_;         // while it is not
  std::uint32_t line_ = 0;
  Known known_;
  std::timed_mutex mutex_;  // for what else the watchdog reads
  std::size_t violations_ = 0;
  std::size_t skipped_ = 0;
  bool failed_ = false;
  std::string unknown_;
  const Model* whole_model_ = nullptr;
  WatchCounts whole_;
  bool is_whole_ = false;  // operations were judged when all were there
};

}  // namespace

ExitStatus run_watch(const Options& options, Console& console) {
  const auto given = given_model(options, "watch");
  if (!given) {
    console.error(given.error().text());
    return ExitStatus::kError;
  }
  return WatchRun(options, console, given->get()).run();
}

}  // namespace plumb::cli
