#include "explore/explore_graphs.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "base/jobs.hpp"
#include "explore/graph/choices.hpp"
#include "explore/graph/graph_execution.hpp"
#include "explore/graph_choosers.hpp"
#include "explore/graph_workers.hpp"
#include "explore/memory_models.hpp"
#include "explore/order_trials.hpp"
#include "explore/strategies.hpp"
#include "explore/trace.hpp"

namespace plumb::engine {
namespace {

constexpr std::uint64_t kRandomExecutions = 10'000;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

bool g_sequential = false;

class GraphExploration {
 public:
  GraphExploration(ProgramRunner& runner, const ExploreOptions& options, Observer* observer,
                   const Watch& watch, Exploration& result)
      : runner_(runner),
        options_(options),
        observer_(observer),
        watch_(watch),
        result_(result),
        search_(g_sequential ? MemoryModel::kSequential : options.memory_model) {
    execution().change_orders(options.orders);
  }
  GraphExploration(const GraphExploration&) = delete;
  GraphExploration& operator=(const GraphExploration&) = delete;
  ~GraphExploration() { result_.orders_met |= execution().orders_met(); }

  void search_all() {
    const bool random = strategy_traits(options_).random;
    RandomChoices choices(options_.seed);
    search_.set_bound(options_.older_values);
    if (random) {
      search_.set_chooser(&choices);
      order_ = &choices;
    }
    const std::uint64_t limit = options_.executions.value_or(random ? kRandomExecutions : kNoLimit);
    const unsigned jobs = random || options_.older_values ? 1 : workers_for(options_.jobs);
    End end = search(random, limit, jobs > 1 ? jobs * kPartsAJob : 0);
    if (end == End::kSplit) end = search_with(jobs, limit);
    if (end == End::kFound) {
      report();
      if (!result_.refused && options_.suggest_orders) suggest();
    }
    if (end != End::kAll) return;
    if (search_.left_some_out()) {
      result_.ended_by = SearchEnd::kOlderValues;
      return;
    }
    result_.exhausted = true;
    result_.ended_by = SearchEnd::kExhausted;
    result_.verdict = Outcome::kHolds;
  }

  void run_again(const Schedule& given) {
    GivenChoices choices(given);
    search_.set_chooser(&choices);
    order_ = &choices;
    const Execution::End end = run_watched(choices);
    if (end == Execution::End::kFinding) {
      report();
      if (observer_ != nullptr && !result_.refused && options_.suggest_orders) suggest();
      return;
    }
    result_.ended_by = end == Execution::End::kInterrupted ? watch_.ended_by() : SearchEnd::kReplayed;
    if (end == Execution::End::kInterrupted || choices.fits()) return;
    result_.verdict = Outcome::kViolation;
    result_.kind = FindingKind::kNondeterministic;
    result_.message =
        "the choices do not fit. Other options than those they were found with, or a test that is not "
        "deterministic";
    result_.ended_by = SearchEnd::kFinding;
  }

 private:
  enum class End : std::uint8_t {
    kAll,    // graphs were run
    kFound,  // something
    kCut,    // a limit came first
    kSplit,  // there are parts enough for several processes
  };
  static constexpr std::size_t kPartsAJob = 32;

  GraphExecution& execution() { return runner_.graph_execution(); }

  End search(bool random, std::uint64_t limit, std::size_t parts) {
    const runtime::Watchdog watchdog(execution(), watch_.terms());
    for (std::uint64_t runs = 1;; ++runs) {
      const Execution::End end = run();
      if (end == Execution::End::kInterrupted) {
        result_.ended_by = watch_.ended_by();
        tell_interrupted(execution(), observer_, runtime::Watchdog::standstill(), result_);
        return End::kCut;
      }
      if (end == Execution::End::kFinding) return End::kFound;
      if (parts != 0 && search_.open_items() >= parts) return End::kSplit;
      if (!has_next(random)) return End::kAll;
      result_.ended_by = limit_met(runs, limit);
      if (result_.ended_by) return End::kCut;
    }
  }

  std::optional<SearchEnd> limit_met(std::uint64_t runs, std::uint64_t limit) const {
    if (runtime::Watchdog::over() || (observer_ != nullptr && observer_->enough())) return watch_.ended_by();
    if (result_.executions >= limit) return SearchEnd::kExecutions;
    if (is_time_over(runs)) return SearchEnd::kTimeout;
    return std::nullopt;
  }

