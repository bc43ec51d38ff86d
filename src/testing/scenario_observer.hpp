// One scenario under the engine: the program that its executions run, what each of them did, and how messages call what stands still.
// The phases of Line-Up are observers of this kind, each with its own way to judge an execution.
#pragma once

#include <atomic>
#include <bit>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <plumb/detail/test_case.hpp>

#include "explore/observer.hpp"
#include "explore/spare_cores.hpp"
#include "plumb/test.hpp"
#include "testing/observed_history.hpp"
#include "testing/scenario.hpp"
#include "testing/serial_tree.hpp"
#include "testing/spurious_failures.hpp"

namespace plumb::testing {

// When a run of a scenario has to end, and how it is told.
struct RunLimits {
  using Clock = std::chrono::steady_clock;

  const std::atomic<bool>* stop = nullptr;
  std::optional<Clock::time_point> deadline = std::nullopt;
  bool trace = true;                    // of a failure
  engine::SpareCores* cores = nullptr;  // that may help
  // Told by another thread that this scenario can only be ended with the process; ends it, if it knows how.
  std::function<void(const std::string&)> cannot_end = {};

  [[nodiscard]] bool asked_to_stop() const {
    return stop != nullptr && stop->load(std::memory_order_relaxed);
  }
  [[nodiscard]] bool late() const { return deadline && Clock::now() >= *deadline; }
};

// What all phases of a scenario look at. Outlives them.
struct ScenarioView {
  const TestCase& test;
  const Scenario& scenario;
  const Layout& layout;
  ObservedHistory& observed;  // of the last execution
  const RunLimits& limits;
  const SpuriousFailures& failures;
  // Who calls the operation that ends the object's life destroys it then.
  bool destroys = false;

  [[nodiscard]] std::string label(std::size_t operation) const {
    return test.label(layout.invocation(operation));
  }
  [[nodiscard]] bool has_open() const { return observed.called() != observed.returned(); }
  [[nodiscard]] std::size_t first_open() const {
    return static_cast<std::size_t>(std::countr_zero(observed.called() & ~observed.returned()));
  }
};

class ScenarioObserver : public engine::Observer {
 public:
  explicit ScenarioObserver(const ScenarioView& view);

  [[nodiscard]] Exploration explore(const ExploreOptions& options, engine::ExplorationMode mode);

  // Of what was found, where it is neither the engine's nor an error of the test.
  [[nodiscard]] std::optional<ViolationKind> kind() const { return kind_; }
  // The test is wrong, not the class.
  [[nodiscard]] bool is_error() const { return !constructor_error_.empty() || is_wrong_; }

  std::optional<std::string> judge(const engine::FinishedExecution& execution) final;
  bool wants_trace() const override { return view_.limits.trace; }
  bool enough() override { return view_.limits.asked_to_stop(); }
  std::string who(int thread, std::optional<std::uint32_t> operation) const override;
  std::string operation_name(std::uint32_t operation) const override;
  void cannot_be_ended(const std::string& sentence) override;

 protected:
  // A sentence makes the execution a finding of this kind.
  virtual std::optional<std::string> judge_history(const engine::FinishedExecution& execution) = 0;
  // Of a deadlock in which no operation is open. `ends_serially`: the threads that the object started do end in serial runs.
  [[nodiscard]] std::string judge_outside(const engine::FinishedExecution& execution, bool ends_serially);
  [[nodiscard]] std::string found(ViolationKind kind, std::string sentence) {
    kind_ = kind;
    is_wrong_ = false;
    return sentence;
  }
  // Another execution, serially: those that lead to the node, then the operation; calls before these in their threads are left out. What
  // comes of it is added to the tree. False: it did not come to an end, or contradicts the tree.
  [[nodiscard]] bool grow(SerialTree& tree, SerialTree::Node node, std::size_t operation,
                          const engine::FinishedExecution& execution);
  // A sentence about the test itself, which is wrong.
  [[nodiscard]] std::string wrong(std::string sentence) {
    is_wrong_ = true;
    return sentence;
  }

  const ScenarioView& view_;

 private:
  void program(Program& program);
  void call_all(std::unique_ptr<test::Object>& object, std::size_t process);
  [[nodiscard]] bool ends_life(std::size_t operation) const;

  std::string trace_name_;
  std::string constructor_error_;
  std::optional<ViolationKind> kind_;
  bool is_wrong_ = false;
  std::atomic<bool> is_judging_ = false;  // what stands still then is not the class
  std::uint64_t left_out_ = 0;            // calls that are not made, as bits
};

}  // namespace plumb::testing
