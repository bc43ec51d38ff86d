#include "check/reason.hpp"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumb {
namespace {

// Everything called before the return that cannot be explained. That return is refuted whatever happens
// later, so these operations alone are not linearizable, with their later returns or without.
std::vector<OperationId> core(const Part& part, OperationId stuck) {
  std::vector<OperationId> operations;
  for (const Event event : part.events) {
    if (event.is_return() && event.operation() == stuck) break;
    const bool droppable = part.history->history().is_pending(event.operation()) &&
                           part.history->leaves_state(event.operation());
    if (!event.is_return() && !droppable) operations.push_back(event.operation());
  }
  std::ranges::sort(operations);
  return operations;
}

std::string sentence(const Part& part, const Stuck& stuck, std::size_t returned_before) {
  const BoundHistory& history = *part.history;
  const std::string what = history.history().describe(stuck.operation);
  const std::string after = returned_before == 0
                                ? ""
                                : fmt::format(" after the {} operation{} that returned before it",
                                              returned_before, returned_before == 1 ? "" : "s");
  if (stuck.allowed.empty()) return fmt::format("{} is impossible: it cannot happen{}", what, after);
  if (history.spec(stuck.operation).returns == Returns::kNothing)
    return fmt::format("{} is impossible{}", what, after);
  return fmt::format("{} is impossible: it could return {}{}{}", what, fmt::join(stuck.allowed, " or "),
                     stuck.allowed_complete ? "" : " or others", after);
}

}  // namespace

Violation describe_violation(const Part& part, const Stuck& stuck) {
  Violation violation;
  violation.operations = core(part, stuck.operation);
  violation.stuck = stuck.operation;
  for (const Point point : stuck.prefix) violation.prefix.push_back(point.operation);
  violation.allowed = stuck.allowed;
  violation.allowed_complete = stuck.allowed_complete;
  violation.states = stuck.states;
  std::size_t returned_before = 0;
  for (const Event event : part.events) {
    if (!event.is_return()) continue;
    if (event.operation() == stuck.operation) break;
    ++returned_before;
  }
  violation.reason = sentence(part, stuck, returned_before);
  return violation;
}

}  // namespace plumb