  // What is left of the search, by several processes. What one of them finds is run again here.
  End search_with(unsigned jobs, std::uint64_t limit) {
    const graph::Search whole = std::exchange(search_, graph::Search(options_.memory_model));
    const GraphWork work{
        .parts = whole.open_items(),
        .jobs = jobs,
        .watchdog = options_.watchdog,
        .search =
            [&](std::size_t part, const GraphWork::IsWanted& is_wanted) {
              return search_part(whole.part(part), is_wanted);
            },
        .executions = limit == kNoLimit ? kNoLimit : limit - std::min(limit, result_.executions)};
    const GraphWorkDone done = search_parts(execution(), watch_, work);
    const PartOfGraphs& last = done.parts.back();
    if (last.end == PartOfGraphs::End::kRestart) {
      forget();
      return search(false, limit, 0);
    }
    for (const PartOfGraphs& part : done.parts) {
      result_.executions += part.counts.executions;
      result_.pruned += part.counts.pruned;
      result_.steps += part.counts.steps;
      result_.held_back |= part.counts.held_back;
      for (const auto& [outcome, executions] : part.outcomes) result_.outcomes[outcome] += executions;
    }
    if (last.end == PartOfGraphs::End::kComplete) return End::kAll;
    if (last.end == PartOfGraphs::End::kFinding) return come_to(last.choices);
    result_.ended_by = done.ended_by;
    result_.message = last.message;
    if (last.end == PartOfGraphs::End::kDied) {
      result_.verdict = Outcome::kViolation;
      result_.kind = FindingKind::kCrash;
    }
    return End::kCut;
  }

  // In a worker.
  PartOfGraphs search_part(graph::Search search, const GraphWork::IsWanted& is_wanted) {
    PartOfGraphs part{.end = PartOfGraphs::End::kCutOff};
    const std::uint64_t steps = runner_.steps();
    bool more = search.next();
    while (more) {
      const Execution::End end = execution().run_along(search);
      part.counts.steps = runner_.steps() - steps;
      part.counts.held_back = execution().held_back();
      if (execution().must_restart()) {
        part.end = PartOfGraphs::End::kRestart;
        return part;
      }
      if (end == Execution::End::kInterrupted) return part;
      ++(end == Execution::End::kPruned ? part.counts.pruned : part.counts.executions);
      if (end == Execution::End::kDone && runner_.observed()) ++part.outcomes[*runner_.observed()];
      if (end == Execution::End::kFinding) {
        part.end = PartOfGraphs::End::kFinding;
        part.choices = graph::choices_of(search.graph());
        return part;
      }
      more = search.next();
      if (more && !is_wanted(end == Execution::End::kPruned ? 0 : 1)) return part;
    }
    part.end = PartOfGraphs::End::kComplete;
    return part;
  }

  // Once more here: what is found counts already.
  End come_to(const Schedule& given) {
    const auto executions = result_.executions;
    const auto steps = result_.steps;
    const auto outcomes = result_.outcomes;
    given_.emplace(given);
    search_.set_chooser(&*given_);
    order_ = &*given_;
    const Execution::End end = run_watched(*given_);
    result_.executions = executions;
    result_.steps = steps;
    result_.outcomes = outcomes;
    if (end == Execution::End::kFinding) return End::kFound;
    result_.verdict = Outcome::kViolation;
    result_.kind = FindingKind::kNondeterministic;
    result_.message = "another process found something that the same choices do not lead to here";
    result_.ended_by = SearchEnd::kFinding;
    return End::kCut;
  }

  Execution::End run_watched(GivenChoices& given) {
    const runtime::Watchdog watchdog(execution(), watch_.terms());
    return run(&given);
  }

  void forget() {
    result_.executions = result_.pruned = 0;
    result_.outcomes.clear();
  }

  // One execution. What is learnt of the program on the way makes the search begin anew.
  Execution::End run(GivenChoices* given = nullptr) {
    for (;;) {
      if (given != nullptr) given->begin();
      Execution::End end = execution().run_along(search_, order_);
      if (execution().must_restart()) {
        search_.restart();
        forget();
        continue;
      }
      result_.steps = runner_.steps();
      if (observer_ != nullptr) end = judge(end);
      if (end == Execution::End::kInterrupted) return end;
      ++(end == Execution::End::kPruned ? result_.pruned : result_.executions);
      if (end == Execution::End::kDone && runner_.observed()) ++result_.outcomes[*runner_.observed()];
      return end;
    }
  }

  // What the observer finds in the execution that has ended. The graph stays as it is, whatever is run beside it.
  Execution::End judge(Execution::End end) {
    if (end != Execution::End::kDone && end != Execution::End::kDeadlock) return end;
    runner_.begin_judging();
    auto sentence = observer_->judge({runner_, end == Execution::End::kDeadlock});
    if (runner_.was_interrupted()) return Execution::End::kInterrupted;
    if (!sentence) return end;
    execution().report_observer_finding(std::move(*sentence));
    return Execution::End::kFinding;
  }

