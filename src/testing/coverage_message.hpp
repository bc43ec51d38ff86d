// What executions have covered, as one process tells it another.
#pragma once

#include "base/message.hpp"
#include "testing/coverage.hpp"

namespace plumb::testing {

void write_coverage(const CoverageNotes& notes, MessageWriter& to);
[[nodiscard]] CoverageNotes read_coverage(MessageReader& from);

}  // namespace plumb::testing
