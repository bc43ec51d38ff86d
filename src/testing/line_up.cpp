#include "testing/line_up.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <string_view>

#include <fmt/format.h>

#include "explore/strategies.hpp"
#include "explore/weak_orders.hpp"
#include "testing/graph_phase.hpp"
#include "testing/serial_phase.hpp"

namespace plumb::testing {
namespace {

using Clock = RunLimits::Clock;

constexpr std::uint64_t kSoloExecutions = 2'000;  // of a scenario
constexpr Seconds kForever{1e9};
constexpr double kMostSerialOrders = 50'000;  // 3x3 has 1,680, 3x4 34,650, 4x4 63 million

Seconds since(Clock::time_point begin) { return Clock::now() - begin; }

// The kinds of the interface; what the engine finds has more names. The rows are those of the enumeration.
std::optional<ViolationKind> kind_of(FindingKind kind) {
  using enum ViolationKind;
  static constexpr auto kKinds = std::to_array<std::optional<ViolationKind>>({
#define PLUMB_FINDING(name, text, test_kind) test_kind,
#include "plumb/detail/findings.def"
#undef PLUMB_FINDING
  });
  return kKinds.at(static_cast<std::size_t>(kind));
}

// What a phase found, as the outcome of the scenario.
void take_over(const Exploration& found, const ScenarioObserver& phase, ScenarioResult& outcome) {
  outcome.kind = found.kind == FindingKind::kCheck ? phase.kind() : kind_of(found.kind);
  outcome.refused = found.refused || phase.is_error();
  outcome.verdict = outcome.refused ? Outcome::kUnknown : Outcome::kViolation;
  outcome.message = found.message;
  outcome.trace = found.trace;
  outcome.evidence = found.evidence;
  outcome.suggestion = found.suggestion;
  outcome.suggested_orders = found.suggested_orders;
  outcome.token = found.replay;
}

// In how many orders the threads can call their operations one at a time.
double serial_orders(const Layout& layout) {
  double orders = 1;
  double called = 0;
  for (std::size_t process = 1; process + 1 < layout.processes(); ++process) {
    for (std::size_t i = 1; i <= layout.count(process); ++i) orders *= ++called / static_cast<double>(i);
  }
  return orders;
}

// The same for all of them, and for those that are left when calls that may fail are left out: some, or all.
double orders_with_calls_left_out(const Layout& layout, const SpuriousFailures& failures) {
  std::vector<double> orders = {1};  // by the number of calls that are made
  for (std::size_t process = 1; process + 1 < layout.processes(); ++process) {
    std::vector<double> kept = {1};  // in how many ways so many calls of the process are made
    for (std::size_t i = 0; i < layout.count(process); ++i) {
      const bool may_fail = failures.result(layout.first(process) + i).has_value();
      std::vector<double> more(kept.size() + 1);
      for (std::size_t n = 0; n < kept.size(); ++n) {
        more[n + 1] += kept[n];
        if (may_fail) more[n] += kept[n];
      }
      kept = std::move(more);
    }
    std::vector<double> all(orders.size() + kept.size() - 1);
    for (std::size_t a = 0; a < orders.size(); ++a) {
      double ways = 1;  // to put n calls among a
      for (std::size_t n = 0; n < kept.size(); ++n) {
        all[a + n] += orders[a] * kept[n] * ways;
        ways *= static_cast<double>(a + n + 1) / static_cast<double>(n + 1);
      }
    }
    orders = std::move(all);
  }
  return std::accumulate(orders.begin(), orders.end(), 0.0);
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
      failures_(test_, layout_),
      view_{test_, scenario_, layout_, observed_, limits_, failures_},
      tree_(layout_, failures_.all()) {}

std::optional<SerialTree::Contradiction> LineUp::use(const std::vector<SerialHistory>& observed) {
  given_ = true;
  for (const SerialHistory& history : observed) {
    if (auto contradiction = tree_.add(history.order, history.results)) return contradiction;
  }
  return std::nullopt;
}

ScenarioResult LineUp::run(const Settings& settings) {
  ScenarioResult outcome;
  begin(settings);
  ExploreOptions options = for_this_test(settings.explore);
  const bool is_specified = given_ || test_.chosen_model() != nullptr;
  grows_ = !is_specified && serial_orders(layout_) > kMostSerialOrders;
  if (grows_) tree_ = SerialTree(layout_, failures_.all());
  // States are judged by the whole tree, and what is shown is compared with it. Else, what serial runs do without calls that may fail is
  // found out where histories ask for it.
  const bool searches_states = engine::strategy_traits(options).searches_states;
  const bool needs_whole = searches_states || settings.trace || test_.destroys();
  const bool leaves_calls_out =
      failures_.any() && needs_whole && orders_with_calls_left_out(layout_, failures_) <= kMostSerialOrders;
  if (!is_specified && !grows_ && !serial_phase(options, outcome, leaves_calls_out)) return outcome;
  grows_ = grows_ || (!is_specified && failures_.any() && !leaves_calls_out);
  if (grows_ && searches_states) options.order = SearchOrder::kReduced;
  view_.destroys = !is_specified && !grows_ && may_destroy();
  if (view_.destroys && searches_states)
    options.order = SearchOrder::kReduced;  // else freed objects are in its states
  const bool replays = !options.replay.empty();
  if (options.memory_model != MemoryModel::kSequential) {
    explore_graphs(with_time_left(options), settings.most_edges, outcome);
    return outcome;
  }
  if (!replays || !settings.solo) concurrent_phase(with_time_left(options), outcome);
  const bool claims_progress = test_.is_lock_free() || test_.is_obstruction_free();
  if (claims_progress && !outcome.has_finding() && (!replays || settings.solo))
    solo_phase(with_time_left(options), outcome);
  return outcome;
}

ScenarioResult LineUp::walk(const Settings& settings, const std::vector<Walk>& walks) {
  ScenarioResult outcome;
  begin(settings);
  const ExploreOptions options = for_this_test(settings.explore);
  const bool is_specified = given_ || test_.chosen_model() != nullptr;
  grows_ = !is_specified;
  tree_ = SerialTree(layout_, failures_.all());
  if (test_.destroys() && serial_orders(layout_) <= kMostSerialOrders) {
    if (!serial_phase(options, outcome, failures_.any())) return outcome;
    grows_ = false;
    view_.destroys = may_destroy();
  }
  WalkCensus census;
  std::uint64_t executions = 0;
  for (const Walk& walk : walks) {
    if (limits_.late() || limits_.asked_to_stop()) break;
    ExploreOptions with = with_time_left(options);
    with.order = walk.order;
    with.depth = walk.depth;
    if (with.memory_model == MemoryModel::kSequential) with.preemptions = walk.preemptions;
    with.seed = walk.seed;
    with.executions = walk.executions;
    if (with.memory_model != MemoryModel::kSequential) {
      explore_graphs(with, std::nullopt, outcome, &census);
    } else {
      (void)explore_concurrently(with, outcome, &census);
    }
    executions += std::exchange(outcome.executions, 0);
    if (outcome.has_finding()) break;
    outcome.verdict = Outcome::kUnknown;
    outcome.cut = CutOff::kRandom;
  }
  outcome.executions = executions;
  outcome.exhausted = false;
  outcome.histories = census.histories();
  outcome.met_once = census.met_once();
  return outcome;
}

bool LineUp::run_serially(const Settings& settings, ScenarioResult& outcome) {
  begin(settings);
  return serial_phase(for_this_test(settings.explore), outcome, failures_.any());
}

bool LineUp::may_destroy() const {
  bool returns = false;
  for (SerialTree::Node node = SerialTree::kRoot + 1; node < tree_.size(); ++node) {
    const std::vector<std::size_t> path = tree_.path(node);
    const auto& invocation = test_.invocations()[layout_.invocation(path.back())];
    if (!test_.operations()[invocation.operation].destroys || tree_.blocks(node)) continue;
    if (path.size() < layout_.size()) return false;
    returns = true;
  }
  return returns;
}

void LineUp::begin(const Settings& settings) {
  view_.destroys = false;
  coverage_.emplace(test_, scenario_, layout_);
  const std::optional<Seconds> timeout = settings.explore.timeout;
  limits_ = {.stop = settings.explore.stop,
             .trace = settings.trace,
             .cores = settings.cores,
             .cannot_end = settings.cannot_end};
  if (timeout && *timeout < kForever)
    limits_.deadline = Clock::now() + std::chrono::duration_cast<Clock::duration>(*timeout);
}

ExploreOptions LineUp::for_this_test(ExploreOptions options) const {
  options.races = test_.races();
  options.plain_points = !test_.races();  // else the order of plain accesses that race would not be known
  options.leaks = test_.leaks();
  options.jobs = 1;
  if (options.memory_model != MemoryModel::kSequential) {  // graphs have no schedules
    options.preemptions.reset();
    options.plain_points = false;
    options.suggest_orders = options.suggest_orders && limits_.trace;  // which takes as long as many a search
    if (!engine::strategy_traits(options).takes_graphs) options.order = SearchOrder::kReduced;
  }
  return options;
}

ExploreOptions LineUp::with_time_left(ExploreOptions options) const {
  constexpr Seconds kLeast{0.001};  // with less nothing at all would be run
  if (limits_.deadline) options.timeout = std::max<Seconds>(*limits_.deadline - Clock::now(), kLeast);
  return options;
}

// What ended a search that has found nothing.
std::optional<CutOff> LineUp::cut_of(const Exploration& ended, const ExploreOptions& options) const {
  if (ended.verdict != Outcome::kUnknown || ended.ended_by == SearchEnd::kReplayed) return std::nullopt;
  if (ended.ended_by == SearchEnd::kTimeout) return CutOff::kTimeout;
  if (ended.ended_by != SearchEnd::kExecutions) return CutOff::kInterrupt;
  return engine::strategy_traits(options).random ? CutOff::kRandom : CutOff::kExecutions;
}

CutOff LineUp::cut_of_undecided() const {
  return limits_.late() ? CutOff::kTimeout : limits_.asked_to_stop() ? CutOff::kInterrupt : CutOff::kChecker;
}

bool LineUp::serial_phase(const ExploreOptions& options, ScenarioResult& outcome, bool leaves_calls_out) {
  const auto begin = Clock::now();
  tree_ = SerialTree(layout_, failures_.all());
  SerialPhase phase(view_, tree_);
  const Exploration found = phase.run(options);
  contradiction_ = phase.contradiction();
  outcome.serial_time = since(begin);
  outcome.serial_histories = tree_.full() + tree_.stuck();
  outcome.returned = phase.ever_returned();
  outcome.spun_forever = phase.spun_forever();
  if (found.verdict == Outcome::kHolds && (!leaves_calls_out || phase.run_with_calls_left_out(options)))
    return true;
  outcome.serial = true;
  if (found.verdict == Outcome::kHolds) {
    outcome.cut = cut_of_undecided();
    outcome.message = "a serial run without calls that may fail did not come to an end";
    return false;
  }
  outcome.cut = cut_of(found, options);
  if (found.verdict == Outcome::kUnknown) outcome.standing = found.message;
  if (found.verdict == Outcome::kViolation) take_over(found, phase, outcome);
  if (found.kind == FindingKind::kLivelock) {
    outcome.verdict = Outcome::kUnknown;
    outcome.refused = true;
    const std::size_t open = view_.first_open();
    outcome.message = fmt::format("{} does not return although nothing else runs: {}",
                                  open < layout_.size() ? view_.label(open) : "the object", found.message);
  }
  return false;
}

// The orders of independent steps are worked out, not run; but code that the engine does not see may make steps depend on each other
// that look independent. When an order turns out not to be one, all are run.
void LineUp::concurrent_phase(ExploreOptions options, ScenarioResult& outcome) {
  bool unseen = explore_concurrently(options, outcome);
  if (!outcome.beyond_states.empty()) {  // then by schedules
    options = with_time_left(options);
    options.order = SearchOrder::kReduced;
    unseen = explore_concurrently(options, outcome);
  }
  if (!unseen || outcome.has_finding() || limits_.asked_to_stop()) return;
  const ScenarioResult reduced = outcome;
  ExploreOptions every = with_time_left(options);
  every.order = SearchOrder::kDepthFirst;
  (void)explore_concurrently(every, outcome);
  outcome.unseen = true;
  outcome.executions += reduced.executions;
  outcome.concurrent_time += reduced.concurrent_time;
}

bool LineUp::explore_concurrently(const ExploreOptions& options, ScenarioResult& outcome,
                                  WalkCensus* census) {
  ConcurrentPhase phase(view_, tree_, !given_ && tree_.full() > 0);
  phase.count_in(census);
  const Exploration found = run_phase(phase, options, outcome);
  if (!found.beyond_states.empty()) outcome.beyond_states = found.beyond_states;
  outcome.fuses_call_with_first_step = engine::strategy_traits(options).fuses_calls;
  return phase.relied_on_unseen();
}

// Under a weak memory model.
void LineUp::explore_graphs(const ExploreOptions& options, std::optional<std::size_t> most_edges,
                            ScenarioResult& outcome, WalkCensus* census) {
  GraphPhase phase(view_, tree_, !given_ && tree_.full() > 0);
  phase.count_in(census);
  if (most_edges) phase.limit_edges(*most_edges);
  (void)run_phase(phase, options, outcome);
  outcome.client = phase.client();
  is_clocked_ = phase.client().empty() || phase.has_history_of_client();
}

template <class Phase>
Exploration LineUp::run_phase(Phase& phase, const ExploreOptions& options, ScenarioResult& outcome) {
  const auto begin = Clock::now();
  if (grows_) phase.grow_tree();
  phase.cover(*coverage_);
  Exploration found = phase.run(options);
  blocked_ = phase.blocked();
  outcome.memory_model = options.memory_model;
  outcome.has_weak_orders |= engine::g_has_weak_orders;
  outcome.held_back |= found.held_back;
  outcome.orders_met |= found.orders_met;
  outcome.concurrent_time = since(begin);
  outcome.executions = found.executions;
  outcome.histories = phase.histories();
  outcome.coverage = coverage_->notes();
  outcome.coverage.destroyed = view_.destroys;
  outcome.exhausted = found.exhausted;
  outcome.unwatched_writes = found.unwatched_writes;
  const bool all = found.verdict == Outcome::kHolds && !phase.undecided();
  outcome.verdict = all ? Outcome::kHolds : Outcome::kUnknown;
  outcome.cut = phase.undecided() ? cut_of_undecided() : cut_of(found, options);
  if (outcome.cut == CutOff::kChecker) outcome.message = *phase.undecided();
  if (found.verdict == Outcome::kUnknown) outcome.standing = found.message;
  if (found.verdict == Outcome::kViolation) take_over(found, phase, outcome);
  return found;
}

void LineUp::solo_phase(ExploreOptions options, ScenarioResult& outcome) {
  options.order = SearchOrder::kRandom;
  options.executions = kSoloExecutions;
  SoloPhase phase(view_);
  const Exploration found = phase.explore(options, engine::ExplorationMode::kSolo);
  outcome.executions += found.executions;
  if (found.verdict == Outcome::kViolation) {
    take_over(found, phase, outcome);
    outcome.solo = true;
  } else if (found.executions < kSoloExecutions && options.replay.empty()) {
    outcome.verdict = Outcome::kUnknown;
    outcome.cut = limits_.asked_to_stop() ? CutOff::kInterrupt : CutOff::kTimeout;
    outcome.standing = found.message;
  }
}

}  // namespace plumb::testing
