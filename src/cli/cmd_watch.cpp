// plumb watch: a history while it happens, line by line; it speaks as soon as a violation is certain.
//
// Lines go through the same readers as files do, into a sink that passes the events to a Watcher. Whole operations (jsonl)
// say when they ended only when they are there; so they are collected, and judged at the end of the input.
#include <unistd.h>

#include <memory>
#include <mutex>
#include <optional>

#include <fmt/format.h>

#include <plumb/check.hpp>
#include <plumb/files.hpp>
#include <plumb/watch.hpp>

#include "cli/choose_model.hpp"
#include "cli/interrupt.hpp"
#include "cli/line_source.hpp"
#include "cli/verbs.hpp"
#include "cli/watch_output.hpp"
#include "history/event_lines.hpp"
#include "history/printable.hpp"

namespace plumb::cli {
namespace {

// Tells the events of the input to a watcher, and keeps the alarm that came of it.
class WatchSink final : public EventSink {
 public:
  explicit WatchSink(const Model* given) : given_(given) {}

  Values& values() override { return *values_; }
  Status begin(const Header& header) override {
    if (header.model().empty() && given_ == nullptr) return Done{};
    const auto model = given_ != nullptr ? Result<const Model*>(given_) : find_model(header.model());
    if (!model) return fatal(model.error());
    auto made = Watcher::make(**model, values_, {header.initial(), Interrupt::flag()});
    if (!made) return fatal(made.error());
    count_before();
    watcher_.emplace(std::move(*made));
    model_ = *model;
    return Done{};
  }
  Status end() override { return watcher_ ? heard(watcher_->settle()) : Done{}; }

  Status call(Value process, std::string_view function, std::span<const Value> args, Value object,
              Place place) override {
    if (!watcher_) {
      if (given_ == nullptr)
        return fatal({"no model is named; say --model NAME, or name it in a header", place});
      if (auto status = begin(Header()); !status) return status;
    }
    return heard(watcher_->call(process, function, args, object, place));
  }
  Status complete(Value process, HistoryBuilder::Completed completed, Place place) override {
    return open_function(process) ? heard(watcher_->ret(process, completed, place)) : unknown(process, place);
  }
  Status fail(Value process, Place place) override {
    return open_function(process) ? heard(watcher_->fail(process, place)) : unknown(process, place);
  }
  Status lose(Value process, Place place) override {
    return open_function(process) ? heard(watcher_->info(process, place)) : unknown(process, place);
  }
  std::optional<std::string_view> open_function(Value process) const override {
    if (watcher_ && watcher_->is_open(process)) return watcher_->open_function(process);
    asked_for_stranger_ = true;
    return std::nullopt;
  }

