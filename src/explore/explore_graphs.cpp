#include "explore/explore_graphs.hpp"

#include <chrono>
#include <span>

#include <fmt/format.h>

#include "base/rng.hpp"
#include "explore/graph/choices.hpp"
#include "explore/graph/graph_execution.hpp"
#include "explore/trace.hpp"

namespace plumb::engine {
namespace {

constexpr std::uint64_t kRandomExecutions = 10'000;
constexpr std::uint64_t kNoLimit = ~std::uint64_t{0};

// A random thread, and half of the time the newest value: loops that wait come to an end.
class RandomChoices final : public graph::Chooser, public GraphExecution::ThreadOrder {
 public:
  explicit RandomChoices(std::uint64_t seed) : random_(seed) {}

  std::size_t pick(std::span<const int> behind) override {
    if (random_.below(2) == 0) return behind.size() - 1;
    return static_cast<std::size_t>(random_.below(behind.size()));
  }
  int pick(ThreadSet able) override {
    for (auto skip = random_.below(static_cast<std::uint64_t>(std::popcount(able))); skip > 0; --skip)
      able &= able - 1;
    return lowest(able);
  }

 private:
  Rng random_;
};

// Those of a token; what goes on after its end takes the newest value each time.
class GivenChoices final : public graph::Chooser, public GraphExecution::ThreadOrder {
 public:
  explicit GivenChoices(const Schedule& choices) : choices_(choices) {}

  void begin() {
    at_ = 0;
    fits_ = true;
  }
  [[nodiscard]] bool fits() const { return fits_ && at_ >= choices_.size(); }
  std::size_t pick(std::span<const int> behind) override {
    const std::size_t newest = behind.size() - 1;
    if (at_ + 1 >= choices_.size()) return newest;
    const int wanted = choices_[at_ + 1];
    at_ += 2;
    for (std::size_t i = 0; i < behind.size(); ++i) {
      if (behind[i] == wanted) return i;
    }
    fits_ = false;
    return newest;
  }
  int pick(ThreadSet able) override {
    if (at_ + 1 >= choices_.size()) return lowest(able);
    if ((able & bit(choices_[at_])) != 0) return choices_[at_];
    fits_ = false;
    return lowest(able);
  }

 private:
  const Schedule& choices_;
  std::size_t at_ = 0;
  bool fits_ = true;
};

class GraphExploration {
 public:
  GraphExploration(ProgramRunner& runner, const ExploreOptions& options, const Watch& watch,
                   Exploration& result)
      : runner_(runner), options_(options), watch_(watch), result_(result), search_(graph::Model::kRc11) {}

  void search_all() {
    const bool random = options_.order == SearchOrder::kRandom;
    RandomChoices choices(options_.seed);
    if (random) {
      search_.set_chooser(&choices);
      order_ = &choices;
    }
    const std::uint64_t limit = options_.executions.value_or(random ? kRandomExecutions : kNoLimit);
    const runtime::Watchdog watchdog(execution(), watch_.terms());
    for (std::uint64_t runs = 1;; ++runs) {
      const Execution::End end = run();
      if (end == Execution::End::kInterrupted) {
        result_.ended_by = watch_.ended_by();
        return tell_interrupted(execution(), nullptr, runtime::Watchdog::standstill(), result_);
      }
      if (end == Execution::End::kFinding) return report();
      if (!has_next(random)) break;
      if (runtime::Watchdog::over()) {
        result_.ended_by = watch_.ended_by();
        return;
      }
      if (result_.executions >= limit) {
        result_.ended_by = SearchEnd::kExecutions;
        return;
      }
      if (is_time_over(runs)) {
        result_.ended_by = SearchEnd::kTimeout;
        return;
      }
    }
    result_.exhausted = true;
    result_.ended_by = SearchEnd::kExhausted;
    result_.verdict = Outcome::kHolds;
  }

