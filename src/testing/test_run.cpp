#include "testing/test_run.hpp"

#include <algorithm>
#include <map>
#include <optional>

#include <fmt/format.h>

#include "base/count_of.hpp"
#include "base/file_io.hpp"
#include "explore/memory_models.hpp"
#include "explore/unreached.hpp"
#include "explore/unwatched.hpp"
#include "runtime/reached_code.hpp"
#include "testing/campaign_run.hpp"
#include "testing/error_result.hpp"
#include "testing/failure_search.hpp"
#include "testing/observation_file.hpp"
#include "testing/replay_token.hpp"
#include "testing/result_document.hpp"
#include "testing/run_context.hpp"
#include "testing/scenario_answer.hpp"

namespace plumb {
namespace testing {
namespace {

class TestRun {
 public:
  TestRun(TestCase& test, const TestOptions& options, const Sharing& sharing, CannotEnd cannot_end)
      : run_(test, options, sharing) {
    if (cannot_end) {
      run_.runner.obey(options.stop, [this, cannot_end = std::move(cannot_end)](const std::string& sentence) {
        cannot_end(known_by_now(sentence));
      });
    }
  }

  TestResult run() {
    runtime::forget_reached();
    if (auto status = run_.runner.prepare(); !status) return error(status.error().text());
    if (!run_.options.replay.empty()) {
      if (auto status = replay(); !status) return error(status.error().message);
    } else {
      if (!run_.options.observations.empty()) {
        if (auto status = write_observed(); !status) return error(status.error().text());
      }
      if (auto status = run_scenarios(); !status) return error(status.error().text());
    }
    if (const auto unmet = unmet_order()) return error(*unmet);
    run_.result.elapsed = run_.time.passed();
    cover();
    if (run_.result.report.empty()) run_.result.report = summary_text(run_.options, run_.result);
    if (run_.options.budget && !run_.test.scenarios().empty())
      run_.result.report +=
          "The budget had no effect: the test names its scenarios, and each is run to its end.\n";
    if (run_.is_shard() && !run_.result.refused)
      run_.result.report +=
          fmt::format("This is shard {0}/{1}: one scenario in {1} was run here, from scenario {2} on.\n",
                      run_.shard.index, run_.shard.count, run_.shard.index + 1);
    return std::move(run_.result);
  }

 private:
  // What was covered, where something was and nothing was found.
  void cover() {
    const bool found = run_.result.verdict == Outcome::kViolation || run_.result.refused;
    if (found || run_.coverage.results.empty()) return;
    run_.result.coverage = coverage_of(run_.test, run_.coverage);
    // What runs elsewhere, or ran before, has left no trace here.
    if (run_.pool == nullptr && run_.journal == nullptr && !run_.is_shard())
      run_.result.coverage->unreached = engine::unreached_lines();
  }
  Status replay();
  Status write_observed();
  [[nodiscard]] Status run_scenarios();
  void run_all();
  void run_passes();
  void run_all_beside();
  void run_campaign();
  [[nodiscard]] bool campaign_fails(CampaignRun& campaign, CampaignRun::Until until);
  [[nodiscard]] bool campaign_is_refused();
  [[nodiscard]] bool runs_beside();
  [[nodiscard]] bool others_have_weak_orders();
  void run_pass(const std::vector<std::size_t>& numbers, work::WorkerPool* pool);
  void hand_out(const std::vector<std::size_t>& numbers, work::WorkerPool& pool);
  void take_known();
  void name_missing(std::size_t end);  // those before
  void finish(std::size_t number, ScenarioResult outcome, Seconds took);
  void take(std::size_t number, ScenarioResult outcome);
  void say_progress() const;
  [[nodiscard]] std::vector<std::size_t> cut_off() const;
  void count_up();
  [[nodiscard]] bool knows_all() const;
  [[nodiscard]] Seconds passed_before() const;
  [[nodiscard]] TestResult known_by_now(const std::string& standing);
  void fail(std::size_t number, const ScenarioResult& known);
  [[nodiscard]] std::optional<std::string> unmet_order() const;
  TestResult error(const std::string& message) {
    return error_result(std::move(run_.result), run_.test, message);
  }

