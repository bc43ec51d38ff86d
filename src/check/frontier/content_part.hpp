// What the search of content_search.hpp finds, as the verdict of a part.
#pragma once

#include "check/frontier/content_search.hpp"
#include "check/frontier/frontier_part.hpp"

namespace plumb {

// `ids`: which operations of the history those of the answer are; `before`: those that come before its order.
[[nodiscard]] inline PartVerdict content_verdict(const Part& part, ContentAnswer answer,
                                                 std::span<const OperationId> ids,
                                                 std::vector<OperationId> before = {}) {
  std::vector<OperationId> order = std::move(before);
  order.reserve(order.size() + answer.order.size());
  for (const std::uint32_t op : answer.order) order.push_back(ids[op]);
  PartVerdict verdict;
  switch (answer.outcome) {
    case Outcome::kHolds:
      verdict = frontier_linearizable(part, std::move(order));
      break;
    case Outcome::kViolation:
      verdict = frontier_violation(part, ids[answer.stuck], order);
      list_allowed(part, std::move(answer.allowed), answer.allowed_complete, verdict.stuck);
      break;
    case Outcome::kUnknown:
      verdict = frontier_unknown(part, answer.spent, ids[answer.stuck], order);
      break;
  }
  verdict.configurations = answer.states;
  return verdict;
}

template <class Content>
[[nodiscard]] PartVerdict search_content(const Part& part, FrontierOps operations, Content& content,
                                         const SearchLimits& limits) {
  PartVerdict verdict;
  verdict.why_not = operations.too_wide();
  if (!verdict.why_not.empty()) return verdict;
  return content_verdict(
      part, ContentSearch<Content>(std::move(operations.operations), content, limits).run(), operations.ids);
}

}  // namespace plumb