  void run_again(const Schedule& given) {
    GivenChoices choices(given);
    search_.set_chooser(&choices);
    order_ = &choices;
    const runtime::Watchdog watchdog(execution(), watch_.terms());
    const Execution::End end = run(&choices);
    if (end == Execution::End::kFinding) return report();
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

  // One execution. What is learnt of the program on the way makes the search begin anew.
  Execution::End run(GivenChoices* given = nullptr) {
    for (;;) {
      if (given != nullptr) given->begin();
      const Execution::End end = execution().run_along(search_, order_);
      if (execution().must_restart()) {
        search_.restart();
        result_.executions = result_.pruned = 0;
        result_.outcomes.clear();
        continue;
      }
      if (end == Execution::End::kInterrupted) return end;
      ++(end == Execution::End::kPruned ? result_.pruned : result_.executions);
      if (end == Execution::End::kDone && runner_.observed()) ++result_.outcomes[*runner_.observed()];
      return end;
    }
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
    if (finding.kind == FindingKind::kRace && !options_.races) {
      result_.kind = FindingKind::kMisuse;
      result_.refused = true;
      result_.message = "races are not explored under this memory model: " + finding.message;
    }
    if (finding.kind == FindingKind::kLivelock) {
      result_.kind = FindingKind::kMisuse;
      result_.refused = true;
      result_.message =
          finding.message +
          ": a loop that counts its rounds, or polls a lock, may see what is old as often as it likes "
          "under this memory model. Such loops are not explored";
    }
    result_.replay = to_graph_token(graph::choices_of(search_.graph()));
    TraceRecorder recorder;
    recorder.watch(finding.address, finding.size);
    execution().record(&recorder);
    {
      const runtime::Watchdog watchdog(execution(), watch_.terms_for_trace());
      execution().run_along(search_, order_);
    }
    execution().record(nullptr);
    const Finding& again = execution().finding();
    if (!again.found || again.kind != finding.kind)
      result_.message +=
          " (the trace is of a second run, which ended otherwise: the test is not deterministic)";
    result_.trace = make_trace(recorder.entries(), runner_.names(), finding);
    result_.evidence = make_evidence(recorder, runner_.names(), finding);
  }

  ProgramRunner& runner_;
  const ExploreOptions& options_;
  const Watch& watch_;
  Exploration& result_;
  graph::Search search_;
  GraphExecution::ThreadOrder* order_ = nullptr;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

}  // namespace

std::optional<std::string> no_graphs_for(const ExploreOptions& options, const Observer* observer) {
  const auto none = [](std::string_view what) {
    return fmt::format("under the memory model rc11 there is no {}", what);
  };
  if (observer != nullptr) return "tests of classes are not run under the memory model rc11 yet: take sc";
  if (options.order == SearchOrder::kDepthFirst) return none("depth-first order: take reduced or random");
  if (options.order == SearchOrder::kStates) return none("search of states: take reduced or random");
  if (options.order == SearchOrder::kPct) return none("PCT: take reduced or random");
  if (options.order == SearchOrder::kPos) return none("POS: take reduced or random");
  if (options.order == SearchOrder::kSurw) return none("SURW: take reduced or random");
  if (options.preemptions && options.preemptions->most()) return none("bound on preemptions");
  if (options.plain_points) return none("option plain_points");
  if (options.reuse_by_others) return none("option reuse_by_others");
  if (options.spurious_cas_failures > 0) return none("option spurious_cas_failures");
  if (options.spurious_wakeups > 0) return none("option spurious_wakeups");
  if (options.count_traces) return none("option count_traces: every execution is another one");
  return std::nullopt;
}

void explore_graphs(ProgramRunner& runner, const ExploreOptions& options, const Watch& watch,
                    const std::optional<Schedule>& replayed, Exploration& result) {
  GraphExploration exploration(runner, options, watch, result);
  if (replayed) {
    exploration.run_again(*replayed);
  } else {
    exploration.search_all();
  }
}

}  // namespace plumb::engine