  RunContext run_;
  std::optional<CampaignRun> campaign_;
  std::optional<CampaignRun> beside_;               // under a weak memory model, after the other one
  Effort effort_;                                   // with which scenarios are run one by one
  std::map<std::size_t, ScenarioResult> outcomes_;  // of the scenarios that were run
  std::map<std::size_t, ScenarioResult> refused_;   // that a weak memory model does not have; others go on
  Scenario replayed_;                               // instead of all of them
  std::size_t wanted_ = 0;                          // only those before
  std::size_t running_ = 0;                         // in this process, one after the other
  std::uint64_t executions_ = 0;                    // so far, for the progress
  std::uint64_t histories_ = 0;
};

void TestRun::finish(std::size_t number, ScenarioResult outcome, Seconds took) {
  run_.keep({run_.test.name(), number, std::nullopt, effort_}, outcome, took);
  take(number, std::move(outcome));
}

// Takes the outcome of a scenario; one that was cut off before has another now.
void TestRun::take(std::size_t number, ScenarioResult outcome) {
  const bool passes_over = outcome.refused && effort_.memory_model != MemoryModel::kSequential;
  if (passes_over) refused_.insert_or_assign(number, outcome);
  if (outcome.has_finding() && !passes_over)
    wanted_ = std::min(wanted_, number);  // the first in order counts, not the fastest
  executions_ += outcome.executions;
  histories_ += outcome.histories;
  outcomes_.insert_or_assign(number, std::move(outcome));
  if (run_.options.progress) say_progress();
}

void TestRun::say_progress() const {
  const std::size_t count = run_.runner.scenarios().size();
  const std::size_t done = outcomes_.size() - cut_off().size();
  const TimeShares::Estimate rest = run_.time.estimate(done, count);
  run_.options.progress(fmt::format(
      "{}: {} of {}, {}, {}, {} {:.0f} s left{}", run_.test.name(), done, count_of(count, "scenario"),
      count_of(executions_, "execution"), count_of(histories_, "history"), rest.at_most ? "at most" : "about",
      rest.time.count(), run_.time.limited() ? "" : " (--timeout would end it)"));
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
    ++run_.result.scenarios;
    run_.result.exhausted = run_.result.exhausted && outcome.exhausted;
    run_.result.unseen += outcome.unseen ? 1 : 0;
    run_.add(number, outcome);
    run_.result.by_schedules += outcome.beyond_states.empty() ? 0 : 1;
    if (run_.result.beyond_states.empty()) run_.result.beyond_states = outcome.beyond_states;
  }
}

// Said by another thread, while the one that runs the test stands still.
TestResult TestRun::known_by_now(const std::string& standing) {
  if (campaign_) {
    if (campaign_->found().has_finding()) {
      tell_unshown(campaign_->found(), run_.result);
    } else {
      campaign_->conclude(standing);
      if (beside_) beside_->conclude(standing);
      cover();
      run_.result.report = summary_text(run_.options, run_.result);
    }
    run_.result.elapsed = run_.time.passed();
    return run_.result;
  }
  const bool replays = !run_.options.replay.empty();
  const std::span<const Scenario> planned =
      replays ? std::span(&replayed_, 1) : std::span(run_.runner.scenarios());
  if (run_.result.scenarios == 0) count_up();
  if (!replays && wanted_ < planned.size()) {
    tell_unshown(outcomes_.at(wanted_), run_.result);
  } else {
    outcomes_.insert_or_assign(running_, run_.without_end(standing));
    note_unfinished(run_.options, planned, outcomes_, run_.result, replays ? Shard{} : run_.shard);
    cover();
    run_.result.report = summary_text(run_.options, run_.result);
  }
  run_.result.elapsed = run_.time.passed();
  return run_.result;
}

Status TestRun::write_observed() {
  std::string text;
  Settings settings = run_.runner.settings();
  for (const Scenario& scenario : run_.runner.scenarios()) {
    settings.explore.timeout = run_.time.left();
    LineUp line_up(run_.test, scenario);
    ScenarioResult outcome;
    if (!line_up.run_serially(settings, outcome)) break;  // the test itself will say what is wrong
    text += write_observations(run_.test, scenario, line_up.tree(),
                               observation_format(run_.options.observations));
  }
  return write_file(run_.options.observations, text);
}

// What an earlier run, which wrote the journal, has spent of the budget.
Seconds TestRun::passed_before() const {
  Seconds passed = Seconds::zero();
  for (const MemoryModel model : models_of(run_.options)) {
    for (const ScenarioPiece* piece : run_.known(model)) passed = std::max(passed, piece->passed);
  }
  return passed;
}

Status TestRun::run_scenarios() {
  const bool is_campaign = run_.runner.plan().has_value();
  if (is_campaign || (run_.options.samples_within_budget && run_.test.scenarios().empty())) {
    const auto budget = budget_of(run_.options);
    if (!budget) return budget.error();
    if (is_campaign && !run_.merges()) run_.before = passed_before();
    run_.time = TimeShares(std::max(*budget - run_.before, Seconds::zero()));
  }
  if (is_campaign) {
    run_campaign();
  } else {
    run_all();
  }
  return Ok{};
}

// Whether the test is to be run under a weak memory model, too, after the other one; says so where it cannot be.
bool TestRun::runs_beside() {
  if (models_of(run_.options).size() == 1) return false;
  // Where races are allowed, plain accesses that race are relaxed ones.
  const bool matters = run_.has_weak_orders || run_.test.claims_synchronisation() || !run_.test.races() ||
                       !run_.options.explore.orders.empty() || (run_.is_shard() && others_have_weak_orders());
  if (!matters) return false;
  const auto why = no_graphs_for(run_.test, run_.options);
  if (why) run_.result.models.push_back({.memory_model = models_of(run_.options).back(), .not_run = *why});
  return !why;
}

// All shards have to come to the same: one whose own scenarios have none looks at the first execution of each of the others.
bool TestRun::others_have_weak_orders() {
  const std::size_t count = run_.runner.scenarios().size();
  bool found = false;
  run_.go_on();
  work::WorkerPool here = run_.workers(run_.jobs(), [&] { return !found; });
  here.run(
      count,
      [&](std::size_t number) {
        return ScenarioRequest{run_.test.name(), number, run_.time.left(), {.executions = 1}}.message();
      },
      [&](const work::WorkDone& done) {
        const auto outcome = from_answer(done.answer);
        found = found || (!done.died && outcome && outcome->has_weak_orders);
        return found ? std::size_t{0} : count;
      });
  run_.go_on();
  return found;
}

bool TestRun::campaign_fails(CampaignRun& campaign, CampaignRun::Until until) {
  const auto failed = campaign.run(until);
  if (!failed) return false;
  campaign.name_missing(*failed);
  fail(*failed, campaign.found());
  return true;
}

// What was asked for alone cannot be run.
bool TestRun::campaign_is_refused() {
  const auto* refused = campaign_->first_refused();
  if (refused != nullptr) fail(refused->first, refused->second);
  return refused != nullptr;
}

// Everything small under each memory model, then what is larger, with half of the time for each.
void TestRun::run_campaign() {
  const std::vector<MemoryModel> models = models_of(run_.options);
  campaign_.emplace(run_, models.front());
  const bool only_small = run_.options.only_small;
  const bool stops_behind_small = models.back() != MemoryModel::kSequential;
  if (campaign_fails(*campaign_, {.everything_small = only_small || stops_behind_small}) ||
      campaign_is_refused())
    return;
  campaign_->name_missing(run_.runner.plan()->first_size());
  if (const std::uint64_t never = run_.spun_forever & ~run_.returned; never != 0 && knows_all())
    return tell_never_returns(run_.test, never, run_.result);
  if (runs_beside()) {
    beside_.emplace(run_, models.back());
    if (campaign_fails(*beside_, {.everything_small = true})) return;
    if (!beside_->is_all_refused()) beside_->name_missing(run_.runner.plan()->first_size());
  }
  const bool goes_on_beside = beside_ && !beside_->is_all_refused();
  std::optional<Seconds> half;
  if (goes_on_beside) half = run_.time.passed() + *run_.time.left() / 2;
  if (!only_small && stops_behind_small &&
      (campaign_fails(*campaign_, {.time = half}) || campaign_is_refused()))
    return;
  if (!only_small && goes_on_beside && campaign_fails(*beside_, {})) return;
  const std::vector<ModelFigures> not_run = std::exchange(run_.result.models, {});
  campaign_->conclude();
  if (goes_on_beside) beside_->conclude();
  run_.result.models.insert(run_.result.models.end(), not_run.begin(), not_run.end());
  if (beside_ && !goes_on_beside)
    run_.result.models.push_back({.memory_model = models.back(), .not_run = beside_->not_run()});
}

void TestRun::run_all() {
  run_.result.verdict = Outcome::kHolds;
  run_.result.exhausted = true;
  const std::size_t count = run_.runner.scenarios().size();
  effort_.memory_model = models_of(run_.options).front();
  run_passes();
  count_up();
  name_missing(wanted_);
  if (wanted_ < count) return fail(wanted_, outcomes_.at(wanted_));
  if (!refused_.empty()) return fail(refused_.begin()->first, refused_.begin()->second);
  if (const std::uint64_t never = run_.spun_forever & ~run_.returned; never != 0 && knows_all())
    return tell_never_returns(run_.test, never, run_.result);
  note_unfinished(run_.options, run_.runner.scenarios(), outcomes_, run_.result, run_.shard);
  run_.result.models.push_back({.memory_model = effort_.memory_model,
                                .scenarios = run_.result.scenarios,
                                .executions = run_.result.executions,
                                .exhausted = run_.result.exhausted});
  const bool is_walked = run_.result.ended_by == CutOff::kRandom;
  if ((run_.result.verdict == Outcome::kHolds || is_walked) && runs_beside()) run_all_beside();
}

// The same under a weak memory model, with at most so many executions of each: there may be any number in scenarios of this size.
void TestRun::run_all_beside() {
  constexpr std::uint64_t kMostBeside = 20'000;
  effort_ = {.memory_model = models_of(run_.options).back(), .executions = kMostBeside};
  outcomes_.clear();
  run_.go_on();
  run_passes();
  ModelFigures figures{.memory_model = effort_.memory_model,
                       .exhausted = refused_.empty(),
                       .not_run = refused_text(run_, refused_)};
  if (wanted_ < run_.runner.scenarios().size()) {
    const ScenarioResult& found = outcomes_.at(wanted_);
    run_.result.executions += found.executions;
    return fail(wanted_, found);
  }
  if (run_.result.verdict == Outcome::kHolds) name_missing(wanted_);
  for (auto& [number, outcome] : outcomes_) {
    if (outcome.refused) continue;
    run_.add(number, outcome);
    figures.scenarios += outcome.exhausted ? 1 : 0;
    figures.executions += outcome.executions;
    figures.exhausted = figures.exhausted && outcome.exhausted;
    if (outcome.cut == CutOff::kExecutions)
      outcome.verdict = Outcome::kHolds;  // it has had what it was to have
  }
  run_.result.models.push_back(std::move(figures));
  if (run_.result.verdict == Outcome::kHolds)
    note_unfinished(run_.options, run_.runner.scenarios(), outcomes_, run_.result, run_.shard);
}

// An operation that returns in none of the scenarios here may return in those of another shard.
bool TestRun::knows_all() const {
  return !run_.is_shard() && (run_.journal == nullptr || run_.journal->missing().empty());
}

// All scenarios, with this effort, until one fails.
void TestRun::run_passes() {
  const std::size_t count = wanted_ = run_.runner.scenarios().size();
  take_known();
  if (run_.merges()) return;
  std::vector<std::size_t> to_do;
  for (std::size_t number = 0; number < wanted_; ++number) {
    if (run_.shard.has(number) && !outcomes_.contains(number)) to_do.push_back(number);
  }
  std::optional<work::WorkerPool> here;
  if (run_.pool == nullptr && run_.jobs() > 1 && !to_do.empty())
    here.emplace(run_.workers(std::min<std::size_t>(run_.jobs(), to_do.size())));
  while (!to_do.empty() && !run_.stopped()) {
    run_pass(to_do, here ? &*here : run_.pool);
    to_do = wanted_ == count ? cut_off() : std::vector<std::size_t>();
  }
}

// What had too little time is tried again.
void TestRun::take_known() {
  for (const ScenarioPiece* piece : run_.known(effort_.memory_model)) {
    const bool counts = run_.merges() || piece->outcome.cut != CutOff::kTimeout;
    if (counts && piece->request.effort == effort_) take(piece->request.number, piece->outcome);
  }
}

void TestRun::name_missing(std::size_t end) {
  for (std::size_t number = 0; run_.merges() && number < end; ++number) {
    if (!outcomes_.contains(number)) outcomes_.emplace(number, run_.missing(number));
  }
}

// Each of these scenarios once; null: one after the other in this process.
void TestRun::run_pass(const std::vector<std::size_t>& numbers, work::WorkerPool* pool) {
  if (pool != nullptr) return hand_out(numbers, *pool);
  for (const std::size_t number : numbers) {
    if (number >= wanted_ || run_.stopped()) return;
    running_ = number;
    const Seconds begin = run_.time.passed();
    ScenarioResult outcome = run_.runner.run(number, run_.time.share(number, numbers.size(), 1), effort_);
    finish(number, std::move(outcome), run_.time.passed() - begin);
  }
}

void TestRun::hand_out(const std::vector<std::size_t>& numbers, work::WorkerPool& pool) {
  const auto time_for = [&](std::size_t number) {
    return run_.time.share(number, numbers.size(), pool.width());
  };
  std::map<std::size_t, Seconds> begun;  // when
  pool.run(
      numbers.size(),
      [&](std::size_t item) {
        begun[numbers[item]] = run_.time.passed();
        return ScenarioRequest{run_.test.name(), numbers[item], time_for(numbers[item]), effort_}.message();
      },
      [&](const work::WorkDone& done) -> std::size_t {
        const std::size_t number = numbers[done.item];
        const Seconds took = run_.time.passed() - begun.extract(number).mapped();
        auto outcome = done.died ? run_.of_dead(number, *done.died) : from_answer(done.answer);
        // A rank that cannot make the scenarios: the file of --against is not there.
        if (!outcome) outcome = run_.runner.run(number, time_for(number), effort_);
        finish(number, std::move(*outcome), took);
        if (run_.stopped()) return 0;
        return static_cast<std::size_t>(std::ranges::lower_bound(numbers, wanted_) - numbers.begin());
      });
  if (!run_.stopped()) return;
  for (const auto& [number, _] : begun) {
    if (number < wanted_)
      take(number, run_.without_end("a process that ran a scenario did not end, and was killed"));
  }
}

// A pass with another order at a line where no access has one would be no pass of what was meant.
std::optional<std::string> TestRun::unmet_order() const {
  const std::vector<OrderChange>& orders = run_.options.explore.orders;
  if (run_.result.refused || run_.result.verdict != Outcome::kHolds) return std::nullopt;
  for (std::size_t i = 0; i < orders.size(); ++i) {
    if ((run_.orders_met >> i & 1) == 0)
      return fmt::format(
          "the order {} was of no use: in what was run under {} no such access was made "
          "while there were several threads",
          to_string(orders[i]), engine::row_of(models_of(run_.options).back()).what);
  }
  return std::nullopt;
}

// The first in order that failed, for the report.
void TestRun::fail(std::size_t number, const ScenarioResult& known) {
  run_.result.found_after = run_.time.passed();
  if (run_.options.progress)
    run_.options.progress(fmt::format("{}: something was found, and is made smaller", run_.test.name()));
  const auto failure = FailureSearch(run_.test, run_.options, run_.runner, run_.time).run(number, known);
  if (!failure) return tell_unshown(known, run_.result);
  tell_failure(run_.test, *failure, run_.result);
}

Status TestRun::replay() {
  const auto token = parse_replay_token(run_.options.replay, run_.test);
  if (!token) return token.error();
  Settings only = run_.runner.settings();
  only.explore.timeout = run_.time.left();
  only.trace = true;
  only.explore.order = token->fuses_call_with_first_step ? SearchOrder::kRandom : SearchOrder::kDepthFirst;
  only.solo = token->solo;
  only.explore.memory_model = token->memory_model;
  if (token->memory_model != MemoryModel::kSequential) only.explore.order = SearchOrder::kReduced;
  only.explore.replay = token->schedule;
  replayed_ = token->scenario;
  auto line_up = std::make_shared<LineUp>(run_.test, token->scenario);
  Failure failure{.line_up = line_up,
                  .outcome = line_up->run(only),
                  .found = token->scenario,
                  .program = command_of(run_.test, run_.options)};
  run_.result.scenarios = 1;
  run_.result.executions = failure.outcome.executions;
  run_.result.histories = failure.outcome.histories;
  run_.result.unwatched_writes = failure.outcome.unwatched_writes;
  run_.orders_met = failure.outcome.orders_met;
  if (failure.outcome.has_finding()) {
    suggest_orders_against_race(run_.test, run_.options, run_.runner.settings(), failure);
    tell_failure(run_.test, failure, run_.result);
  } else if (failure.outcome.cut) {
    note_unfinished(run_.options, std::span(&replayed_, 1), {{0, failure.outcome}}, run_.result);
  } else {
    run_.result.verdict = Outcome::kHolds;
    run_.result.message = "this execution is all right";
  }
  return Ok{};
}

}  // namespace

TestResult run_test(TestCase& test, const TestOptions& options, const Sharing& sharing,
                    CannotEnd cannot_end) {
  const TestOptions own = options_for(test, options);
  return TestRun(test, own, sharing, std::move(cannot_end)).run();
}

}  // namespace testing

TestResult run_test(TestCase& test, const TestOptions& options) {
  return testing::run_test(test, options, testing::Sharing{});
}

}  // namespace plumb
