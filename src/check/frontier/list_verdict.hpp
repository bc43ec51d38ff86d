// What the searches of stacks and of lists with two ends find, as the verdict of a part.
#pragma once

#include <span>
#include <utility>
#include <vector>

#include "check/frontier/frontier_part.hpp"

namespace plumb {

// `ids`: which operations of the history those of the answer are.
template <class Answer>
[[nodiscard]] PartVerdict list_verdict(const Part& part, const Answer& answer, std::vector<Value> allowed,
                                       std::span<const OperationId> ids) {
  std::vector<OperationId> order;
  order.reserve(answer.order.size());
  for (const std::uint32_t op : answer.order) {
    if (ids[op] != FrontierOps::kInitial) order.push_back(ids[op]);
  }
  PartVerdict verdict = PartVerdict::unknown(answer.spent);
  switch (answer.outcome) {
    case Outcome::kHolds:
      verdict = frontier_linearizable(part, std::move(order));
      break;
    case Outcome::kViolation:
      verdict = frontier_violation(part, ids[answer.stuck], order);
      list_allowed(part, std::move(allowed), answer.allowed_complete, verdict.stuck);
      break;
    case Outcome::kUnknown:
      if (answer.spent == StopReason::kTooLarge) {
        verdict.why_not = frontiers_too_wide();
      } else if (ids[answer.stuck] != FrontierOps::kInitial) {
        verdict = frontier_unknown(part, answer.spent, ids[answer.stuck], order);
      }
      break;
  }
  verdict.configurations = answer.frontiers;
  return verdict;
}

}  // namespace plumb
