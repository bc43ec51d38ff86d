// A scenario in which something was found: run once more, here, then ever smaller ones, then the simplest interleaving, and that
// with its trace.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "plumb/test.hpp"
#include "testing/line_up.hpp"
#include "testing/scenario_runner.hpp"
#include "testing/time_shares.hpp"

namespace plumb::testing {

// What is known of a failure when everything about it was run.
struct Failure {
  std::shared_ptr<const LineUp> line_up;  // of the smallest scenario
  ScenarioResult outcome;
  Scenario found;  // the scenario as it was drawn
  std::size_t number = 0;
  std::string program = {};  // that takes the replay token; empty: none does
};

// The program with the options that a token needs beside --replay; empty: no program takes it.
[[nodiscard]] std::string command_of(const TestCase& test, const TestOptions& options);

class FailureSearch {
 public:
  // All have to stay where they are.
  FailureSearch(TestCase& test, const TestOptions& options, const ScenarioRunner& runner,
                const TimeShares& time)
      : test_(test), options_(options), runner_(runner), time_(time) {}

  // What is known of the scenario with this number. Nothing: it was not found again.
  [[nodiscard]] std::optional<Failure> run(std::size_t number, const ScenarioResult& known);

 private:
  [[nodiscard]] bool find_again(const Scenario& scenario, const ScenarioResult& known);
  [[nodiscard]] bool find_in(const Scenario& candidate, const Settings& with,
                             const std::vector<Walk>& walks = {});
  [[nodiscard]] bool find_smaller(const Scenario& candidate);
  [[nodiscard]] Settings settings() const;  // under the memory model of what was found
  [[nodiscard]] bool is_weak() const { return memory_model_ != MemoryModel::kSequential; }
  void show_fewest_edges();
  [[nodiscard]] static Settings only(const Settings& settings, const ScenarioResult& known);
  void make_smaller(const Scenario& scenario);
  void show();

  TestCase& test_;
  const TestOptions& options_;
  const ScenarioRunner& runner_;
  const TimeShares& time_;
  MemoryModel memory_model_ = MemoryModel::kSequential;
  Failure failure_;
};

// Of a race under sequential consistency: which stronger memory orders would be enough. They are tried as under a weak memory model, which
// has every execution of the other one, and so this race, too.
void suggest_orders_against_race(const TestCase& test, const TestOptions& options, Settings settings,
                                 Failure& failure);

// As the result of the test.
void tell_failure(const TestCase& test, const Failure& failure, TestResult& result);

}  // namespace plumb::testing
