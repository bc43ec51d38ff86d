// Phase 1: the scenario run serially, in every order. Its histories are the specification, so two that contradict each other are a
// finding: the class is not deterministic.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "testing/scenario_observer.hpp"
#include "testing/serial_tree.hpp"

namespace plumb::testing {

class SerialPhase final : public ScenarioObserver {
 public:
  SerialPhase(const ScenarioView& view, SerialTree& tree) : ScenarioObserver(view), tree_(tree) {}

  [[nodiscard]] Exploration run(ExploreOptions options);
  // Then, also with calls left out that may fail, all of them and some. False: a run that this takes did not come to an end.
  [[nodiscard]] bool run_with_calls_left_out(const ExploreOptions& options);

  [[nodiscard]] const std::optional<SerialTree::Contradiction>& contradiction() const {
    return contradiction_;
  }
  // Operations of the test, as bits: those that returned in some execution, and that looped forever.
  [[nodiscard]] std::uint64_t ever_returned() const { return ever_returned_; }
  [[nodiscard]] std::uint64_t spun_forever() const { return spun_forever_; }

 private:
  std::optional<std::string> judge_history(const engine::FinishedExecution& execution) override;
  [[nodiscard]] std::uint64_t operations_of(std::uint64_t calls) const;
  [[nodiscard]] bool leave_calls_out(const engine::FinishedExecution& execution);
  [[nodiscard]] std::uint64_t may_come_next(SerialTree::Node node) const;

  SerialTree& tree_;
  std::optional<SerialTree::Contradiction> contradiction_;
  std::uint64_t ever_returned_ = 0;
  std::uint64_t spun_forever_ = 0;
  bool leaves_out_ = false;  // this is about runs with calls left out
  bool is_whole_ = false;    // and they all came to an end
};

}  // namespace plumb::testing
