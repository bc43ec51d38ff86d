// A test that could not be run, as its result.
#pragma once

#include <string>

#include <fmt/format.h>

#include "plumb/test.hpp"

namespace plumb::testing {

// Keeps what is known so far.
[[nodiscard]] inline TestResult error_result(TestResult so_far, const TestCase& test,
                                             const std::string& message) {
  so_far.verdict = Outcome::kUnknown;
  so_far.refused = true;
  so_far.message = message;
  so_far.report = fmt::format("{}: {}\n", test.name(), message);
  return so_far;
}

}  // namespace plumb::testing
