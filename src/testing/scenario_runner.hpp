// The scenarios of a test, and how one of them is run: by the test run itself, or by a process that works for it, which has
// made the same scenarios.
#pragma once

#include <atomic>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plumb/test.hpp"
#include "testing/campaign_plan.hpp"
#include "testing/effort.hpp"
#include "testing/line_up.hpp"
#include "testing/observation_file.hpp"
#include "testing/scenario.hpp"

namespace plumb::testing {

// With what the test itself says.
[[nodiscard]] TestOptions options_for(const TestCase& test, const TestOptions& given);

// The memory models that a test is run under, one after the other.
[[nodiscard]] std::vector<MemoryModel> models_of(const TestOptions& options);
// Why the test cannot be run under a weak one; nothing: it can.
[[nodiscard]] std::optional<std::string> no_graphs_for(const TestCase& test, const TestOptions& options);

// Whether the default campaign is run: nothing else is asked for. The test has to be finished.
[[nodiscard]] bool runs_campaign(const TestCase& test, const TestOptions& options);
// How long it takes; an error: the environment's PLUMB_BUDGET is no number.
[[nodiscard]] Result<Seconds> budget_of(const TestOptions& options);

// Within which scenarios are explored that are run one by one.
[[nodiscard]] PreemptionBound bound_of(const TestOptions& options);

// What is asked of a process; it answers with the figures (scenario_answer.hpp).
struct ScenarioRequest {
  std::string test;
  std::size_t number = 0;
  std::optional<Seconds> timeout = std::nullopt;  // none: no limit
  Effort effort = {};

  [[nodiscard]] std::string message() const;
  [[nodiscard]] static std::optional<ScenarioRequest> read(const std::string& message);
};

class ScenarioRunner {
 public:
  // The test and the options have to stay where they are.
  ScenarioRunner(TestCase& test, const TestOptions& options) : test_(test), options_(options) {}
  // First: which scenarios there are.
  [[nodiscard]] Status prepare();

  [[nodiscard]] const std::vector<Scenario>& scenarios() const {
    return plan_ ? plan_->scenarios : scenarios_;
  }
  // Of the default campaign; nothing: the scenarios are run one by one, as told.
  [[nodiscard]] const std::optional<CampaignPlan>& plan() const { return plan_; }
  // Where the serial histories come from a file: those of this scenario.
  void use_observations(LineUp& line_up, std::size_t number) const;
  [[nodiscard]] bool has_observations() const { return !observations_.empty(); }

  [[nodiscard]] Settings settings() const;
  [[nodiscard]] ScenarioResult run(std::size_t number, std::optional<Seconds> timeout,
                                   const Effort& effort = {}) const;
  // For a process that works for another: what asks it to end, and what is told that it can only end with its process.
  void obey(const std::atomic<bool>* stop, std::function<void(const std::string&)> cannot_end);
  // Processors that may help with a scenario that takes long, as long as it is run by such a process.
  void share_with(engine::SpareCores* cores) { cores_ = cores; }
  // Empty: there is no such scenario.
  [[nodiscard]] std::string answer(const ScenarioRequest& request) const;

 private:
  [[nodiscard]] Status check_models() const;
  [[nodiscard]] Status read_against();

  TestCase& test_;
  const TestOptions& options_;
  std::vector<Scenario> scenarios_;
  std::optional<CampaignPlan> plan_;
  const std::atomic<bool>* stop_ = nullptr;  // else that of the options
  std::function<void(const std::string&)> cannot_end_;
  engine::SpareCores* cores_ = nullptr;
  std::vector<ObservationSet> observations_;  // by scenario, where they come from a file
};

}  // namespace plumb::testing
