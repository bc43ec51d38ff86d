#include "observe/campaign.hpp"

#include <algorithm>
#include <bit>
#include <chrono>
#include <limits>
#include <map>
#include <thread>

#include <fmt/format.h>

#include "base/file_io.hpp"
#include "observe/error_result.hpp"
#include "observe/minimise.hpp"
#include "observe/observation_file.hpp"
#include "observe/outcome_line.hpp"
#include "observe/workers.hpp"

namespace plumb {
namespace observe {
namespace {

using Verdict = TestResult::Verdict;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kAllUpTo = 3;  // AutoCheck runs all scenarios up to 3x3, from there on samples
constexpr std::uint64_t kWhenSmaller = 200'000;  // executions of each attempt to make a scenario smaller
constexpr double kSecondsWhenSmaller = 5;
constexpr std::uint64_t kWhenSimplest = 50'000;  // executions of the search for the simplest interleaving
constexpr double kSecondsWhenSimplest = 2;
constexpr int kPreemptionsWhenSimplest = 3;
// Before the engine's token where calls go on to the first step of the operation: not in those of the simplest search.
constexpr char kCallsGoOn = '+';
constexpr char kAlone = '%';  // and where one thread goes on alone

// Settings for the interleaving to show.
Settings simplest(Settings settings) {
  settings.order = SearchOrder::kDepthFirst;
  if (settings.preemptions < 0) settings.preemptions = kPreemptionsWhenSimplest;
  settings.executions = kWhenSimplest;
  settings.seconds = kSecondsWhenSimplest;
  return settings;
}

class Campaign {
 public:
  Campaign(TestCase& test, const TestOptions& options) : test_(test), options_(options) {
    result_.test = test.name();
  }

  TestResult run() {
    if (auto status = prepare(); !status) return error(status.error().text());
    if (!options_.replay.empty()) {
      if (auto status = replay(); !status) return error(status.error().message);
    } else {
      if (!options_.observations.empty()) {
        if (auto status = write_observed(); !status) return error(status.error().text());
      }
      run_all();
    }
    result_.elapsed_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin_).count();
    finish_text();
    return std::move(result_);
  }

 private:
  Status prepare();
  Status replay();
  Status read_against();
  Status write_observed();
  Outcome run_scenario(std::size_t number) const;
  void run_all();
  Settings settings(std::size_t left) const;
  std::size_t take(std::size_t number, const Outcome& outcome, std::size_t count);
  void fail(const Scenario& scenario, std::size_t number);
  void report(const Failure& failure);
  void say_never_returns(std::uint64_t operations);
  void finish_text();
  [[nodiscard]] double left() const {
    return options_.timeout - std::chrono::duration<double>(Clock::now() - begin_).count();
  }
  [[nodiscard]] unsigned jobs() const {
    return options_.jobs != 0 ? options_.jobs : std::max(1U, std::thread::hardware_concurrency());
  }
  [[nodiscard]] bool stopped() const {
    return (options_.stop != nullptr && options_.stop->load()) || (options_.timeout > 0 && left() <= 0);
  }
  TestResult error(const std::string& message) { return error_result(std::move(result_), test_, message); }

