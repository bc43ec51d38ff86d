// The default campaign at work: its tasks handed out to processes, or run here one after the other, until something is found, all is
// done, or the budget is spent.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "testing/campaign.hpp"
#include "testing/run_context.hpp"

namespace plumb::testing {

class CampaignRun {
 public:
  explicit CampaignRun(RunContext& context);

  // Something was found: in which scenario.
  [[nodiscard]] std::optional<std::size_t> run();
  [[nodiscard]] const ScenarioResult& found() const { return found_; }
  // The result of a campaign in which nothing was found. `standing`: what is said of the scenario that stands still now.
  void conclude(const std::string& standing = {});

 private:
  void hand_out(work::WorkerPool& pool);
  void run_here();
  [[nodiscard]] bool fetch();  // the next task; false: there is none
  void take(const Task& task, ScenarioResult outcome, Seconds took);
  [[nodiscard]] bool may_come_first(const Task& task) const;
  void say_progress() const;

  RunContext& context_;
  Campaign campaign_;
  std::optional<Task> next_;
  std::map<std::size_t, ScenarioResult> open_;  // of the first part: the last of each that is not exhausted
  std::optional<std::size_t> failed_;
  ScenarioResult found_;
  std::uint64_t executions_ = 0;        // all of them
  std::optional<std::size_t> running_;  // in this process
};

// What was exhausted, and what else was run, in sentences.
[[nodiscard]] std::string campaign_text(const TestOptions& options, const TestResult& result);

}  // namespace plumb::testing
