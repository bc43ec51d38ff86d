#include "check/reason.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumb {
namespace {

std::string sentence(const BoundHistory& history, const DeadEnd& stuck) {
  const std::size_t returned_before = stuck.returned_before;
  const std::string what = history.history().describe(stuck.operation);
  const std::string after =
      returned_before == 0
          ? ""
          : fmt::format(" after the {} operation{} {}that returned before it", returned_before,
                        returned_before == 1 ? "" : "s", stuck.of_core_only ? "of the core " : "");
  if (stuck.allowed.empty() && stuck.allowed_complete)
    return fmt::format("{} is impossible: it cannot happen{}", what, after);
  if (stuck.allowed.empty()) return fmt::format("{} is impossible{}", what, after);
  if (history.spec(stuck.operation).returns == Returns::kNothing)
    return fmt::format("{} is impossible{}", what, after);
  return fmt::format("{} is impossible: it could return {}{}{}", what, fmt::join(stuck.allowed, " or "),
                     stuck.allowed_complete ? "" : " or others", after);
}

}  // namespace

std::string_view to_text(StopReason spent) {
  switch (spent) {
    case StopReason::kTime:
      return "the time limit was reached";
    case StopReason::kMemory:
      return "the memory limit was reached";
    case StopReason::kStopped:
      return "interrupted";
    case StopReason::kTooLarge:
      return "too large for this engine";
    case StopReason::kInternalError:
      return "internal error: the linearization found does not replay; please report it";
    case StopReason::kNothing:
    case StopReason::kNoMonitor:
    case StopReason::kNoFrontiers:
    case StopReason::kNoWitness:
    case StopReason::kRound:
    case StopReason::kCancelled:
    case StopReason::kWrongClaim:
      break;
  }
  return "";
}

std::vector<Event> core_of_dead_end(const Part& part, OperationId stuck) {
  std::vector<Event> core;
  for (const Event event : part.events) {
    const bool droppable = part.history->history().is_pending(event.operation()) &&
                           part.history->leaves_state(event.operation());
    if (!droppable) core.push_back(event);
    if (event == Event::ret(stuck)) break;
  }
  return core;
}

Violation describe_violation(const BoundHistory& history, const PartVerdict& verdict) {
  Violation violation;
  for (const Event event : verdict.core) {
    if (!event.is_return()) violation.operations.push_back(event.operation());
  }
  std::ranges::sort(violation.operations);
  violation.stuck = verdict.stuck.operation;
  violation.of_core_only = verdict.stuck.of_core_only;
  for (const Point point : verdict.stuck.prefix) violation.prefix.push_back(point.operation);
  violation.allowed = verdict.stuck.allowed;
  violation.allowed_complete = verdict.stuck.allowed_complete;
  violation.states = verdict.stuck.states;
  violation.reason = sentence(history, verdict.stuck);
  return violation;
}

}  // namespace plumb
