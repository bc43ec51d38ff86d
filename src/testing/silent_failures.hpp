// Calls that say by their result that they failed, of operations about whose results the model says nothing: false of push(), where every push
// to the model's queue takes effect. No step of the model explains such a call. Where the test states that it may fail, it is left out;
// where it does not, nobody knows what false means there, and the test is refused.
#pragma once

#include <optional>
#include <string>

#include "plumb/detail/test_case.hpp"
#include "plumb/history.hpp"
#include "plumb/model.hpp"

namespace plumb::testing {

// The result, one of the test's values, with which calls of the operation have failed. Nothing: the model knows their results, or they have none.
[[nodiscard]] std::optional<Value> silent_failure(const Model& model, const test::Operation& operation);

// A call that failed so, of which the test states nothing: what is wrong with the test.
[[nodiscard]] std::optional<std::string> unstated_failure(const History& history, const Model& model,
                                                          const TestCase& test);

}  // namespace plumb::testing
