// The search of content_search.hpp on a part of a history: what it finds as a verdict.
#pragma once

#include "check/frontier/content_search.hpp"
#include "check/frontier/frontier_part.hpp"

namespace plumb {

template <class Content>
[[nodiscard]] PartVerdict search_content(const Part& part, const FrontierOps& operations, Content& content,
                                         const SearchLimits& limits) {
  PartVerdict verdict;
  verdict.why_not = operations.too_wide();
  if (!verdict.why_not.empty()) return verdict;
  ContentAnswer answer = ContentSearch<Content>(operations.operations, content, limits).run();
  for (std::uint32_t& op : answer.order) op = operations.ids[op];
  switch (answer.outcome) {
    case Outcome::kHolds:
      verdict = frontier_linearizable(part, std::move(answer.order));
      break;
    case Outcome::kViolation:
      verdict = frontier_violation(part, operations.ids[answer.stuck], answer.order);
      list_allowed(part, std::move(answer.allowed), answer.allowed_complete, verdict.stuck);
      break;
    case Outcome::kUnknown:
      verdict = frontier_unknown(part, answer.spent, operations.ids[answer.stuck], answer.order);
      break;
  }
  verdict.configurations = answer.states;
  return verdict;
}

}  // namespace plumb
