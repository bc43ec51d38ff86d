#include "testing/line_up.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

#include <fmt/format.h>

#include "explore/strategies.hpp"
#include "testing/serial_phase.hpp"

namespace plumb::testing {
namespace {

using Clock = RunLimits::Clock;
using Verdict = TestResult::Verdict;

constexpr std::uint64_t kSoloExecutions = 2'000;  // of a scenario
constexpr double kForever = 1e9;                  // seconds

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

// The kinds of the interface; what the engine finds has more names. The rows are those of the enumeration.
std::string kind_of(FindingKind kind) {
  static constexpr std::array kKinds = {
#define PLUMB_FINDING(name, text, test_kind) std::string_view(test_kind),
#include "plumb/detail/findings.def"
#undef PLUMB_FINDING
  };
  return std::string(kKinds.at(static_cast<std::size_t>(kind)));
}

// What a phase found, as the outcome of the scenario.
void take_over(const Exploration& found, const ScenarioObserver& phase, Outcome& outcome) {
  outcome.kind = found.kind == FindingKind::kCheck ? phase.kind() : kind_of(found.kind);
  outcome.verdict = found.refused || phase.is_error() ? Verdict::kError : Verdict::kViolation;
  outcome.message = found.message;
  outcome.trace = found.trace;
  outcome.evidence = found.evidence;
  outcome.token = found.replay;
}

// Results were judged before: only what the engine finds by itself counts.
class SoloPhase final : public ScenarioObserver {
 public:
  using ScenarioObserver::ScenarioObserver;

 private:
  std::optional<std::string> judge_history(const engine::FinishedExecution&) override { return std::nullopt; }
};

}  // namespace

LineUp::LineUp(const TestCase& test, Scenario scenario)
    : test_(test),
      scenario_(std::move(scenario)),
      layout_(scenario_),
      observed_(layout_),
      view_{test_, scenario_, layout_, observed_, limits_},
      tree_(layout_) {}

std::optional<SerialTree::Contradiction> LineUp::use(const std::vector<SerialHistory>& observed) {
  given_ = true;
  for (const SerialHistory& history : observed) {
    if (auto contradiction = tree_.add(history.order, history.results)) return contradiction;
  }
  return std::nullopt;
}

Outcome LineUp::run(const Settings& settings) {
  Outcome outcome;
  begin(settings);
  const ExploreOptions options = for_this_test(settings.explore);
  const bool is_specified = given_ || test_.chosen_model() != nullptr;
  if (!is_specified && !serial_phase(options, outcome)) return outcome;
  const bool replays = !options.replay.empty();
  if (!replays || !settings.solo) concurrent_phase(with_time_left(options), outcome);
  const bool claims_progress = test_.is_lock_free() || test_.is_obstruction_free();
  if (claims_progress && !outcome.has_finding() && (!replays || settings.solo))
    solo_phase(with_time_left(options), outcome);
  return outcome;
}

bool LineUp::run_serially(const Settings& settings, Outcome& outcome) {
  begin(settings);
  return serial_phase(for_this_test(settings.explore), outcome);
}

void LineUp::begin(const Settings& settings) {
  const double seconds = settings.explore.seconds;
  limits_ = {.stop = settings.explore.stop, .trace = settings.trace, .cannot_end = settings.cannot_end};
  if (seconds > 0 && seconds < kForever)
    limits_.deadline =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(seconds));
}

ExploreOptions LineUp::for_this_test(ExploreOptions options) const {
  options.races = test_.races();
  options.plain_points = !test_.races();  // else the order of plain accesses that race would not be known
  options.leaks = test_.leaks();
  options.jobs = 1;
  return options;
}

ExploreOptions LineUp::with_time_left(ExploreOptions options) const {
  constexpr double kLeast = 0.001;  // 0 would be no limit
  if (limits_.deadline)
    options.seconds =
        std::max(std::chrono::duration<double>(*limits_.deadline - Clock::now()).count(), kLeast);
  return options;
}

// What ended a search that has found nothing.
Cut LineUp::cut_of(const Exploration& ended, const ExploreOptions& options) const {
  if (ended.verdict != Exploration::Verdict::kUnknown || ended.ended_by == "replay") return Cut::kNothing;
  if (ended.ended_by == "seconds") return Cut::kTime;
  if (ended.ended_by != "executions") return Cut::kStopped;
  return engine::strategy_traits(options).random ? Cut::kRandom : Cut::kExecutions;
}

