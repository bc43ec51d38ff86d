// Which operation a violation names: the earliest return that no order gets past.
//
// Cut the history at a return: what is called later is left out, what is open there need not have happened, and has its recorded
// result if it did. If the cut is linearizable, so is every earlier one. So there is a first return at which it is not, and that
// one is named, whichever engine decides: the search and brute force arrive at it anyway, as none of their orders gets past it.
// A monitor finds some core, and the code below finds the return; of several parts, the earliest of all is named (check.cpp).
#pragma once

#include "check/monitors/monitor.hpp"

namespace plumb {

// The violation that a monitor found in this part, believed when the search has refuted its core (one too large for it is
// believed as it is), and at the earliest return. Where neither a monitor nor the search can tell whether an earlier cut is
// linearizable, the return is one that is impossible, and perhaps not the first. Outcome::kHolds: the search contradicts
// the monitor.
[[nodiscard]] PartVerdict find_earliest(const Part& part, const MonitorVerdict& violation,
                                        const SearchLimits& limits);

}  // namespace plumb
