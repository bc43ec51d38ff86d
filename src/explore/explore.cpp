// plumb::explore: which search is made, what comes before it, and the report of what it finds.
#include "plumb/explore.hpp"

#include "explore/execution.hpp"
#include "explore/explore_graphs.hpp"
#include "explore/from_options.hpp"
#include "explore/observer.hpp"
#include "explore/program_runner.hpp"
#include "explore/schedule_search.hpp"
#include "explore/standstill.hpp"
#include "explore/states/explore_states.hpp"
#include "explore/strategies.hpp"
#include "explore/trace.hpp"
#include "explore/unwatched.hpp"
#include "runtime/real.hpp"
#include "runtime/signals.hpp"

namespace plumb {

using engine::Execution;
using engine::Strategy;

namespace {

void set_finding(const engine::Finding& finding, const engine::Schedule& schedule, Exploration& result) {
  result.verdict = Outcome::kViolation;
  result.kind = finding.kind;
  result.refused = finding.refused;
  result.message = finding.message;
  result.ended_by = SearchEnd::kFinding;
  result.replay = engine::to_token(MemoryModel::kSequential, schedule);
}

// The failing execution is run once more, now recorded in full.
void report(ProgramRunner& runner, const engine::Watch& watch, bool with_trace, engine::AtTheEnd at_the_end,
            Exploration& result) {
  const engine::Finding finding = runner.execution().finding();
  const engine::Schedule schedule = runner.execution().schedule();
  set_finding(finding, schedule, result);
  if (!with_trace) return;
  engine::TraceRecorder recorder;
  recorder.watch(finding.address, finding.size);
  runner.execution().record(&recorder);
  {
    const runtime::Watchdog watchdog(runner.execution(), watch.terms_for_trace());
    runner.execution().run(*engine::replay(schedule, at_the_end));
  }
  runner.execution().record(nullptr);
  const engine::Finding& again = runner.execution().finding();
  const bool same = finding.judged
                        ? !again.found
                        : again.found && again.kind == finding.kind && again.refused == finding.refused;
  if (!same && result.kind != FindingKind::kNondeterministic)
    result.message += " (the trace is of a second run, which ended otherwise: the test is not deterministic)";
  result.trace = engine::make_trace(recorder.entries(), runner.names(), finding);
  result.evidence = engine::make_evidence(recorder, runner.names(), finding);
}

// The same over states instead of executions. What it finds is a path, which is run as an execution: only what that shows counts.
bool search_by_states(ProgramRunner& runner, const ExploreOptions& options, engine::Observer* observer,
                      const engine::Watch& watch, Exploration& result) {
  const auto limits = engine::limits_of(options, observer, engine::ExplorationMode::kConcurrent);
  auto path = engine::search_states(runner, options, limits, observer, watch, result);
  if (!path) return false;
  Execution& execution = runner.execution();
  const runtime::Watchdog watchdog(execution, watch.terms());
  Execution::End end = execution.run(*engine::follow_path(std::move(*path)));
  if (observer != nullptr && (end == Execution::End::kDone || end == Execution::End::kDeadlock))
    end = engine::judge(runner, *observer, end);
  if (end == Execution::End::kInterrupted) {
    engine::tell_cut_off(runner, observer, watch, result);
    return false;
  }
  if (end == Execution::End::kFinding && execution.finding().kind != FindingKind::kNondeterministic)
    return true;
  result.beyond_states =
      "what the search of states found is not there when it is run: something else than memory counts";
  return false;
}

Exploration refused(FindingKind kind, std::string message) {
  Exploration result;
  result.verdict = Outcome::kViolation;
  result.kind = kind;
  result.refused = true;
  result.message = std::move(message);
  return result;
}

// What the execution that warms up ended with. Memory that libraries keep from then on is no leak.
struct WarmUp {
  bool interrupted = false;
  engine::Finding finding = {};
  engine::Schedule schedule = {};
};

WarmUp warm_up(ProgramRunner& runner, const engine::Observer* observer, const engine::Watch& watch,
               Exploration& result) {
  Execution& execution = runner.execution();
  const runtime::Watchdog watchdog(execution, watch.terms());
  const Execution::End end = runner.run_beside(*engine::replay({}), observer, result.unwatched_writes);
  const bool found = end == Execution::End::kFinding && execution.finding().kind != FindingKind::kLeak;
  if (!found) return {.interrupted = end == Execution::End::kInterrupted};
  return {.finding = execution.finding(), .schedule = execution.schedule()};
}

// It found something that the same choices do not lead to again.
void report_first(const WarmUp& first, Exploration& result) {
  set_finding(first.finding, first.schedule, result);
  result.exhausted = false;
  result.message +=
      " (in the first execution only, which warms libraries up: the test is not deterministic, or what it "
      "keeps outside the program's own variables lasts)";
}

// Warms up, then searches. True: something was found, and can be run again.
bool find(ProgramRunner& runner, Strategy& strategy, const ExploreOptions& options,
          engine::Observer* observer, const engine::Watch& watch, Exploration& result) {
  Execution& execution = runner.execution();
  // Libraries initialise themselves when first used: one execution that does not count comes first.
  const WarmUp first = warm_up(runner, observer, watch, result);
  if (first.interrupted) {
    engine::tell_cut_off(runner, observer, watch, result);
    return false;
  }
  const bool by_states = engine::strategy_traits(options).searches_states && options.replay.empty();
  bool found = by_states ? search_by_states(runner, options, observer, watch, result)
                         : engine::ScheduleSearch(runner, strategy, options, observer, watch, result).run();
  if (!by_states) result.steps += runner.steps();
  if (!result.beyond_states.empty()) return false;
  const bool same = found && execution.schedule() == first.schedule;
  if (first.finding.found && !same && result.verdict != Outcome::kViolation) {
    if (!found && runtime::Watchdog::over() && observer != nullptr && !observer->wants_trace()) {
      result.evidence
          .clear();  // of the thread that was interrupted; there is no time to come to the finding once more, nor need
      set_finding(first.finding, first.schedule, result);
      return false;
    }
    const runtime::Watchdog watchdog(execution, watch.terms_for_trace());
    found = execution.run(*engine::replay({})) == Execution::End::kFinding;
    if (!found) report_first(first, result);
  }
  return found;
}

// The same by execution graphs. What the sequentially consistent execution that warms up ends with, they find, too.
void find_by_graphs(ProgramRunner& runner, const ExploreOptions& options, engine::Observer* observer,
                    const engine::Watch& watch, const std::optional<engine::Schedule>& replayed,
                    Exploration& result) {
  const WarmUp first = warm_up(runner, observer, watch, result);
  if (first.interrupted) return engine::tell_cut_off(runner, observer, watch, result);
  engine::explore_graphs(runner, options, observer, watch, replayed, result);
  // It was run with the orders as the program says them: a race may be gone with others.
  const bool counts = options.orders.empty() || first.finding.kind != FindingKind::kRace;
  if (first.finding.found && counts && !replayed && result.verdict == Outcome::kHolds)
    report_first(first, result);
}

Exploration explore_with(const std::function<void(Program&)>& program, const ExploreOptions& options,
                         engine::Observer* observer, engine::ExplorationMode mode) {
  Exploration result;
  const auto at_the_end =
      mode == engine::ExplorationMode::kSolo ? engine::AtTheEnd::kSolo : engine::AtTheEnd::kGoOn;
  std::unique_ptr<Strategy> strategy;
  const bool by_graphs = options.memory_model != MemoryModel::kSequential;
  std::optional<engine::Schedule> replayed;
  if (by_graphs) {
    if (const auto why = engine::no_graphs_for(options)) return refused(FindingKind::kBadOptions, *why);
    if (!options.replay.empty()) {
      auto choices = engine::from_token(options.memory_model, options.replay);
      if (!choices) return refused(FindingKind::kBadReplay, choices.error().message);
      replayed = *choices;
    }
  } else if (options.older_values) {
    return refused(
        FindingKind::kBadOptions,
        "under sequential consistency there is no bound on older values: every load returns the newest");
  } else if (options.replay.empty()) {
    strategy = mode == engine::ExplorationMode::kSolo ? engine::solo_execution(options.seed)
                                                      : engine::make_strategy(options);
  } else {
    auto schedule = engine::from_token(options.memory_model, options.replay);
    if (!schedule) return refused(FindingKind::kBadReplay, schedule.error().message);
    strategy = engine::replay(*schedule, at_the_end);
  }
  const bool fibers = runtime::fibers_supported() && !options.real_threads;
  if (!runtime::Arena::instance().prepare() ||
      !runtime::Fibers::instance().prepare(runtime::kMaxThreads,
                                           fibers ? runtime::Backend::kFibers : runtime::Backend::kThreads)) {
    return refused(FindingKind::kMisuse, "the system gave no threads, or the engine's addresses are taken");
  }
  const runtime::CatchSignals signals(options.watchdog);
  const runtime::CatchTerminate terminate;
  ProgramRunner runner(program, engine::limits_of(options, observer, mode),
                       engine::has_surveys(options, mode), options.memory_model);
  runner.execution().keep_steps(options.count_traces ||
                                (observer != nullptr && mode == engine::ExplorationMode::kConcurrent));
  const engine::Watch watch(runner.execution(), options, observer);
  if (watch.asked()) {
    result.ended_by = watch.ended_by();
    return result;
  }
  if (by_graphs) {
    find_by_graphs(runner, options, observer, watch, replayed, result);
  } else if (find(runner, *strategy, options, observer, watch, result)) {
    report(runner, watch, observer == nullptr || observer->wants_trace(), at_the_end, result);
  }
  result.held_back |= runner.execution().held_back();
  runner.execution().restore_data();
  const bool cut_off = result.ended_by == watch.ended_by();  // perhaps before it came to a step at all
  if (result.verdict != Outcome::kViolation && !cut_off && !Execution::instrumented()) {
    return refused(FindingKind::kNotInstrumented,
                   "no scheduling points were seen in the program: compile it with plumb_instrument()");
  }
  return result;
}

}  // namespace

Exploration explore(const std::function<void(Program&)>& program, const ExploreOptions& options) {
  Exploration result = explore_with(program, options, nullptr, engine::ExplorationMode::kConcurrent);
  if (!result.beyond_states.empty()) {
    ExploreOptions schedules = options;
    schedules.order = SearchOrder::kReduced;
    const std::string why = std::move(result.beyond_states);
    result = explore_with(program, schedules, nullptr, engine::ExplorationMode::kConcurrent);
    result.beyond_states = why;
  }
  result.unwatched = engine::unwatched_libraries();
  return result;
}

namespace engine {

Exploration explore(const std::function<void(Program&)>& program, const ExploreOptions& options,
                    Observer& observer, ExplorationMode mode) {
  return explore_with(program, options, &observer, mode);
}

void call_operation(std::uint32_t operation) { ProgramRunner::current().host().call_operation(operation); }
void return_from_operation(std::uint32_t operation, std::uint64_t result) {
  ProgramRunner::current().host().return_from_operation(operation, result);
}
bool records_history() { return ProgramRunner::current().host().records_history(); }

}  // namespace engine
}  // namespace plumb