Cut LineUp::cut_of_undecided() const {
  return limits_.late() ? Cut::kTime : limits_.asked_to_stop() ? Cut::kStopped : Cut::kChecker;
}

bool LineUp::serial_phase(const ExploreOptions& options, Outcome& outcome) {
  const auto begin = Clock::now();
  tree_ = SerialTree(layout_);
  SerialPhase phase(view_, tree_);
  const Exploration found = phase.run(options);
  contradiction_ = phase.contradiction();
  outcome.serial_seconds = since(begin);
  outcome.serial_histories = tree_.full() + tree_.stuck();
  outcome.returned = phase.ever_returned();
  outcome.spun_forever = phase.spun_forever();
  if (found.verdict == Exploration::Verdict::kPass) return true;
  outcome.serial = true;
  outcome.cut = cut_of(found, options);
  if (found.verdict == Exploration::Verdict::kUnknown) outcome.standing = found.message;
  if (found.verdict == Exploration::Verdict::kViolation) take_over(found, phase, outcome);
  if (found.kind == FindingKind::kLivelock) {
    outcome.verdict = Verdict::kError;
    const std::size_t open = view_.first_open();
    outcome.message = fmt::format("{} does not return although nothing else runs: {}",
                                  open < layout_.size() ? view_.label(open) : "the object", found.message);
  }
  return false;
}

// The orders of independent steps are worked out, not run; but code that the engine does not see may make steps depend on each other
// that look independent. When an order turns out not to be one, all are run.
void LineUp::concurrent_phase(const ExploreOptions& options, Outcome& outcome) {
  const bool unseen = explore_concurrently(options, outcome);
  if (!unseen || outcome.has_finding() || limits_.asked_to_stop()) return;
  const Outcome reduced = outcome;
  ExploreOptions every = with_time_left(options);
  every.order = SearchOrder::kDepthFirst;
  (void)explore_concurrently(every, outcome);
  outcome.unseen = true;
  outcome.executions += reduced.executions;
  outcome.concurrent_seconds += reduced.concurrent_seconds;
}

bool LineUp::explore_concurrently(const ExploreOptions& options, Outcome& outcome) {
  const auto begin = Clock::now();
  ConcurrentPhase phase(view_, tree_, !given_ && tree_.full() > 0);
  const Exploration found = phase.run(options);
  blocked_ = phase.blocked();
  outcome.concurrent_seconds = since(begin);
  outcome.executions = found.executions;
  outcome.histories = phase.histories();
  outcome.exhausted = found.exhausted;
  outcome.unwatched_writes = found.unwatched_writes;
  outcome.fuses_call_with_first_step = engine::strategy_traits(options).fuses_calls;
  const bool all = found.verdict == Exploration::Verdict::kPass && !phase.undecided();
  outcome.verdict = all ? Verdict::kPass : Verdict::kUnknown;
  outcome.cut = phase.undecided() ? cut_of_undecided() : cut_of(found, options);
  if (outcome.cut == Cut::kChecker) outcome.message = *phase.undecided();
  if (found.verdict == Exploration::Verdict::kUnknown) outcome.standing = found.message;
  if (found.verdict == Exploration::Verdict::kViolation) take_over(found, phase, outcome);
  return phase.relied_on_unseen();
}

void LineUp::solo_phase(ExploreOptions options, Outcome& outcome) {
  options.order = SearchOrder::kRandom;
  options.executions = kSoloExecutions;
  SoloPhase phase(view_);
  const Exploration found = phase.explore(options, engine::ExplorationMode::kSolo);
  outcome.executions += found.executions;
  if (found.verdict == Exploration::Verdict::kViolation) {
    take_over(found, phase, outcome);
    outcome.solo = true;
  } else if (found.executions < kSoloExecutions && options.replay.empty()) {
    outcome.verdict = Verdict::kUnknown;
    outcome.cut = limits_.asked_to_stop() ? Cut::kStopped : Cut::kTime;
    outcome.standing = found.message;
  }
}

}  // namespace plumb::testing
