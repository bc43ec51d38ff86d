// A history with calls that may fail, for the checkers: those that failed, and may have done so without a cause, are left out where the
// model says that such a result changes nothing; then it does not matter whether there was a cause. So are those of operations about whose
// results the model says nothing (silent_failures.hpp); if they must not have failed, they become operations that cannot happen. All others
// become operations of their own, which either do what they do in the model or nothing.
#pragma once

#include <memory>

#include "plumb/detail/test_case.hpp"
#include "plumb/history.hpp"
#include "plumb/model.hpp"
#include "plumb/result.hpp"

namespace plumb::testing {

struct Lenient {
  History history;
  std::shared_ptr<const Model> model;
  std::size_t left_out = 0;  // calls
};

// The model and the test must live longer.
[[nodiscard]] Lenient lenient(History history, const Model& model, const TestCase& test);

// Whether calls of the operation that fail can be left out: an error names the one that makes relax() impossible.
[[nodiscard]] Status check_failures_change_nothing(const Model& model, const TestCase& test);

}  // namespace plumb::testing
