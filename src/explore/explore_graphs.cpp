#include "explore/explore_graphs.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include <fmt/format.h>

#include "explore/graph/choices.hpp"
#include "explore/graph/graph_execution.hpp"
#include "explore/graph_choosers.hpp"
#include "explore/memory_models.hpp"
#include "explore/order_trials.hpp"
#include "explore/search_parts.hpp"
#include "explore/strategies.hpp"
#include "explore/trace.hpp"

namespace plumb::engine {
namespace {

constexpr std::uint64_t kRandomExecutions = 10'000;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

bool g_sequential = false;

class GraphExploration final : private SplitSearch {
 public:
  GraphExploration(ProgramRunner& runner, const ExploreOptions& options, Observer* observer,
                   const Watch& watch, Exploration& result)
      : runner_(runner),
        options_(options),
        observer_(observer),
        watch_(watch),
        result_(result),
        parts_(*this, runner, options, observer, watch, result),
        random_(strategy_traits(options).random),
        limit_(options.executions.value_or(random_ ? kRandomExecutions : kNoLimit)),
        search_(g_sequential ? MemoryModel::kSequential : options.memory_model) {
    execution().change_orders(options.orders);
  }
  GraphExploration(const GraphExploration&) = delete;
  GraphExploration& operator=(const GraphExploration&) = delete;
  ~GraphExploration() override {
    result_.orders_met |= execution().orders_met();
    result_.steps += runner_.steps();
  }

  void search_all() {
    RandomChoices choices(options_.seed);
    search_.set_bound(options_.older_values);
    if (random_) {
      search_.set_chooser(&choices);
      order_ = &choices;
    }
    const SearchedTo to = search();
    if (to == SearchedTo::kFinding) {
      report();
      if (!result_.refused && options_.suggest_orders) suggest();
    }
    if (to != SearchedTo::kEnd) return;
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
  GraphExecution& execution() { return runner_.graph_execution(); }

  SearchedTo search() {
    const runtime::Watchdog watchdog(execution(), watch_.terms());
    for (;;) {
      const SearchedTo to = parts_.collect(search_here());
      if (to != SearchedTo::kRestart) return to;
      restart();
    }
  }

  SearchedTo search_here() {
    for (std::uint64_t runs = 1;; ++runs) {
      const Execution::End end = run();
      if (is_part_ && execution().must_restart()) return SearchedTo::kRestart;
      if (end == Execution::End::kInterrupted) {
        result_.ended_by = watch_.ended_by();
        tell_interrupted(execution(), observer_, runtime::Watchdog::standstill(), result_);
        return SearchedTo::kLimit;
      }
      if (end == Execution::End::kFinding) return SearchedTo::kFinding;
      if (parts_.wanted() && search_.open_items() > 1 && parts_.hand_over()) search_.leave_last_part();
      if (!has_next()) return SearchedTo::kEnd;
      result_.ended_by = limit_met(runs);
      if (result_.ended_by) return SearchedTo::kLimit;
    }
  }

  std::optional<SearchEnd> limit_met(std::uint64_t runs) {
    if (runtime::Watchdog::over() || (observer_ != nullptr && observer_->enough())) return watch_.ended_by();
    if (parts_.all_executions() >= limit_) return SearchEnd::kExecutions;
    if (is_time_over(runs)) return SearchEnd::kTimeout;
    return std::nullopt;
  }

  SearchedTo search_last_part() override {
    search_.keep_last_part();
    is_part_ = true;
    return search_.next() ? parts_.collect(search_here()) : SearchedTo::kEnd;
  }

  void complete(SearchedPart& part) override {
    part.figures.orders_met |= execution().orders_met();
    if (part.to != SearchedTo::kFinding) return;
    part.choices = graph::choices_of(search_.graph());
    part.figures.replay = to_token(options_.memory_model, part.choices);
  }

  // What is found counts already.
  bool find_again(const Schedule& given) override {
    const auto executions = result_.executions;
    const auto outcomes = result_.outcomes;
    given_.emplace(given);
    search_.restart();
    search_.set_chooser(&*given_);
    order_ = &*given_;
    const Execution::End end = run(&*given_);
    result_.executions = executions;
    result_.outcomes = outcomes;
    return end == Execution::End::kFinding;
  }

  Execution::End run_watched(GivenChoices& given) {
    const runtime::Watchdog watchdog(execution(), watch_.terms());
    return run(&given);
  }

  void restart() {
    search_.restart();
    parts_.drop();
    result_.executions = result_.pruned = 0;
    result_.outcomes.clear();
  }

  // One execution. What is learnt of the program on the way makes the search begin anew.
  Execution::End run(GivenChoices* given = nullptr) {
    for (;;) {
      if (given != nullptr) given->begin();
      Execution::End end = execution().run_along(search_, order_);
      if (execution().must_restart() && !is_part_) {
        restart();
        continue;
      }
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

  bool has_next() {
    if (!random_) return search_.next();
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
  SearchParts parts_;
  bool is_part_ = false;  // this process has a part of the search
  bool random_;
  std::uint64_t limit_;
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
