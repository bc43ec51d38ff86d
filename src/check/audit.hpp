// What an engine found is checked again before it is believed, by the same rule for all of them: an order must replay, a core
// must be refuted by the search; otherwise it is an internal error, not a verdict.
//
// If the model only claims to belong to the family as which it was decided, the class itself has the last word: it must
// give the results of the order, and must allow no order of the core; otherwise the claim is wrong.
#pragma once

#include "check/monitors/monitor.hpp"
#include "check/part.hpp"

namespace plumb {

// A verdict of a search, as it is or none.
[[nodiscard]] PartVerdict audit(const Part& part, PartVerdict verdict, const SearchLimits& limits);

// The same of a monitor, whose violation also gets the earliest impossible return; see earliest.hpp. It must apply.
[[nodiscard]] PartVerdict audit_monitor(const Part& part, MonitorVerdict answer, const SearchLimits& limits);

}  // namespace plumb
