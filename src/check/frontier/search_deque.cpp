// The search by frontiers of a deque: the pushes and pops of a part, decided by frontier_deque.hpp.
#include "check/frontier/frontier.hpp"
#include "check/frontier/frontier_deque.hpp"
#include "check/frontier/frontier_part.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

class DequePart {
 public:
  explicit DequePart(const Part& part) : part_(part), history_(*part.history) {
    const auto initial = initial_items("deque", history_.history().values(), history_.initial());
    for (const Value item : initial.value()) {
      const auto at = static_cast<std::uint32_t>(2 * ids_.size());
      add(FrontierOps::kInitial, {at, at + 1, item.bits(), DequeOp::Kind::kPush, true});
    }
    each_operation(part, ids_.size(), [&](OperationId id, std::uint32_t call, std::uint32_t ret) {
      const Role role = history_.role(id);
      const bool at_back = role == Role::kInsertBack || role == Role::kRemoveBack;
      const bool pushes = role == Role::kInsertFront || role == Role::kInsertBack;
      const auto result = history_.result(id);
      const Value value = pushes ? history_.history().args(id)[0] : result.value_or(kNull);
      const DequeOp::Kind kind = pushes            ? DequeOp::Kind::kPush
                                 : !result         ? DequeOp::Kind::kPopAnything
                                 : value.is_null() ? DequeOp::Kind::kPopNothing
                                                   : DequeOp::Kind::kPop;
      add(id, {call, ret, value.bits(), kind, at_back});
    });
  }

  PartVerdict search(const SearchLimits& limits) const {
    PartVerdict verdict;
    verdict.why_not = too_wide();
    if (!verdict.why_not.empty()) return verdict;
    const DequeAnswer answer = decide_deque(operations_, limits);
    std::vector<OperationId> order;
    order.reserve(answer.order.size());
    for (const std::uint32_t op : answer.order) {
      if (ids_[op] != FrontierOps::kInitial) order.push_back(ids_[op]);
    }
    switch (answer.outcome) {
      case Outcome::kHolds:
        verdict = frontier_linearizable(part_, std::move(order));
        break;
      case Outcome::kViolation:
        verdict = frontier_violation(part_, ids_[answer.stuck], order);
        list_allowed(part_, allowed(answer), answer.allowed_complete, verdict.stuck);
        break;
      case Outcome::kUnknown:
        verdict = PartVerdict::unknown(answer.spent);
        if (ids_[answer.stuck] != FrontierOps::kInitial)
          verdict = frontier_unknown(part_, answer.spent, ids_[answer.stuck], order);
        break;
    }
    verdict.configurations = answer.frontiers;
    return verdict;
  }

 private:
  void add(OperationId id, DequeOp operation) {
    operations_.push_back(operation);
    ids_.push_back(id);
  }
  [[nodiscard]] std::string too_wide() const {
    FrontierOps all;
    for (const DequeOp& op : operations_) all.operations.push_back({op.call, op.ret, 0});
    return all.too_wide();
  }
  static std::vector<Value> allowed(const DequeAnswer& answer) {
    std::vector<Value> values;
    for (const std::uint32_t bits : answer.allowed) values.push_back(Value::from_bits(bits));
    if (answer.allowed_nothing) values.push_back(kNull);
    return values;
  }

  const Part& part_;
  const BoundHistory& history_;
  std::vector<DequeOp> operations_;
  std::vector<OperationId> ids_;
};

}  // namespace

PartVerdict search_frontier_deque(const Part& part, const SearchLimits& limits) {
  return DequePart(part).search(limits);
}

}  // namespace plumb
