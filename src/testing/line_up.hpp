// Check(X, m) of the paper (figure 5) for one scenario: phase 1 runs it serially in every order, phase 2 through its
// interleavings, and each distinct history of phase 2 needs a serial witness of phase 1. With a model in the test there is
// no phase 1: the checkers judge.
#pragma once

#include <atomic>
#include <bit>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <unordered_set>

#include "explore/observer.hpp"
#include "plumb/check.hpp"
#include "plumb/test.hpp"
#include "testing/observation_file.hpp"
#include "testing/observed_history.hpp"
#include "testing/reorderings.hpp"
#include "testing/scenario.hpp"
#include "testing/serial_tree.hpp"

namespace plumb::testing {

struct Settings {
  SearchOrder order = SearchOrder::kReduced;
  int preemptions = 2;
  std::uint64_t executions = 0;
  std::uint64_t seed = 1;
  double seconds = 0;  // for both phases; 0: no limit
  bool real_threads = false;
  std::string replay;  // the engine's token: only this execution
  bool solo = false;   // the token is of the search for operations that cannot end by themselves
  bool trace = true;   // of a failure
  const std::atomic<bool>* stop = nullptr;
  double note_after = 0;  // as in ExploreOptions
  std::function<void(const std::string&)> note = {};
  // Told by another thread that this scenario can only be ended with the process; ends it, if it knows how.
  std::function<void(const std::string&)> cannot_end = {};
};

// What kept a scenario from being decided.
enum class Cut : std::uint8_t {
  kNothing,
  kTime,        // Settings::seconds
  kExecutions,  // Settings::executions
  kRandom,      // a random order never runs everything
  kStopped,     // the end was asked for
  kChecker,     // a history could not be judged; the message says why
};

struct Outcome {
  TestResult::Verdict verdict = TestResult::Verdict::kUnknown;
  Cut cut = Cut::kNothing;  // of an unknown one
  std::string kind;
  std::string message;
  std::string standing = {};  // of an unknown one: the operation that did not come to an end, and where
  bool serial = false;        // found in phase 1 already
  std::uint64_t executions = 0;
  std::uint64_t serial_histories = 0;
  std::uint64_t histories = 0;  // distinct
  bool exhausted = false;
  double serial_seconds = 0;
  double concurrent_seconds = 0;
  std::vector<TraceStep> trace;
  std::vector<Evidence> evidence;
  std::string token;  // the engine's
  // Operations of the test, as bits: those that returned in a serial run, and that looped forever.
  std::uint64_t returned = 0;
  std::uint64_t spun_forever = 0;
  bool solo = false;
  bool fuses_call_with_first_step = false;  // how the engine counted its points: a token needs to know
  bool unseen = false;  // it depends on more than the engine sees: every order was run, none worked out
  std::vector<UnwatchedWrite> unwatched_writes = {};
};

// How the checkers judge histories of this test.
[[nodiscard]] CheckOptions check_options(const TestCase& test);

class LineUp final : public engine::Observer {
 public:
  LineUp(const TestCase& test, Scenario scenario);

  // Serial histories of another run take the place of phase 1.
  [[nodiscard]] std::optional<SerialTree::Contradiction> use(const std::vector<SerialHistory>& observed);
  // Phase 1 alone; false: something was found in it already.
  [[nodiscard]] bool run_serially(const Settings& settings, Outcome& outcome) {
    begin(settings);
    return serial_phase(settings, outcome);
  }

  [[nodiscard]] Outcome run(const Settings& settings);

  [[nodiscard]] const Scenario& scenario() const { return scenario_; }
  [[nodiscard]] const Layout& layout() const { return layout_; }
  [[nodiscard]] const ObservedHistory& observed() const { return observed_; }  // of the execution that failed
  [[nodiscard]] const SerialTree& tree() const { return tree_; }
  [[nodiscard]] const std::optional<SerialTree::Contradiction>& contradiction() const {
    return contradiction_;
  }
  [[nodiscard]] std::optional<std::size_t> blocked() const {
    return blocked_;
  }  // the operation that may not block

