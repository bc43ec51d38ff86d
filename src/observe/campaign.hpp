// A test from end to end: which scenarios, in which processes, until when; the first that fails is made smaller and run
// again for the report.
#pragma once

#include <memory>

#include "observe/line_up.hpp"
#include "plumb/test.hpp"

namespace plumb::observe {

// What is known of a failure when everything about it was run.
struct Failure {
  std::shared_ptr<const LineUp> line_up;  // of the smallest scenario
  Outcome outcome;
  Scenario found;  // the scenario as it was drawn
  std::size_t number = 0;
};

// "NAME@SCENARIO@TOKEN"
[[nodiscard]] std::string replay_token(const TestCase& test, const Scenario& scenario,
                                       const std::string& engine_token);
[[nodiscard]] bool token_is_for(std::string_view token, std::string_view test);

// The report of a failure, as text. `program` is how the test is called.
[[nodiscard]] std::string failure_text(const TestCase& test, const Failure& failure,
                                       const TestResult& result);

}  // namespace plumb::observe
