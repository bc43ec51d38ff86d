// Phase 2: the scenario through its interleavings. Each distinct history needs a serial witness of phase 1, or the model's consent; of
// each execution all orders of its independent steps are judged, which a reduced search does not run.
#pragma once

#include <optional>
#include <string>
#include <unordered_set>

#include <absl/container/flat_hash_set.h>

#include "testing/judging_phase.hpp"
#include "testing/set_monitor.hpp"

namespace plumb::testing {

class ConcurrentPhase final : public JudgingPhase {
 public:
  using JudgingPhase::JudgingPhase;

  [[nodiscard]] Exploration run(const ExploreOptions& options);

  // Distinct ones; where states were searched, sets of configurations, which is what histories differ in.
  [[nodiscard]] std::size_t histories() const { return monitor_ ? monitor_->sets() : met_.size(); }
  // An order that was worked out, and not run, turned out not to be one: the program depends on more than the engine sees.
  [[nodiscard]] bool relied_on_unseen() const { return unseen_ && reduced_; }

  std::span<const engine::OperationEvent> other_order() const override { return other_order_; }
  std::optional<std::string> judge_other_order(const engine::FinishedExecution& execution) override {
    execution_ = &execution;
    return judge_as_run();
  }
  void cannot_run_other_order() override { unseen_ = as_run_ = true; }
  // Where the serial tree judges.
  engine::Monitor* monitor() override;
  std::string learnt() const override;
  void learn(std::string_view learnt) override;
  bool enough() override { return ScenarioObserver::enough() || (unseen_ && reduced_); }

 private:
  std::optional<std::string> judge_history(const engine::FinishedExecution& execution) override;
  std::optional<Refuted> refuted_by(SerialSteps& steps,
                                    std::span<const engine::HappensBefore> happens_before);
  std::optional<std::string> judge_as_run();
  std::optional<std::string> judge_relaxed(std::span<const engine::HappensBefore> happens_before);

  bool as_run_ = false;   // only the histories that were run count, not what the same steps allow
  bool reduced_ = false;  // the search leaves out orders that are worked out
  bool unseen_ = false;
  std::optional<SetMonitor> monitor_;
  absl::flat_hash_set<Hash128, HashOfKey> met_;  // keys of what was judged
  std::unordered_set<std::string> orders_;       // and of single histories, where they are judged one by one
  EventOrder other_order_;                       // that shows what was found
};

}  // namespace plumb::testing
