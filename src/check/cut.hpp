// A history cut at a return, judged by a monitor.
//
// In a cut, what was open at its end need not have happened; if it did, it had the result that it returned later. Monitors
// know only operations that returned and operations whose result is unknown. So the cut is closed: turned into a history for
// which they give the same answer.
#pragma once

#include <span>
#include <vector>

#include "check/part.hpp"

namespace plumb {

struct CutVerdict {
  Outcome outcome = Outcome::kUnknown;  // kUnknown: no monitor can tell
  std::vector<OperationId> core;        // for kViolation: as a monitor gives it
  std::optional<OperationId> late;      // likewise, see MonitorVerdict
};

// The events of one part from its beginning up to some moment. Not all of their operations return in them.
[[nodiscard]] CutVerdict judge_cut(const BoundHistory& history, std::span<const Event> events);

}  // namespace plumb
