// The whole check of a history whose clocks may be off.
#pragma once

#include <optional>

#include "check/part.hpp"

namespace plumb {

// Why a check with these options is not possible for this history: CheckOptions::clock_error is given, and it has no times.
[[nodiscard]] Status accepts_clock_error(const History& history, const CheckOptions& options);

// What the history is with a clock error, after a plain check said `plain`.
[[nodiscard]] Verdict check_clocks(const BoundHistory& history, const CheckOptions& options, Verdict plain);

// With how large a clock error the plain violation is gone, in ticks of the history's times: from `smallest` on; with `not_up_to` it is
// still there. Without a smallest: if `never` none is enough, otherwise the search gave up.
struct ClockSlack {
  std::uint64_t not_up_to = 0;
  std::optional<std::uint64_t> smallest;
  bool never = false;
};
[[nodiscard]] ClockSlack find_clock_slack(const BoundHistory& history, OperationId stuck,
                                          const CheckOptions& options);

}  // namespace plumb
