// The result of a test in which something ended the process, told while it ends: code under test in a real thread, which is a finding, or
// what belongs to the test itself.
#pragma once

#include <string>

#include <plumb/test.hpp>

#include "runtime/end_of_process.hpp"

namespace plumb::testing {

[[nodiscard]] TestResult ended_process(const std::string& test, const runtime::EndOfProcess& end);

}  // namespace plumb::testing
