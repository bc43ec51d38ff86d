#include "explain/clocks.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "check/clocks/clock_check.hpp"
#include "check/clocks/clock_error.hpp"

namespace plumb {
namespace {

// A millisecond from the first call to the last event: below that, times are more likely numbers that somebody made up. A single clock
// does not differ from itself.
bool may_have_several_clocks(const History& history, TimeUnit unit) {
  if (!history.has_clock_times() || history.empty() || history.clocks() == 1) return false;
  Time first = kNever;
  Time last = std::numeric_limits<Time>::min();
  for (OperationId i = 0; i < history.size(); ++i) {
    first = std::min(first, history.call(i));
    last = std::max(last, history.is_pending(i) ? history.call(i) : history.ret(i));
  }
  return static_cast<std::uint64_t>(last) - static_cast<std::uint64_t>(first) >=
         ticks_of(std::chrono::milliseconds(1), unit);
}

}  // namespace

Explanation explain_with_clock_error(const BoundHistory& history, const Violation& violation,
                                     const CheckOptions& options) {
  Explanation explanation;
  explanation.core = violation.operations;
  if (const std::size_t rest = history.history().size() - explanation.core.size(); rest != 0)
    explanation.dropped.push_back({"called too late for any clocks, or of another object or key", rest});
  explanation.impossible = violation.stuck;
  explanation.prefix = walk(history.history(), history.model(), violation.prefix);
  explanation.allowed = violation.allowed;
  explanation.allowed_complete = violation.allowed_complete;
  explanation.named = {violation.stuck};
  explanation.sentence =
      fmt::format("Even if every clock is off by up to {} ms, there is no order in which {} can return.",
                  in_milliseconds(*options.clock_error), history.history().describe(violation.stuck));
  return explanation;
}

std::string what_clocks_would_do(const BoundHistory& history, const Violation& violation,
                                 const CheckOptions& options) {
  if (!may_have_several_clocks(history.history(), options.time_unit)) return "";
  const ClockSlack slack = find_clock_slack(history, violation.stuck, options);
  const auto text = [&](std::uint64_t ticks) { return in_milliseconds(ticks, options.time_unit); };
  if (slack.never) return "; no error of the clocks explains it";
  if (slack.smallest) {
    return fmt::format("; if the clocks were off by {} ms it would be none (--clock-error {})",
                       text(*slack.smallest), text(*slack.smallest));
  }
  if (slack.not_up_to != 0)
    return fmt::format("; clocks that are off by up to {} ms do not explain it", text(slack.not_up_to));
  return "";
}

}  // namespace plumb
