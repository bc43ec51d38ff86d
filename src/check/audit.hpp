// What an engine found is gone through again before it is believed, by the same rule for all of them: an order replays, a core
// is refuted by the search; if not, that is an internal error and no verdict.
//
// Where the model only claims to belong to the family as which it was decided, the class itself has the last word: it must
// give the results of the order, and no order of the core; if not, the claim is wrong.
#pragma once

#include "check/monitors/monitor.hpp"
#include "check/part.hpp"

namespace plumb {

// A verdict of a search, as it is or none.
[[nodiscard]] PartVerdict audit(const Part& part, PartVerdict verdict, const SearchLimits& limits);

// The same of a monitor, whose violation also gets the earliest impossible return; see earliest.hpp. It must apply.
[[nodiscard]] PartVerdict audit_monitor(const Part& part, MonitorVerdict answer, const SearchLimits& limits);

}  // namespace plumb
