// The search by frontiers of a queue: what goes in and what comes out of a part, decided by
// frontier_queue.hpp.
#include "check/frontier/frontier.hpp"
#include "check/frontier/frontier_part.hpp"
#include "check/frontier/frontier_queue.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

class QueuePart {
 public:
  explicit QueuePart(const Part& part) : part_(part) {
    const BoundHistory& history = *part.history;
    const auto initial = initial_items("queue", history.history().values(), history.initial());
    for (const Value item : initial.value()) {
      const auto at = static_cast<std::uint32_t>(2 * in_.ids.size());
      in_.operations.push_back({at, at + 1, item.bits()});
      in_.ids.push_back(FrontierOps::kInitial);
    }
    each_operation(part, in_.ids.size(), [&](OperationId id, std::uint32_t call, std::uint32_t ret) {
      const bool inserts = history.role(id) == Role::kInsert;
      const auto result = history.result(id);
      const std::uint32_t value = inserts  ? history.history().args(id)[0].bits()
                                  : result ? result->bits()
                                           : FrontierOp::kAnything;
      (inserts ? in_ : out_).operations.push_back({call, ret, value});
      (inserts ? in_ : out_).ids.push_back(id);
    });
  }

  PartVerdict search(const SearchLimits& limits) const {
    PartVerdict verdict;
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
        verdict = frontier_violation(part_, out_.ids[answer.stuck], order);
        list_allowed(part_, std::move(answer.allowed), answer.allowed_complete, verdict.stuck);
        break;
      case Outcome::kUnknown:
        verdict = frontier_unknown(part_, answer.spent, out_.ids[answer.stuck], order);
        break;
    }
    verdict.configurations = answer.states;
    return verdict;
  }

 private:
  const Part& part_;
  FrontierOps in_;
  FrontierOps out_;
};

}  // namespace

PartVerdict search_frontier_queue(const Part& part, const SearchLimits& limits) {
  return QueuePart(part).search(limits);
}

}  // namespace plumb