  bool has_next(bool random) {
    if (!random) return search_.next();
    search_.restart();
    return true;
  }

  bool is_time_over(std::uint64_t runs) const {
    constexpr std::uint64_t kLookAtClock = 256;
    return options_.timeout && runs % kLookAtClock == 0 &&
           std::chrono::steady_clock::now() - begin_ > *options_.timeout;
  }

  // The failing execution is run once more, along its graph, now recorded in full.
  void report() {
    const Finding finding = execution().finding();
    result_.verdict = Outcome::kViolation;
    result_.kind = finding.kind;
    result_.refused = finding.refused;
    result_.message = finding.message;
    result_.ended_by = SearchEnd::kFinding;
    if (finding.kind == FindingKind::kLivelock) {
      result_.kind = FindingKind::kMisuse;
      result_.refused = true;
      result_.message =
          finding.message +
          ": a loop that counts its rounds, or polls a lock, may see what is old as often as it likes "
          "under this memory model. Such loops are not explored";
    }
    result_.replay = to_token(options_.memory_model, graph::choices_of(search_.graph()));
    if (observer_ != nullptr && !observer_->wants_trace()) return;
    TraceRecorder recorder;
    recorder.watch(finding.address, finding.size);
    execution().record(&recorder);
    {
      const runtime::Watchdog watchdog(execution(), watch_.terms_for_trace());
      execution().run_along(search_, order_);
    }
    execution().record(nullptr);
    const Finding& again = execution().finding();
    if (finding.judged ? again.found : !again.found || again.kind != finding.kind)
      result_.message +=
          " (the trace is of a second run, which ended otherwise: the test is not deterministic)";
    result_.trace = make_trace(recorder.entries(), runner_.names(), finding);
    result_.evidence = make_evidence(recorder, runner_.names(), finding);
  }

  void suggest() {
    const runtime::Watchdog watchdog(execution(), watch_.terms_for_trace());
    {
      OrderTrials::Judge judge;
      if (observer_ != nullptr) judge = [this](Execution::End end) { return this->judge(end); };
      OrderTrials trials(execution(), options_.memory_model, std::move(judge));
      const graph::Graph failing = search_.graph();
      SuggestedOrders suggested =
          suggest_orders(failing, [&](const auto& orders) { return trials.run(orders); });
      result_.suggestion = std::move(suggested.sentence);
      result_.suggested_orders = std::move(suggested.orders);
    }
    // What the observer has seen last is to be the execution that is reported, not a trial.
    if (observer_ != nullptr) execution().run_along(search_, order_);
  }

  ProgramRunner& runner_;
  const ExploreOptions& options_;
  Observer* observer_;
  const Watch& watch_;
  Exploration& result_;
  graph::Search search_;
  GraphExecution::ThreadOrder* order_ = nullptr;
  std::optional<GivenChoices> given_;  // of what another process found
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

void search_sequential_graphs(bool sequential) { g_sequential = sequential; }

namespace {

// "reduced or random"
std::string those_for_graphs() {
  std::vector<std::string_view> names;
  for (const StrategyRow& row : strategies()) {
    if (row.traits({}).takes_graphs) names.push_back(row.name);
  }
  return fmt::format("{}", fmt::join(names, " or "));
}

}  // namespace

std::optional<std::string> no_graphs_for(const ExploreOptions& options) {
  const std::string_view model = word_of(options.memory_model);
  const auto none = [&](std::string_view what) {
    return fmt::format("under the memory model {} there is no {}", model, what);
  };
  if (!strategy_traits(options).takes_graphs)
    return none(fmt::format("strategy {}: take {}", strategy_name(options.order), those_for_graphs()));
  if (options.preemptions && options.preemptions->most())
    return none("bound on preemptions: take one on older values, or none");
  if (strategy_traits(options).random && options.older_values)
    return none("bound on older values in random order");
  if (options.orders.size() > ChangedOrders::kMost)
    return fmt::format("{} memory orders are to be changed; at most {} can be", options.orders.size(),
                       ChangedOrders::kMost);
  if (options.plain_points) return none("option plain_points");
  if (options.reuse_by_others) return none("option reuse_by_others");
  if (options.count_traces) return none("option count_traces: every execution is another one");
  return std::nullopt;
}

void explore_graphs(ProgramRunner& runner, const ExploreOptions& options, Observer* observer,
                    const Watch& watch, const std::optional<Schedule>& replayed, Exploration& result) {
  GraphExploration exploration(runner, options, observer, watch, result);
  if (replayed) {
    exploration.run_again(*replayed);
  } else {
    exploration.search_all();
  }
}

}  // namespace plumb::engine
