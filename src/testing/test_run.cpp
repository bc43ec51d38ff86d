#include "testing/test_run.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "base/file_io.hpp"
#include "base/jobs.hpp"
#include "explore/unwatched.hpp"
#include "testing/error_result.hpp"
#include "testing/minimise.hpp"
#include "testing/observation_file.hpp"
#include "testing/replay_token.hpp"
#include "testing/result_document.hpp"
#include "testing/scenario_answer.hpp"
#include "testing/scenario_runner.hpp"
#include "testing/time_shares.hpp"
#include "testing/worker_board.hpp"

namespace plumb {
namespace testing {
namespace {

constexpr std::uint64_t kWhenSmaller = 200'000;  // executions of each attempt to make a scenario smaller
constexpr Seconds kTimeWhenSmaller{5};
constexpr Seconds kMoreToShow{5};                // where the time was over when something was found
constexpr std::uint64_t kWhenSimplest = 50'000;  // executions of the search for the simplest interleaving
constexpr Seconds kTimeWhenSimplest{2};
constexpr unsigned kPreemptionsWhenSimplest = 3;

// Settings for the interleaving to show.
Settings simplest(Settings settings) {
  settings.explore.order = SearchOrder::kDepthFirst;
  const auto& bound = settings.explore.preemptions;
  if (!bound || !bound->most()) settings.explore.preemptions = kPreemptionsWhenSimplest;
  settings.explore.executions = kWhenSimplest;
  settings.explore.timeout = kTimeWhenSimplest;
  return settings;
}

// Seconds for which the answers of workers are waited for when the time is over, or the end is asked for. They end by themselves before.
constexpr double kPatience = 4;
constexpr double kPatienceOnRequest = 0.9;

class TestRun {
 public:
  // `pool`: run the scenarios; null: processes of this machine.
  TestRun(TestCase& test, const TestOptions& options, work::WorkerPool* pool, CannotEnd cannot_end)
      : test_(test), options_(options), time_(options.timeout), pool_(pool), runner_(test, options) {
    result_.test = test.name();
    result_.unwatched = engine::unwatched_libraries();
    if (cannot_end) {
      runner_.obey(options.stop, [this, cannot_end = std::move(cannot_end)](const std::string& sentence) {
        cannot_end(known_by_now(sentence));
      });
    }
  }

  TestResult run() {
    if (auto status = runner_.prepare(); !status) return error(status.error().text());
    if (!options_.replay.empty()) {
      if (auto status = replay(); !status) return error(status.error().message);
    } else {
      if (!options_.observations.empty()) {
        if (auto status = write_observed(); !status) return error(status.error().text());
      }
      run_all();
    }
    result_.elapsed = time_.passed();
    if (result_.report.empty()) result_.report = summary_text(options_, result_);
    return std::move(result_);
  }

 private:
  Status replay();
  Status write_observed();
  void run_all();
  void run_pass(const std::vector<std::size_t>& numbers, work::WorkerPool* pool);
  void hand_out(const std::vector<std::size_t>& numbers, work::WorkerPool& pool);
  [[nodiscard]] work::WorkerPool workers(std::size_t count);
  [[nodiscard]] ScenarioResult of_dead(std::size_t number, int how) const;
  [[nodiscard]] ScenarioResult without_end(std::string standing) const;
  void take(std::size_t number, ScenarioResult outcome);
  void say_progress() const;
  [[nodiscard]] std::vector<std::size_t> cut_off() const;
  void count_up();
  [[nodiscard]] TestResult known_by_now(const std::string& standing);
  void fail(const Scenario& scenario, std::size_t number);
  void report(const Failure& failure);
  [[nodiscard]] unsigned jobs() const { return workers_for(options_.jobs); }
  [[nodiscard]] bool asked() const { return options_.stop != nullptr && options_.stop->load(); }
  [[nodiscard]] bool stopped() const { return asked() || time_.spent(); }
  TestResult error(const std::string& message) { return error_result(std::move(result_), test_, message); }