  TestCase& test_;
  const TestOptions& options_;
  Clock::time_point begin_ = Clock::now();
  std::vector<Scenario> scenarios_;
  std::vector<ObservationSet> observed_;  // by scenario, where they come from a file
  std::map<std::size_t, Outcome> failed_;
  TestResult result_;
  std::uint64_t returned_ = 0;  // operations of the test: in some serial run
  std::uint64_t went_round_ = 0;
};

Status Campaign::prepare() {
  if (auto status = test_.finish(); !status) return status;
  if (options_.threads == 0 || options_.operations == 0)
    return Error{"a scenario needs a thread and an operation"};
  if (options_.samples == 0) return Error{"no samples, nothing to run"};
  if (options_.threads > kMaxTestThreads)
    return Error{fmt::format("at most {} threads can be explored", kMaxTestThreads)};
  const std::size_t around = test_.before().size() + test_.after().size();
  if (options_.threads * options_.operations + around > kMaxOperations)
    return Error{fmt::format("a scenario has at most {} operations", kMaxOperations)};
  if (!options_.against.empty()) return read_against();
  for (const auto& threads : test_.scenarios()) {
    Scenario scenario;
    scenario.before.assign(test_.before().begin(), test_.before().end());
    scenario.after.assign(test_.after().begin(), test_.after().end());
    for (const auto& calls : threads) scenario.threads.emplace_back(calls.begin(), calls.end());
    if (scenario.threads.size() > kMaxTestThreads || scenario.size() > kMaxOperations)
      return Error{fmt::format("a scenario has at most {} threads and {} operations", kMaxTestThreads,
                               kMaxOperations)};
    scenarios_.push_back(std::move(scenario));
  }
  if (!scenarios_.empty()) return Done{};
  const Sizes sizes{.threads = options_.threads,
                    .operations = options_.operations,
                    .samples = options_.samples,
                    .seed = options_.seed};
  if (!options_.grow) {
    scenarios_ = sample(test_, sizes);
    return Done{};
  }
  for (std::size_t n = 1; n <= std::max(options_.threads, options_.operations); ++n) {
    const auto more =
        n <= kAllUpTo
            ? all_of(test_, n)
            : sample(test_,
                     {.threads = n, .operations = n, .samples = options_.samples, .seed = options_.seed});
    scenarios_.insert(scenarios_.end(), more.begin(), more.end());
  }
  return Done{};
}

Settings Campaign::settings(std::size_t scenarios_left) const {
  Settings settings;
  settings.order = options_.strategy;
  settings.preemptions = options_.preemptions;
  settings.executions = options_.executions;
  settings.seed = options_.seed;
  settings.real_threads = options_.real_threads;
  settings.stop = options_.stop;
  settings.trace = false;  // only the failure that is reported needs one
  // What is left of the time is shared by the scenarios that are left; time that one does not need goes to the others.
  if (options_.timeout > 0)
    settings.seconds =
        std::max(left(), 0.001) / static_cast<double>(std::max<std::size_t>(scenarios_left, 1)) * jobs();
  return settings;
}

// Counts a scenario; returns how many are still wanted.
std::size_t Campaign::take(std::size_t number, const Outcome& outcome, std::size_t count) {
  ++result_.scenarios;
  result_.executions += outcome.executions;
  result_.histories += outcome.histories;
  result_.serial_histories += outcome.serial_histories;
  result_.serial_ms += outcome.serial_seconds * 1000;
  result_.concurrent_ms += outcome.concurrent_seconds * 1000;
  result_.exhausted = result_.exhausted && outcome.exhausted;
  returned_ |= outcome.returned;
  went_round_ |= outcome.went_round;
  if (outcome.verdict == Verdict::kUnknown) result_.verdict = Verdict::kUnknown;
  if (options_.progress) {
    const double each =
        std::chrono::duration<double>(Clock::now() - begin_).count() / static_cast<double>(result_.scenarios);
    options_.progress(fmt::format("{}: {} of {} scenarios, {} executions, {} histories, about {:.0f} s left",
                                  test_.name(), result_.scenarios, scenarios_.size(), result_.executions,
                                  result_.histories,
                                  each * static_cast<double>(scenarios_.size() - result_.scenarios)));
  }
  if (outcome.verdict == Verdict::kViolation || outcome.verdict == Verdict::kError) {
    failed_.emplace(number, outcome);
    return std::min(count, number);  // the first in the order of the scenarios counts, whoever was faster
  }
  return stopped() ? 0 : count;
}

Outcome Campaign::run_scenario(std::size_t number) const {
  LineUp line_up(test_, scenarios_[number]);
  if (!observed_.empty()) (void)line_up.use(observed_[number].histories);
  return line_up.run(settings(scenarios_.size() - number));
}

// The scenarios of the file, with what was observed then.
Status Campaign::read_against() {
  auto file = InputFile::open(options_.against);
  if (!file) return file.error();
  std::string text;
  if (file->is_mapped()) {
    text = file->mapped();
  } else if (auto status = file->read(text, std::numeric_limits<std::size_t>::max()); !status) {
    return status;
  }
  auto sets = read_observations(text, test_);
  if (!sets) {
    Error error = sets.error();
    error.file = options_.against;
    return error;
  }
  if (sets->empty())
    return Error{fmt::format("{} has no observations of the test {}", options_.against, test_.name())};
  observed_ = std::move(*sets);
  for (const ObservationSet& set : observed_) {
    if (LineUp(test_, set.scenario).use(set.histories))
      return Error{fmt::format("{}: two serial histories contradict each other", options_.against)};
    scenarios_.push_back(set.scenario);
  }
  return Done{};
}

Status Campaign::write_observed() {
  std::string text;
  for (const Scenario& scenario : scenarios_) {
    LineUp line_up(test_, scenario);
    Outcome outcome;
    if (!line_up.run_serially(settings(1), outcome)) break;  // the test itself will say what is wrong
    text += write_observations(test_, scenario, line_up.tree());
  }
  return write_file(options_.observations, text);
}

void Campaign::run_all() {
  result_.verdict = Verdict::kPass;
  result_.exhausted = true;
  const std::size_t count = scenarios_.size();
  std::size_t wanted = count;
  if (jobs() == 1 || count == 1) {
    for (std::size_t number = 0; number < wanted; ++number)
      wanted = take(number, run_scenario(number), wanted);
  } else {
    run_in_processes(
        count, jobs(), [&](std::size_t number) { return to_line(run_scenario(number)); },
        [&](const WorkDone& done) {
          Outcome outcome = from_line(done.answer);
          if (done.died) outcome.verdict = Verdict::kViolation;
          return wanted = take(done.item, outcome, wanted);
        });
  }
  if (!failed_.empty()) return fail(scenarios_[failed_.begin()->first], failed_.begin()->first);
  if (const std::uint64_t never = went_round_ & ~returned_; never != 0) return say_never_returns(never);
  if (result_.scenarios < count && result_.verdict == Verdict::kPass) result_.verdict = Verdict::kUnknown;
  if (result_.verdict != Verdict::kPass) result_.exhausted = false;
}

// The scenario that failed once more, here, then ever smaller ones.
void Campaign::fail(const Scenario& scenario, std::size_t number) {
  Settings attempt = settings(1);
  attempt.seconds = 0;
  Failure failure{
      .line_up = nullptr, .outcome = {}, .found = scenario, .number = number, .program = options_.program};
  const auto run_here = [&](const Scenario& candidate, const Settings& with) {
    auto line_up = std::make_shared<LineUp>(test_, candidate);
    if (!observed_.empty()) (void)line_up->use(observed_[number].histories);
    Outcome outcome = line_up->run(with);
    const bool failed = outcome.verdict == Verdict::kViolation || outcome.verdict == Verdict::kError;
    if (failed && (failure.line_up == nullptr || outcome.kind == failure.outcome.kind)) {
      failure.line_up = line_up;
      failure.outcome = std::move(outcome);
      return true;
    }
    return false;
  };
  if (!run_here(scenario, attempt)) {
    result_.verdict = Verdict::kViolation;
    result_.kind = "crash";
    result_.message = "the process that ran this scenario died; run it alone with --jobs 1";
    return;
  }
  // A file has observations of its scenarios only, not of smaller ones.
  if (failure.outcome.verdict != Verdict::kError && observed_.empty() && options_.minimise) {
    if (attempt.executions == 0 || attempt.executions > kWhenSmaller) attempt.executions = kWhenSmaller;
    attempt.seconds = kSecondsWhenSmaller;
    (void)minimise(scenario, test_, [&](const Scenario& candidate) { return run_here(candidate, attempt); });
  }
  // The simplest search shows it with the fewest preemptions, if it gets there.
  if (!failure.outcome.serial && !failure.outcome.alone)
    run_here(failure.line_up->scenario(), simplest(attempt));
  // Once more, for the trace.
  if (!failure.outcome.token.empty() && failure.outcome.verdict != Verdict::kError) {
    Settings once = attempt;
    once.order = failure.outcome.calls_go_on ? SearchOrder::kRandom : SearchOrder::kDepthFirst;
    once.replay = failure.outcome.token;
    once.alone = failure.outcome.alone;
    once.trace = true;
    run_here(failure.line_up->scenario(), once);
  }
  report(failure);
}

// A loop that waits may well wait for ever, as a lock does; but not whatever came before it.
void Campaign::say_never_returns(std::uint64_t operations) {
  result_.verdict = Verdict::kError;
  result_.exhausted = false;
  result_.message =
      fmt::format("{}() never returns, whatever was called before it: it goes round in a loop for ever",
                  test_.operations()[static_cast<std::size_t>(std::countr_zero(operations))].name);
  result_.report = fmt::format("{}: {}\n", test_.name(), result_.message);
}

void Campaign::report(const Failure& failure) {
  result_.verdict = failure.outcome.verdict;
  result_.kind = failure.outcome.kind;
  result_.message = failure.outcome.message;
  if (result_.verdict == Verdict::kError) {
    result_.report = fmt::format("{}: {}\n", test_.name(), result_.message);
    return;
  }
  for (const auto& calls : failure.line_up->scenario().threads) {
    auto& column = result_.scenario.emplace_back();
    for (const InvocationId call : calls) column.push_back(test_.label(call));
  }
  const std::string mark = failure.outcome.alone         ? std::string(1, kAlone)
                           : failure.outcome.calls_go_on ? std::string(1, kCallsGoOn)
                                                         : "";
  result_.replay = replay_token(test_, failure.line_up->scenario(), mark + failure.outcome.token);
  const FailureParts parts = failure_parts(test_, failure, result_);
  result_.report = failure_text(failure, result_, parts);
  result_.html = failure_html(test_, failure, result_, parts);
}

Status Campaign::replay() {
  const std::string_view token = options_.replay;
  const std::size_t first = token.find('@');
  const std::size_t second = first == std::string_view::npos ? first : token.find('@', first + 1);
  if (second == std::string_view::npos)
    return Error{fmt::format("\"{}\" is no replay token: NAME@SCENARIO@SCHEDULE", token)};
  auto scenario = parse_scenario(token.substr(first + 1, second - first - 1), test_);
  if (!scenario) return scenario.error();
  Settings only = settings(1);
  only.replay = token.substr(second + 1);
  only.trace = true;
  only.order = only.replay.starts_with(kCallsGoOn) ? SearchOrder::kRandom : SearchOrder::kDepthFirst;
  if (only.replay.starts_with(kCallsGoOn) || only.replay.starts_with(kAlone)) {
    only.alone = only.replay.starts_with(kAlone);
    only.replay.erase(0, 1);
  }
  auto line_up = std::make_shared<LineUp>(test_, *scenario);
  Failure failure{
      .line_up = line_up, .outcome = line_up->run(only), .found = *scenario, .program = options_.program};
  result_.scenarios = 1;
  result_.executions = failure.outcome.executions;
  result_.histories = failure.outcome.histories;
  if (failure.outcome.verdict == Verdict::kViolation || failure.outcome.verdict == Verdict::kError) {
    report(failure);
  } else {
    result_.verdict = Verdict::kPass;
    result_.message = "this execution is all right";
  }
  return Done{};
}

void Campaign::finish_text() {
  if (!result_.report.empty()) return;
  const std::string bound = options_.preemptions < 0
                                ? "schedule"
                                : fmt::format("schedule with at most {} preemptions", options_.preemptions);
  const std::string counts = fmt::format("{} scenarios, {} executions, {} distinct histories",
                                         result_.scenarios, result_.executions, result_.histories);
  if (result_.verdict == Verdict::kPass) {
    result_.report =
        fmt::format("pass {}: {}, {}\n", test_.name(), counts,
                    !options_.replay.empty() ? result_.message : fmt::format("every {} was run", bound));
  } else if (result_.verdict == Verdict::kUnknown) {
    result_.report = fmt::format("unknown {}: {} of {}; a budget ended it before every {} was run\n",
                                 test_.name(), counts, scenarios_.size(), bound);
  } else {
    result_.report = fmt::format("violation {}: {}\n", test_.name(), result_.message);
  }
}

}  // namespace

std::string replay_token(const TestCase& test, const Scenario& scenario, const std::string& engine_token) {
  return fmt::format("{}@{}@{}", test.name(), to_text(scenario), engine_token);
}

bool token_is_for(std::string_view token, std::string_view test) {
  return token.size() > test.size() && token.starts_with(test) && token[test.size()] == '@';
}

}  // namespace observe

TestResult run_test(TestCase& test, const TestOptions& options) {
  return observe::Campaign(test, options).run();
}

}  // namespace plumb
