// Check(X, m) of the paper (figure 5) for one scenario: phase 1 runs it serially in every order (serial_phase.hpp), phase 2 through
// its interleavings, and each distinct history of phase 2 needs a serial witness from phase 1 (concurrent_phase.hpp). If the test
// has a model there is no phase 1: the checkers judge. Claims of progress are a third phase.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <plumb/test.hpp>

#include "testing/concurrent_phase.hpp"
#include "testing/coverage.hpp"
#include "testing/effort.hpp"
#include "testing/observation_file.hpp"
#include "testing/scenario.hpp"
#include "testing/scenario_observer.hpp"
#include "testing/serial_tree.hpp"

namespace plumb::testing {

// How one scenario is run.
struct Settings {
  ExploreOptions explore = {};  // of phase 2; `timeout` is for all phases, `replay` is the engine's token
  bool solo = false;            // the token is of the search for operations that cannot end by themselves
  bool trace = true;            // of a failure
  std::optional<std::size_t> most_edges =
      std::nullopt;                     // under a weak memory model: of the client that sees a violation
  engine::SpareCores* cores = nullptr;  // that may search a part of it
  // Called by another thread when this scenario can only be ended together with the process; ends it, if it knows how.
  std::function<void(const std::string&)> cannot_end = {};
};

struct ScenarioResult {
  Outcome verdict = Outcome::kUnknown;
  bool refused = false;                              // the test is wrong: see TestResult
  std::optional<CutOff> cut = std::nullopt;          // of an unknown one
  std::optional<ViolationKind> kind = std::nullopt;  // of a violation
  std::string message;
  std::string standing = {};  // of an unknown one: the operation that did not come to an end, and where
  bool serial = false;        // already found in phase 1
  std::uint64_t executions = 0;
  std::uint64_t serial_histories = 0;
  std::uint64_t histories = 0;  // distinct
  bool exhausted = false;
  Seconds serial_time{};
  Seconds concurrent_time{};
  std::vector<TraceStep> trace;
  std::vector<Evidence> evidence;
  std::string token;                                    // the engine's
  MemoryModel memory_model = MemoryModel::kSequential;  // under which it was run
  std::string suggestion = {};                          // of a violation: memory orders that would be enough
  std::vector<OrderChange> suggested_orders = {};
  std::uint64_t orders_met = 0;                 // of ExploreOptions::orders, as bits
  std::vector<engine::ClientEdge> client = {};  // of a violation: the synchronisation with which it is seen
  // Operations of the test, as bits: those that returned in a serial run, and that looped forever.
  std::uint64_t returned = 0;
  std::uint64_t spun_forever = 0;
  bool solo = false;
  bool fuses_call_with_first_step = false;  // how the engine counted its points: a token needs to know
  std::string beyond_states = {};           // why its states could not be searched, and schedules were
  std::uint64_t met_once = 0;               // histories, by walks: see WalkCensus
  CoverageNotes coverage = {};
  bool has_weak_orders = false;  // of atomic accesses: weaker than seq_cst
  bool unseen = false;     // it depends on more than the engine sees: every order was run, none computed
  bool held_back = false;  // a loop that may count its rounds: it went on only when no other thread could
  std::vector<UnwatchedWrite> unwatched_writes = {};

  [[nodiscard]] bool has_finding() const { return verdict == Outcome::kViolation || refused; }
};

class LineUp {
 public:
  LineUp(const TestCase& test, Scenario scenario);
  LineUp(const LineUp&) = delete;
  LineUp& operator=(const LineUp&) = delete;

  // Serial histories of another run replace phase 1.
  [[nodiscard]] std::optional<SerialTree::Contradiction> use(const std::vector<SerialHistory>& observed);
  // Phase 1 alone, with calls left out that may fail, too; false: something was found in it already, or it did not end.
  [[nodiscard]] bool run_serially(const Settings& settings, ScenarioResult& outcome);
  [[nodiscard]] ScenarioResult run(const Settings& settings);
  // Some executions of each walk instead of all phases. Decides nothing unless something is found.
  [[nodiscard]] ScenarioResult walk(const Settings& settings, const std::vector<Walk>& walks);

  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const ObservedHistory& observed() const { return observed_; }  // of the execution that failed
  [[nodiscard]] const SpuriousFailures& failures() const { return failures_; }
  [[nodiscard]] const SerialTree& tree() const { return tree_; }
  [[nodiscard]] bool is_tree_whole() const { return !grows_; }  // else only what histories have asked for
  [[nodiscard]] const std::optional<SerialTree::Contradiction>& contradiction() const {
    return contradiction_;
  }
  // What was observed is a history of what the client of a violation sees; else there is no time that shows that.
  [[nodiscard]] bool is_clocked() const { return is_clocked_; }
  [[nodiscard]] std::optional<std::size_t> blocked() const {
    return blocked_;
  }  // the operation that may not block

 private:
  void begin(const Settings& settings);
  // Whether a client can destroy the object after the operation that ends its life: in each serial run it returns after all others have.
  [[nodiscard]] bool may_destroy() const;
  bool serial_phase(const ExploreOptions& options, ScenarioResult& outcome, bool leaves_calls_out);
  void concurrent_phase(ExploreOptions options, ScenarioResult& outcome);
  // One pass; true: computed orders could not be run, and what was left out cannot be relied on.
  bool explore_concurrently(const ExploreOptions& options, ScenarioResult& outcome,
                            WalkCensus* census = nullptr);
  void explore_graphs(const ExploreOptions& options, std::optional<std::size_t> most_edges,
                      ScenarioResult& outcome, WalkCensus* census = nullptr);
  template <class Phase>
  Exploration run_phase(Phase& phase, const ExploreOptions& options, ScenarioResult& outcome);
  // Claims of progress: random moments from which one operation must end by itself.
  void solo_phase(ExploreOptions options, ScenarioResult& outcome);

  [[nodiscard]] ExploreOptions for_this_test(ExploreOptions options) const;
  [[nodiscard]] ExploreOptions with_time_left(ExploreOptions options) const;
  [[nodiscard]] std::optional<CutOff> cut_of(const Exploration& ended, const ExploreOptions& options) const;
  [[nodiscard]] CutOff cut_of_undecided() const;

  const TestCase& test_;
  Scenario scenario_;
  Layout layout_;
  ObservedHistory observed_;
  SpuriousFailures failures_;
  RunLimits limits_;
  ScenarioView view_;
  std::optional<CoverageCensus> coverage_;  // of all phases of a run
  SerialTree tree_;
  bool given_ = false;  // the tree is of another run
  bool grows_ = false;  // the tree is made as far as histories ask
  bool is_clocked_ = true;
  std::optional<SerialTree::Contradiction> contradiction_;
  std::optional<std::size_t> blocked_;
};

}  // namespace plumb::testing
