// The scenarios that real threads run. An operation that blocks cannot be taken back there, so only those are run that always come to
// an end. Which do is learnt from the object, run serially in every order: there must be no point at which each thread that is not
// finished has a call to make that blocks. Others are left out, or given calls that release them.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "plumb/stress.hpp"
#include "testing/line_up.hpp"

namespace plumb::testing {

struct StressScenarios {
  std::vector<Scenario> scenarios;
  std::vector<std::unique_ptr<LineUp>> line_ups;  // one each, which has run serially where there is no model
  std::size_t left_out = 0;                       // that may not end
  std::size_t released = 0;                       // that have a thread more, so that they do
  std::string blocks;    // of the first that was left out: how it comes to a deadlock
  ScenarioResult found;  // in the serial runs already: a violation, or what cut them off
};

// `time` for all serial runs; none: no limit. An error: the test is wrong.
[[nodiscard]] Result<StressScenarios> stress_scenarios(const TestCase& test, const StressOptions& options,
                                                       std::optional<Seconds> time);

// Where something was found serially, or there are none that end: what is said of that.
[[nodiscard]] std::string why_nothing_runs(const StressScenarios& chosen, const StressOptions& options);

}  // namespace plumb::testing
