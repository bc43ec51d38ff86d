// Phase 2: the scenario through its interleavings. Each distinct history needs a serial witness of phase 1, or the model's consent; of
// each execution all orders of its independent steps are judged, which a reduced search does not run.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include <plumb/check.hpp>

#include "testing/reorderings.hpp"
#include "testing/scenario_observer.hpp"
#include "testing/serial_tree.hpp"
#include "testing/set_monitor.hpp"
#include "testing/walk_census.hpp"

namespace plumb::testing {

// How the checkers judge histories of this test.
[[nodiscard]] CheckOptions check_options(const TestCase& test);

class ConcurrentPhase final : public ScenarioObserver {
 public:
  // `ends_serially`: all threads of the object have ended in phase 1.
  ConcurrentPhase(const ScenarioView& view, SerialTree& tree, bool ends_serially)
      : ScenarioObserver(view), tree_(tree), ends_serially_(ends_serially) {}
  // There was no phase 1: serial histories are run when histories ask for them.
  void grow_tree() { grows_ = true; }

  [[nodiscard]] Exploration run(const ExploreOptions& options);
  // Is told of every execution.
  void count_in(WalkCensus* census) { census_ = census; }

  // Distinct ones; where states were searched, sets of configurations, which is what histories differ in.
  [[nodiscard]] std::size_t histories() const { return monitor_ ? monitor_->sets() : met_.size(); }
  // An order that was worked out, and not run, turned out not to be one: the program depends on more than the engine sees.
  [[nodiscard]] bool relied_on_unseen() const { return unseen_ && reduced_; }
  // A checker could not say: why.
  [[nodiscard]] const std::optional<std::string>& undecided() const { return undecided_; }
  [[nodiscard]] std::optional<std::size_t> blocked() const {
    return blocked_;
  }  // the operation that may not block

  std::span<const engine::OperationEvent> other_order() const override { return other_order_; }
  std::optional<std::string> judge_other_order(const engine::FinishedExecution& execution) override {
    execution_ = &execution;
    return judge_as_run();
  }
  void cannot_run_other_order() override { unseen_ = as_run_ = true; }
  // Where the serial tree judges.
  engine::Monitor* monitor() override;
  bool enough() override { return ScenarioObserver::enough() || (unseen_ && reduced_); }

 private:
  std::optional<std::string> judge_history(const engine::FinishedExecution& execution) override;
  std::optional<Refuted> refuted_by(std::span<const engine::HappensBefore> happens_before);
  std::optional<std::string> judge_as_run();
  std::optional<std::string> judge_relaxed(std::span<const engine::HappensBefore> happens_before);
  std::optional<std::string> judge_by_model();
  [[nodiscard]] std::string needed_distance(const History& history, CheckOptions options) const;

  // What the operation does after those that lead to the node, run serially beside the execution that is judged.
  void grow(SerialTree::Node node, std::size_t operation);

  SerialTree& tree_;
  bool ends_serially_;
  bool grows_ = false;
  bool cannot_grow_ = false;  // a serial run that the history needs did not come to an end
  const engine::FinishedExecution* execution_ = nullptr;  // that is judged
  bool as_run_ = false;   // only the histories that were run count, not what the same steps allow
  bool reduced_ = false;  // the search leaves out orders that are worked out
  bool unseen_ = false;
  std::optional<SetMonitor> monitor_;
  std::optional<std::string> undecided_;
  std::optional<std::size_t> blocked_;
  WalkCensus* census_ = nullptr;
  std::unordered_set<std::string> met_;     // keys of what was judged
  std::unordered_set<std::string> orders_;  // and of single histories, where they are judged one by one
  EventOrder other_order_;                  // that shows what was found
  std::string key_;
};

}  // namespace plumb::testing
