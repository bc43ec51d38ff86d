#include "testing/failure_search.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/shell_word.hpp"
#include "explore/strategies.hpp"
#include "testing/minimise.hpp"
#include "testing/replay_token.hpp"
#include "testing/result_document.hpp"
#include "testing/test_run.hpp"

namespace plumb::testing {
namespace {

constexpr std::uint64_t kWhenSmaller = 200'000;  // executions of each attempt to make a scenario smaller
constexpr Seconds kTimeWhenSmaller{5};
constexpr Seconds kMoreToShow{5};                // where the time was over when something was found
constexpr std::uint64_t kWhenSimplest = 50'000;  // executions of the search for the simplest interleaving
constexpr Seconds kTimeWhenSimplest{2};
constexpr unsigned kPreemptionsWhenSimplest = 3;
// The same in a campaign, where what was found may need more preemptions than the bound has: walks come first.
constexpr Seconds kTimeInCampaign{0.5};
constexpr unsigned kRoundInCampaign = 4;

// Settings for the interleaving to show.
Settings simplest(Settings settings) {
  settings.explore.order = SearchOrder::kDepthFirst;
  const auto& bound = settings.explore.preemptions;
  if (!bound || !bound->most()) settings.explore.preemptions = kPreemptionsWhenSimplest;
  settings.explore.executions = kWhenSimplest;
  settings.explore.timeout = kTimeWhenSimplest;
  return settings;
}

// The options that decide which choices an execution has, where they are not what they are by default.
std::string choices_text(const ExploreOptions& options) {
  const ExploreOptions usual;
  std::string text;
  const auto number = [&](std::string_view name, unsigned ExploreOptions::*field) {
    if (options.*field != usual.*field) text += fmt::format(" {} {}", name, options.*field);
  };
  number("--spurious-wakeups", &ExploreOptions::spurious_wakeups);
  number("--spurious-cas-failures", &ExploreOptions::spurious_cas_failures);
  number("--spin", &ExploreOptions::spin);
  number("--patience", &ExploreOptions::patience);
  if (options.steps != usual.steps) text += fmt::format(" --steps {}", options.steps);
  if (!options.reuse) text += " --no-reuse";
  if (options.reuse_by_others) text += " --reuse-by-others";
  return text;
}

}  // namespace

std::string command_of(const TestCase& test, const TestOptions& options) {
  if (options.program.empty()) return "";
  std::string command = shell_word(options.program);
  for (const OrderChange& change : options.explore.orders)
    command += " --order " + shell_word(to_string(change));
  if (!test.explore_options()) command += choices_text(options.explore);
  return command;
}

std::optional<Failure> FailureSearch::run(std::size_t number, const ScenarioResult& known) {
  const Scenario& scenario = runner_.scenarios()[number];
  failure_ = {.line_up = nullptr,
              .outcome = {},
              .found = scenario,
              .number = number,
              .program = command_of(test_, options_)};
  if (known.refused) {
    failure_.outcome = known;  // nothing but the sentence is told, and to come to it again takes as long
    return failure_;
  }
  memory_model_ = known.memory_model;
  if (!find_again(scenario, known)) return std::nullopt;
  // A file has observations of its scenarios only, not of smaller ones.
  if (!failure_.outcome.refused && !runner_.has_observations() && options_.minimise) make_smaller(scenario);
  show();
  return failure_;
}

Settings FailureSearch::settings() const {
  Settings settings = runner_.settings();
  settings.explore.memory_model = memory_model_;
  if (is_weak() && !engine::strategy_traits(settings.explore).takes_graphs)
    settings.explore.order = SearchOrder::kReduced;
  return settings;
}

// The one execution that is known, or else the whole search.
bool FailureSearch::find_again(const Scenario& scenario, const ScenarioResult& known) {
  Settings settings = this->settings();
  if (const auto left = time_.left())
    settings.explore.timeout = std::max(*left, kMoreToShow + 2 * (known.serial_time + known.concurrent_time));
  if (!known.token.empty() && !known.serial && find_in(scenario, only(settings, known))) return true;
  return find_in(scenario, settings);
}

Settings FailureSearch::only(const Settings& settings, const ScenarioResult& known) {
  Settings once = settings;
  if (known.memory_model == MemoryModel::kSequential)
    once.explore.order = known.fuses_call_with_first_step ? SearchOrder::kRandom : SearchOrder::kDepthFirst;
  once.explore.replay = known.token;
  once.solo = known.solo;
  return once;
}

// Keeps what is found, if it is of the kind that was found first.
bool FailureSearch::find_in(const Scenario& candidate, const Settings& with, const std::vector<Walk>& walks) {
  auto line_up = std::make_shared<LineUp>(test_, candidate);
  runner_.use_observations(*line_up, failure_.number);
  ScenarioResult outcome = walks.empty() ? line_up->run(with) : line_up->walk(with, walks);
  if (!outcome.has_finding() || (failure_.line_up != nullptr && outcome.kind != failure_.outcome.kind))
    return false;
  failure_.line_up = line_up;
  failure_.outcome = std::move(outcome);
  return true;
}

bool FailureSearch::find_smaller(const Scenario& candidate) {
  Settings attempt = settings();
  attempt.explore.executions = std::min(attempt.explore.executions.value_or(kWhenSmaller), kWhenSmaller);
  attempt.explore.timeout = kTimeWhenSmaller;
  if (!runner_.plan() || is_weak()) return find_in(candidate, attempt);
  attempt.explore.timeout = kTimeInCampaign;
  return find_in(candidate, attempt, portfolio(kRoundInCampaign, options_.seed)) ||
         find_in(candidate, attempt);
}

void FailureSearch::make_smaller(const Scenario& scenario) {
  const auto asked = [&] { return options_.stop != nullptr && options_.stop->load(); };
  Seconds until = time_.passed() + kMoreToShow;
  if (!runner_.plan()) until = std::max(until, options_.timeout.value_or(Seconds::zero()));
  (void)minimise(scenario, test_, [&](const Scenario& candidate) {
    const bool late = asked() || (time_.limited() && time_.passed() > until);
    return !late && find_smaller(candidate);
  });
}

// An execution in which a client with less synchronisation sees it.
void FailureSearch::show_fewest_edges() {
  for (std::size_t most = 0; most < failure_.outcome.client.size(); ++most) {
    Settings fewer = settings();
    fewer.explore.executions = kWhenSimplest;
    fewer.explore.timeout = kTimeWhenSimplest;
    fewer.most_edges = most;
    if (find_in(failure_.line_up->scenario(), fewer)) return;
  }
}

void FailureSearch::show() {
  Settings settings = this->settings();
  if (is_weak()) show_fewest_edges();
  // The simplest search shows it with the fewest preemptions, if it gets there.
  if (!failure_.outcome.serial && !failure_.outcome.solo && !is_weak())
    (void)find_in(failure_.line_up->scenario(), simplest(settings));
  // Once more, for the trace.
  if (failure_.outcome.token.empty() || failure_.outcome.refused) return;
  settings.explore.timeout = kTimeWhenSmaller;
  Settings once = only(settings, failure_.outcome);
  once.trace = true;
  (void)find_in(failure_.line_up->scenario(), once);
  suggest_orders_against_race(test_, options_, this->settings(), failure_);
}

void suggest_orders_against_race(const TestCase& test, const TestOptions& options, Settings settings,
                                 Failure& failure) {
  ScenarioResult& found = failure.outcome;
  const bool matters = found.kind == ViolationKind::kRace && !found.serial && found.has_weak_orders &&
                       found.memory_model == MemoryModel::kSequential;
  const std::vector<MemoryModel> models = models_of(options);
  if (!matters || models.back() == MemoryModel::kSequential || no_graphs_for(test, options)) return;
  settings.explore.memory_model = models.back();
  settings.explore.replay.clear();
  settings.explore.executions = kWhenSimplest;
  settings.explore.timeout = kTimeWhenSimplest;
  settings.trace = true;
  ScenarioResult weak = LineUp(test, failure.line_up->scenario()).run(settings);
  found.suggestion = std::move(weak.suggestion);
  found.suggested_orders = std::move(weak.suggested_orders);
}

void tell_failure(const TestCase& test, const Failure& failure, TestResult& result) {
  result.verdict = failure.outcome.verdict;
  result.refused = failure.outcome.refused;
  result.kind = failure.outcome.kind;
  result.message = failure.outcome.message;
  result.models.clear();
  if (result.refused) {
    result.report = fmt::format("{}: {}\n", test.name(), result.message);
    return;
  }
  result.memory_model = failure.outcome.memory_model;
  result.suggested_orders = failure.outcome.suggested_orders;
  for (const auto& calls : failure.line_up->scenario().threads) {
    auto& column = result.scenario.emplace_back();
    for (const InvocationId call : calls) column.push_back(test.label(call));
  }
  result.replay = to_text({.scenario = failure.line_up->scenario(),
                           .fuses_call_with_first_step = failure.outcome.fuses_call_with_first_step,
                           .solo = failure.outcome.solo,
                           .memory_model = failure.outcome.memory_model,
                           .schedule = failure.outcome.token},
                          test);
  ResultDocument::keep(failure_document(test, failure, result), result);
}

}  // namespace plumb::testing