  // What the last line brought.
  std::optional<Alarm> take_alarm() { return std::exchange(alarm_, std::nullopt); }
  // Its error is one that no other line can mend.
  [[nodiscard]] bool is_fatal() const { return fatal_; }
  // It was about a process that runs nothing.
  bool take_stranger() { return std::exchange(asked_for_stranger_, false); }

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
    return Done{};
  }
  Status fatal(Error error) {
    fatal_ = true;
    return error;
  }
  Status unknown(Value process, Place place) {
    asked_for_stranger_ = true;
    return Error{fmt::format("a response of process {} without an invocation; expected its call first",
                             values_->to_json(process)),
                 place};
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
  std::optional<Alarm> alarm_;
  WatchCounts before_;  // of the histories that ended
  std::string unjudged_;
  bool fatal_ = false;
  mutable bool asked_for_stranger_ = false;
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

  int run() {
    auto source = LineSource::open(path_, options_.follow);
    if (!source) return fail(source.error());
    const Interrupt interrupt([this] { give_up(); });
    while (true) {
      auto next = source->next();
      if (!next) return fail(next.error());
      if (*next == LineSource::Next::kStopped) return finish("interrupted");
      if (*next == LineSource::Next::kEnd) break;
      if (!line(source->text(), source->number())) return finish("");
    }
    return end_of_input();
  }

 private:
  // False: the run is over.
  bool line(std::string_view text, std::uint32_t number) {
    const bool hold = reader_.format() == "auto" || reader_.is_other();
    if (hold) held_.append(text).push_back('\n');
    if (reader_.is_other()) return true;
    line_ = number;
    auto status = reader_.line(text, number);
    if (hold && reader_.is_other()) say_whole_operations();
    if (hold && !reader_.is_other() && reader_.format() != "auto") held_ = {};
    return status ? judge() : broken(status.error());
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
    const bool stranger =
        sink_.take_stranger() && error.message.find("without an invocation") != std::string::npos;
    const bool fatal = options_.strict || sink_.is_fatal() || (stranger && skipped_ == 0);
    if (error.file.empty()) error.file = path_;
    console_.error(fatal ? error.text() : error.text() + " (this line is skipped)");
    ++skipped_;
    failed_ = failed_ || fatal;
    return !fatal;
  }

  void say_whole_operations() {
    console_.error(fmt::format(
        "plumb watch: {} has whole operations, which can be judged only when all are there: at the end",
        reader_.format()));
  }

  int end_of_input() {
    if (reader_.is_other()) return judge_whole();
    if (reader_.format() == "auto" && sink_.model() == nullptr && !trim(held_).empty() && skipped_ == 0)
      return fail(
          {"no line of a known format; expected events, edn, jepsen-log, hist or jsonl (see --format)"});
    do {
      const auto before = violations_;
      if (auto status = sink_.end(); !status) return fail(status.error());
      if (!judge() || violations_ == before) break;
    } while (true);
    return finish("");
  }

  int judge_whole() {
    const auto histories = parse_histories(held_, reader_.format(), path_);
    if (!histories) return fail(histories.error());
    CheckOptions check_options = options_.check;
    check_options.stop = Interrupt::flag();
    for (const History& history : *histories) {
      const auto model = choose_model(given_, history);
      if (!model) return fail(model.error());
      const auto verdict = check(history, **model, check_options);
      if (!verdict) return fail(verdict.error());
      whole_model_ = *model;
      whole_.operations += history.size();
      whole_.events += history.events().size();
      whole_.open += history.pending();
      if (verdict->outcome == Outcome::kUnknown) unknown_ = verdict->why;
      if (verdict->outcome != Outcome::kViolation) continue;
      Alarm alarm{verdict->violation->reason, {}};
      for (const OperationId i : verdict->violation->operations)
        alarm.operations.push_back({i, history.place(i).line, 0});
      ++violations_;
      if (!options_.quiet) console_.out(watch_alarm(shown(), alarm, 0, console_));
      if (!options_.keep_going) break;
    }
    return finish("");
  }

  int fail(Error error) {
    if (error.file.empty()) error.file = path_;
    console_.error(error.text());
    return 2;
  }

  // The summary, and the exit status that follows.
  int finish(std::string why) {
    const std::scoped_lock lock(mutex_);
    if (failed_) return violations_ != 0 ? 1 : 2;
    if (why.empty()) why = !unknown_.empty() ? unknown_ : sink_.unjudged();
    WatchCounts counts = reader_.is_other() ? whole_ : sink_.counts();
    counts.violations = violations_;
    counts.skipped = skipped_;
    if (!options_.quiet) console_.out(watch_summary(shown(), counts, why, console_));
    if (violations_ != 0) return 1;
    if (skipped_ != 0) return 2;
    return why.empty() ? 0 : 3;
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
      WatchCounts counts;
      counts.violations = violations_;
      counts.skipped = skipped_;
      console_.out(watch_summary(shown(), counts, "interrupted", console_));
    }
    _exit(violations_ != 0 ? 1 : 3);
  }

  const Options& options_;
  Console& console_;
  const Model* given_;
  std::string path_;
  WatchSink sink_;
  EventLines reader_;
  std::string held_;  // while the format is not known, or when it has no events
  std::uint32_t line_ = 0;
  std::timed_mutex mutex_;  // for what the watchdog reads
  std::size_t violations_ = 0;
  std::size_t skipped_ = 0;
  bool failed_ = false;
  std::string unknown_;
  const Model* whole_model_ = nullptr;
  WatchCounts whole_;
};

}  // namespace

int run_watch(const Options& options, Console& console) {
  const auto complain = [&](const Error& error) { return console.error(error.text()), 2; };
  const auto given = given_model(options, "watch");
  if (!given) return complain(given.error());
  if (options.format != "auto" && options.format != "jsonl" && !EventLines::has(options.format)) {
    return complain({fmt::format(
        "plumb watch: --format {}; expected auto, events, edn, jepsen-log, hist or jsonl", options.format)});
  }
  return WatchRun(options, console, given->get()).run();
}

}  // namespace plumb::cli