  std::optional<std::string> judge(bool deadlock) override;
  std::span<const engine::OperationEvent> other_order() const override { return other_order_; }
  std::optional<std::string> judge_other_order(bool) override { return judge_as_run(); }
  void cannot_run_other_order() override { unseen_ = as_run_ = true; }
  bool wants_trace() const override { return trace_; }
  std::string who(int thread, std::optional<std::uint32_t> operation) const override;
  std::string operation_name(std::uint32_t operation) const override;
  void cannot_be_ended(const std::string& sentence) override;
  bool enough() override { return asked_to_stop() || (unseen_ && reduced_); }

 private:
  using Clock = std::chrono::steady_clock;

  void begin(const Settings& settings);
  void program(Program& p);
  void call_all(test::Object& object, std::size_t process);
  ExploreOptions engine_options(const Settings& settings) const;
  bool serial_phase(const Settings& settings, Outcome& outcome);
  // Claims of progress: random moments from which one operation must end by itself.
  void progress_phase(const Settings& settings, Outcome& outcome);
  void concurrent_phase(const Settings& settings, Outcome& outcome);
  void explore_concurrently(const Settings& settings, Outcome& outcome);
  [[nodiscard]] Settings with_time_left(const Settings& settings) const;
  [[nodiscard]] Cut cut_of(const Exploration& ended, const Settings& settings) const;
  [[nodiscard]] bool asked_to_stop() const {
    return stop_ != nullptr && stop_->load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool late() const { return deadline_ && Clock::now() >= *deadline_; }
  void take_over(const Exploration& found, Outcome& outcome) const;
  std::optional<std::string> judge_serial(bool stuck);
  [[nodiscard]] std::string judge_outside();
  void note_ends(bool stuck);
  std::optional<Refuted> refuted_by(std::span<const engine::HappensBefore> happens_before);
  std::optional<std::string> judge_as_run();
  std::optional<std::string> judge_relaxed(std::span<const engine::HappensBefore> happens_before);
  std::optional<std::string> judge_by_model();
  [[nodiscard]] std::string needed_distance(const History& history, CheckOptions options) const;
  [[nodiscard]] std::size_t first_open() const {
    return static_cast<std::size_t>(std::countr_zero(observed_.called() & ~observed_.returned()));
  }
  [[nodiscard]] std::string label(std::size_t operation) const {
    return test_.label(layout_.invocation(operation));
  }

  const TestCase& test_;
  Scenario scenario_;
  Layout layout_;
  ObservedHistory observed_;
  SerialTree tree_;
  bool given_ = false;  // the tree is of another run
  engine::ExplorationMode phase_ = engine::ExplorationMode::kSerial;
  bool as_run_ = false;  // only the histories that were run count, not what the same steps allow
  std::unordered_set<std::string> met_;     // keys of what was judged
  std::unordered_set<std::string> orders_;  // and of single histories, where they are judged one by one
  EventOrder other_order_;                  // that shows what was found
  std::string key_;
  std::string trace_name_;
  bool trace_ = true;
  bool reduced_ = false;    // the search leaves out orders that are worked out
  bool unseen_ = false;     // one of those could not be run: the program does more than the engine sees
  bool undecided_ = false;  // a checker could not say
  std::string undecided_why_;
  const std::atomic<bool>* stop_ = nullptr;
  std::function<void(const std::string&)> cannot_end_;
  std::optional<Clock::time_point> deadline_;
  std::string constructor_error_;
  std::string kind_;
  std::optional<SerialTree::Contradiction> contradiction_;
  std::optional<std::size_t> blocked_;
  std::uint64_t ever_returned_ = 0;  // serially; of the test's operations, as bits
  std::uint64_t spun_forever_ = 0;
};

}  // namespace plumb::testing
