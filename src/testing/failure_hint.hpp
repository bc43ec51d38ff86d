// Of a history that no serial run explains, because a call returned false or null while another one ran: whether that could be the contract of the operation. It
// is tried: without the call, a serial run has to explain the rest.
#pragma once

#include <string>

#include "testing/line_up.hpp"

namespace plumb::testing {

// How the test would state it; empty: it is not that. Of a test without a model.
[[nodiscard]] std::string may_fail_hint(const TestCase& test, const LineUp& failed);

}  // namespace plumb::testing
