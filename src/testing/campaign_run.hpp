// The default campaign at work: its tasks handed out to processes, or run here one after the other, until something is found, all is
// done, or the budget is spent.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "testing/campaign.hpp"
#include "testing/run_context.hpp"

namespace plumb::testing {

class CampaignRun {
 public:
  CampaignRun(RunContext& context, MemoryModel memory_model);

  // How far to go: a test that is run under several memory models does everything small under each before it goes on.
  struct Until {
    bool everything_small = false;               // was exhausted
    std::optional<Seconds> time = std::nullopt;  // since the test began; none: its budget
  };
  // Something was found: in which scenario. May be asked to go on.
  [[nodiscard]] std::optional<std::size_t> run(Until until);
  [[nodiscard]] const ScenarioResult& found() const { return found_; }
  // Where journals are merged: small scenarios before this one that are in none.
  void name_missing(std::size_t end);
  // Scenarios that cannot be run under a weak memory model stop nothing: others may have a violation. The first of them; null: there is none.
  [[nodiscard]] const std::pair<const std::size_t, ScenarioResult>* first_refused() const {
    return refused_.empty() ? nullptr : &*refused_.begin();
  }
  [[nodiscard]] bool is_all_refused() const;  // as far as it was run
  // Which were not run under the memory model, and why; empty: there is none.
  [[nodiscard]] std::string not_run() const { return refused_text(context_, refused_); }
  // The result of a campaign in which nothing was found. `standing`: what is said of the scenario that stands still now.
  void conclude(const std::string& standing = {});

 private:
  void take_known();
  void finish(const Task& task, ScenarioResult outcome, Seconds took);
  void hand_out(work::WorkerPool& pool);
  void run_here();
  [[nodiscard]] bool fetch();  // the next task; false: there is none
  void take(const Task& task, ScenarioResult outcome, Seconds took);
  [[nodiscard]] bool may_come_first(const Task& task) const;
  void say_progress() const;

  [[nodiscard]] ModelFigures figures() const;

  RunContext& context_;
  MemoryModel memory_model_;
  Campaign campaign_;
  Until until_ = {};
  std::optional<Task> next_;
  bool may_wait_ = false;  // for what others are at
  bool waits_ = false;
  std::map<std::size_t, ScenarioResult> open_;  // of the first part: the last of each that is not exhausted
  std::map<std::size_t, ScenarioResult> refused_;  // under a weak memory model
  std::optional<std::size_t> failed_;
  ScenarioResult found_;
  std::uint64_t executions_ = 0;        // all of them
  std::uint64_t exhausted_ = 0;         // those of scenarios that were exhausted
  std::optional<std::size_t> running_;  // in this process
};

// What was exhausted, and what else was run, in sentences.
[[nodiscard]] std::string campaign_text(const TestOptions& options, const TestResult& result);

}  // namespace plumb::testing