  TestCase& test_;
  const TestOptions& options_;
  TimeShares time_;
  work::WorkerPool* pool_;
  ScenarioRunner runner_;
  WorkerBoard board_;
  std::map<std::size_t, ScenarioResult> outcomes_;  // of the scenarios that were run
  std::size_t wanted_ = 0;                          // only those before
  std::size_t running_ = 0;                         // in this process, one after the other
  TestResult result_;
  std::uint64_t executions_ = 0;  // so far, for the progress
  std::uint64_t histories_ = 0;
  std::uint64_t returned_ = 0;  // operations of the test: in some serial run
  std::uint64_t spun_forever_ = 0;
};

// Takes the outcome of a scenario; one that was cut off before has another now.
void TestRun::take(std::size_t number, ScenarioResult outcome) {
  if (outcome.has_finding())
    wanted_ = std::min(wanted_, number);  // the first in order counts, not the fastest
  executions_ += outcome.executions;
  histories_ += outcome.histories;
  outcomes_.insert_or_assign(number, std::move(outcome));
  if (options_.progress) say_progress();
}

void TestRun::say_progress() const {
  const std::size_t count = runner_.scenarios().size();
  const std::size_t done = outcomes_.size() - cut_off().size();
  const TimeShares::Estimate rest = time_.estimate(done, count);
  options_.progress(fmt::format("{}: {} of {}, {}, {}, {} {:.0f} s left", test_.name(), done,
                                count_of(count, "scenario"), count_of(executions_, "execution"),
                                count_of(histories_, "history"), rest.at_most ? "at most" : "about",
                                rest.time.count()));
}

// Those that had too little time, and may have more.
std::vector<std::size_t> TestRun::cut_off() const {
  std::vector<std::size_t> numbers;
  for (const auto& [number, outcome] : outcomes_) {
    if (outcome.verdict == Outcome::kUnknown && outcome.cut == CutOff::kTimeout) numbers.push_back(number);
  }
  return numbers;
}

// Adds up, up to the first that failed: what was run after it depends on which was faster.
void TestRun::count_up() {
  for (const auto& [number, outcome] : outcomes_) {
    if (number > wanted_) break;
    ++result_.scenarios;
    result_.executions += outcome.executions;
    result_.histories += outcome.histories;
    result_.serial_histories += outcome.serial_histories;
    result_.serial_time += outcome.serial_time;
    result_.concurrent_time += outcome.concurrent_time;
    result_.exhausted = result_.exhausted && outcome.exhausted;
    result_.unseen += outcome.unseen ? 1 : 0;
    result_.by_schedules += outcome.beyond_states.empty() ? 0 : 1;
    if (result_.beyond_states.empty()) result_.beyond_states = outcome.beyond_states;
    returned_ |= outcome.returned;
    spun_forever_ |= outcome.spun_forever;
    engine::add_unwatched(outcome.unwatched_writes, result_.unwatched_writes);
  }
}

// Said by another thread, while the one that runs the test stands still.
TestResult TestRun::known_by_now(const std::string& standing) {
  const bool replays = !options_.replay.empty();
  const std::size_t planned = replays ? 1 : runner_.scenarios().size();
  if (result_.scenarios == 0) count_up();
  if (!replays && wanted_ < planned) {
    tell_unshown(outcomes_.at(wanted_), result_);
  } else {
    outcomes_.insert_or_assign(running_, without_end(standing));
    note_unfinished(options_, planned, outcomes_, result_);
    result_.report = summary_text(options_, result_);
  }
  result_.elapsed = time_.passed();
  return result_;
}

Status TestRun::write_observed() {
  std::string text;
  Settings settings = runner_.settings();
  for (const Scenario& scenario : runner_.scenarios()) {
    settings.explore.timeout = time_.left();
    LineUp line_up(test_, scenario);
    ScenarioResult outcome;
    if (!line_up.run_serially(settings, outcome)) break;  // the test itself will say what is wrong
    text += write_observations(test_, scenario, line_up.tree(), observation_format(options_.observations));
  }
  return write_file(options_.observations, text);
}

void TestRun::run_all() {
  result_.verdict = Outcome::kHolds;
  result_.exhausted = true;
  const std::size_t count = wanted_ = runner_.scenarios().size();
  std::optional<work::WorkerPool> here;
  if (pool_ == nullptr && jobs() > 1 && count > 1)
    here.emplace(workers(std::min<std::size_t>(jobs(), count)));
  std::vector<std::size_t> to_do(count);
  std::iota(to_do.begin(), to_do.end(), std::size_t{0});
  while (!to_do.empty() && wanted_ == count && !stopped()) {
    run_pass(to_do, here ? &*here : pool_);
    to_do = cut_off();
  }
  count_up();
  if (wanted_ < count) return fail(runner_.scenarios()[wanted_], wanted_);
  if (const std::uint64_t never = spun_forever_ & ~returned_; never != 0)
    return tell_never_returns(test_, never, result_);
  note_unfinished(options_, count, outcomes_, result_);
}

work::WorkerPool TestRun::workers(std::size_t count) {
  return workers_here(count, runner_, board_, [this]() -> std::optional<double> {
    if (!stopped()) return std::nullopt;
    if (board_ && asked()) board_.stop() = true;
    return asked() ? kPatienceOnRequest : kPatience;
  });
}

ScenarioResult TestRun::without_end(std::string standing) const {
  ScenarioResult outcome;
  outcome.cut = asked() ? CutOff::kInterrupt : CutOff::kTimeout;
  outcome.standing = std::move(standing);
  return outcome;
}

// What a process has found that died: a crash, unless it had to end.
ScenarioResult TestRun::of_dead(std::size_t number, int how) const {
  if (how == -kCannotEnd)
    return without_end((board_ ? board_.words_about(number) : std::nullopt)
                           .value_or("a process that ran a scenario could not be ended, and ended itself"));
  ScenarioResult crash;
  crash.verdict = Outcome::kViolation;
  return crash;
}

// Each of these scenarios once; null: one after the other in this process.
void TestRun::run_pass(const std::vector<std::size_t>& numbers, work::WorkerPool* pool) {
  if (pool != nullptr) return hand_out(numbers, *pool);
  for (const std::size_t number : numbers) {
    if (number >= wanted_ || stopped()) return;
    running_ = number;
    take(number, runner_.run(number, time_.share(number, numbers.size(), 1)));
  }
}

void TestRun::hand_out(const std::vector<std::size_t>& numbers, work::WorkerPool& pool) {
  const auto time_for = [&](std::size_t number) { return time_.share(number, numbers.size(), pool.width()); };
  std::set<std::size_t> begun;
  pool.run(
      numbers.size(),
      [&](std::size_t item) {
        begun.insert(numbers[item]);
        return ScenarioRequest{test_.name(), numbers[item], time_for(numbers[item])}.message();
      },
      [&](const work::WorkDone& done) -> std::size_t {
        const std::size_t number = numbers[done.item];
        begun.erase(number);
        auto outcome = done.died ? of_dead(number, *done.died) : from_answer(done.answer);
        // A rank that cannot make the scenarios: the file of --against is not there.
        if (!outcome) outcome = runner_.run(number, time_for(number));
        take(number, std::move(*outcome));
        if (stopped()) return 0;
        return static_cast<std::size_t>(std::ranges::lower_bound(numbers, wanted_) - numbers.begin());
      });
  if (!stopped()) return;
  for (const std::size_t number : begun) {
    if (number < wanted_)
      take(number, without_end("a process that ran a scenario did not end, and was killed"));
  }
}

// The scenario that failed once more, here, then ever smaller ones.
void TestRun::fail(const Scenario& scenario, std::size_t number) {
  Settings attempt = runner_.settings();
  Failure failure{
      .line_up = nullptr, .outcome = {}, .found = scenario, .number = number, .program = options_.program};
  const auto run_here = [&](const Scenario& candidate, const Settings& with) {
    auto line_up = std::make_shared<LineUp>(test_, candidate);
    runner_.use_observations(*line_up, number);
    ScenarioResult outcome = line_up->run(with);
    if (outcome.has_finding() && (failure.line_up == nullptr || outcome.kind == failure.outcome.kind)) {
      failure.line_up = line_up;
      failure.outcome = std::move(outcome);
      return true;
    }
    return false;
  };
  const ScenarioResult& known = outcomes_.at(number);
  if (known.refused) {
    failure.outcome = known;  // nothing but the sentence is told, and to come to it again takes as long
    return report(failure);
  }
  if (const auto left = time_.left())
    attempt.explore.timeout = std::max(*left, kMoreToShow + 2 * (known.serial_time + known.concurrent_time));
  if (!run_here(scenario, attempt)) return tell_unshown(known, result_);
  // A file has observations of its scenarios only, not of smaller ones.
  if (!failure.outcome.refused && !runner_.has_observations() && options_.minimise) {
    attempt.explore.executions = std::min(attempt.explore.executions.value_or(kWhenSmaller), kWhenSmaller);
    attempt.explore.timeout = kTimeWhenSmaller;
    const Seconds until = std::max(time_.passed() + kMoreToShow, options_.timeout.value_or(Seconds::zero()));
    (void)minimise(scenario, test_, [&](const Scenario& candidate) {
      const bool late = asked() || (time_.limited() && time_.passed() > until);
      return !late && run_here(candidate, attempt);
    });
  }
  // The simplest search shows it with the fewest preemptions, if it gets there.
  if (!failure.outcome.serial && !failure.outcome.solo)
    run_here(failure.line_up->scenario(), simplest(attempt));
  // Once more, for the trace.
  if (!failure.outcome.token.empty() && !failure.outcome.refused) {
    Settings once = attempt;
    once.explore.order =
        failure.outcome.fuses_call_with_first_step ? SearchOrder::kRandom : SearchOrder::kDepthFirst;
    once.explore.replay = failure.outcome.token;
    once.solo = failure.outcome.solo;
    once.trace = true;
    run_here(failure.line_up->scenario(), once);
  }
  report(failure);
}

void TestRun::report(const Failure& failure) {
  result_.verdict = failure.outcome.verdict;
  result_.refused = failure.outcome.refused;
  result_.kind = failure.outcome.kind;
  result_.message = failure.outcome.message;
  if (result_.refused) {
    result_.report = fmt::format("{}: {}\n", test_.name(), result_.message);
    return;
  }
  for (const auto& calls : failure.line_up->scenario().threads) {
    auto& column = result_.scenario.emplace_back();
    for (const InvocationId call : calls) column.push_back(test_.label(call));
  }
  result_.replay = to_text({.scenario = failure.line_up->scenario(),
                            .fuses_call_with_first_step = failure.outcome.fuses_call_with_first_step,
                            .solo = failure.outcome.solo,
                            .schedule = failure.outcome.token},
                           test_);
  ResultDocument::keep(failure_document(test_, failure, result_), result_);
}

Status TestRun::replay() {
  const auto token = parse_replay_token(options_.replay, test_);
  if (!token) return token.error();
  Settings only = runner_.settings();
  only.explore.timeout = time_.left();
  only.trace = true;
  only.explore.order = token->fuses_call_with_first_step ? SearchOrder::kRandom : SearchOrder::kDepthFirst;
  only.solo = token->solo;
  only.explore.replay = token->schedule;
  auto line_up = std::make_shared<LineUp>(test_, token->scenario);
  Failure failure{.line_up = line_up,
                  .outcome = line_up->run(only),
                  .found = token->scenario,
                  .program = options_.program};
  result_.scenarios = 1;
  result_.executions = failure.outcome.executions;
  result_.histories = failure.outcome.histories;
  result_.unwatched_writes = failure.outcome.unwatched_writes;
  if (failure.outcome.has_finding()) {
    report(failure);
  } else if (failure.outcome.cut) {
    note_unfinished(options_, 1, {{0, failure.outcome}}, result_);
  } else {
    result_.verdict = Outcome::kHolds;
    result_.message = "this execution is all right";
  }
  return Ok{};
}

}  // namespace

TestResult run_test(TestCase& test, const TestOptions& options, work::WorkerPool* pool,
                    CannotEnd cannot_end) {
  const TestOptions own = options_for(test, options);
  return TestRun(test, own, pool, std::move(cannot_end)).run();
}

}  // namespace testing

TestResult run_test(TestCase& test, const TestOptions& options) {
  return testing::run_test(test, options, nullptr);
}

}  // namespace plumb
