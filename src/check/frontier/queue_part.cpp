#include "check/frontier/queue_part.hpp"

#include <algorithm>

#include <absl/container/flat_hash_set.h>

#include "check/frontier/frontier_queue.hpp"

namespace plumb {
namespace {

// The insertions of what is inside in the end: alone, they lead there, too.
std::vector<OperationId> still_inside(std::span<const QueueStep> order, const FrontierOps& in,
                                      const FrontierOps& out) {
  auto left = std::ranges::count_if(order, [&](const QueueStep& step) {
    if (!step.is_removal) return false;
    const FrontierOp& removal = out.operations[step.operation];
    return !removal.keeps && removal.value != FrontierOp::kNothing;
  });
  std::vector<OperationId> inside;
  for (const QueueStep& step : order) {
    if (!step.is_removal && left-- <= 0) inside.push_back(in.ids[step.operation]);
  }
  return inside;
}

// Without the insertions that never returned, of values that nobody has seen: they need not take effect.
FrontierOps without_unseen(const FrontierOps& in, const FrontierOps& out) {
  absl::flat_hash_set<std::uint32_t> seen;
  for (const FrontierOp& removal : out.operations) seen.insert(removal.value);
  FrontierOps kept;
  for (std::size_t i = 0; i < in.operations.size(); ++i) {
    if (in.operations[i].ret == FrontierOp::kNever && !seen.contains(in.operations[i].value)) continue;
    kept.operations.push_back(in.operations[i]);
    kept.ids.push_back(in.ids[i]);
  }
  return kept;
}

}  // namespace

QueuePart::QueuePart(const Part& part, std::span<const Value> initial) : part_(part) {
  for (const Value item : initial) {
    const auto at = static_cast<std::uint32_t>(2 * in_.ids.size());
    insert(FrontierOps::kInitial, at, at + 1, item);
  }
}

void QueuePart::insert(OperationId id, std::uint32_t call, std::uint32_t ret, Value value) {
  in_.operations.push_back({call, ret, value.bits()});
  in_.ids.push_back(id);
}

void QueuePart::remove(OperationId id, std::uint32_t call, std::uint32_t ret, std::uint32_t value,
                       bool keeps) {
  out_.operations.push_back({call, ret, value, keeps});
  out_.ids.push_back(id);
}

PartVerdict QueuePart::search(const SearchLimits& limits) {
  PartVerdict verdict;
  const bool left_out = !in_.too_wide().empty();
  if (left_out) in_ = without_unseen(in_, out_);
  for (const FrontierOps* side : {&in_, &out_}) {
    verdict.why_not = side->too_wide();
    if (!verdict.why_not.empty()) return verdict;
  }
  QueueAnswer answer = decide_queue(in_.operations, out_.operations, limits);
  std::vector<OperationId> order;
  order.reserve(answer.order.size());
  for (const QueueStep step : answer.order) {
    const OperationId id = (step.is_removal ? out_ : in_).ids[step.operation];
    if (id != FrontierOps::kInitial) order.push_back(id);
  }
  switch (answer.outcome) {
    case Outcome::kHolds:
      verdict = frontier_linearizable(part_, std::move(order));
      break;
    case Outcome::kViolation:
      verdict = frontier_violation(part_, out_.ids[answer.stuck], order,
                                   begins_empty() ? still_inside(answer.order, in_, out_) : order);
      list_allowed(part_, std::move(answer.allowed), answer.allowed_complete && !left_out, verdict.stuck);
      break;
    case Outcome::kUnknown:
      verdict = frontier_unknown(part_, answer.spent, out_.ids[answer.stuck], order);
      break;
  }
  verdict.configurations = answer.states;
  return verdict;
}

}  // namespace plumb
