// The search by frontiers of a stack: the pushes and pops of a part, decided by frontier_stack.hpp.
#include <algorithm>

#include "check/frontier/frontier.hpp"
#include "check/frontier/frontier_part.hpp"
#include "check/frontier/frontier_stack.hpp"
#include "check/frontier/list_verdict.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

class StackPart {
 public:
  explicit StackPart(const Part& part) : part_(part), history_(*part.history) {
    const auto initial = initial_items("stack", history_.history().values(), history_.initial());
    for (const Value item : initial.value()) {
      const auto at = static_cast<std::uint32_t>(2 * ids_.size());
      add(FrontierOps::kInitial, {at, at + 1, item.bits(), StackOp::Kind::kPush});
    }
    each_operation(part, ids_.size(), [&](OperationId id, std::uint32_t call, std::uint32_t ret) {
      add(id, {call, ret, value_of(id).bits(), kind_of(id)});
    });
  }

  PartVerdict search(const SearchLimits& limits) const {
    const StackAnswer answer = decide_stack(operations_, limits);
    return list_verdict(part_, answer, allowed(answer), ids_);
  }

 private:
  void add(OperationId id, StackOp operation) {
    operations_.push_back(operation);
    ids_.push_back(id);
  }
  [[nodiscard]] Value value_of(OperationId id) const {
    return history_.role(id) == Role::kInsert ? history_.history().args(id)[0]
                                              : history_.result(id).value_or(kNull);
  }
  [[nodiscard]] StackOp::Kind kind_of(OperationId id) const {
    if (history_.role(id) == Role::kInsert) return StackOp::Kind::kPush;
    const auto result = history_.result(id);
    if (!result) return StackOp::Kind::kPopAnything;
    return result->is_null() ? StackOp::Kind::kPopNothing : StackOp::Kind::kPop;
  }
  static std::vector<Value> allowed(const StackAnswer& answer) {
    std::vector<Value> values;
    for (const std::uint32_t bits : answer.allowed) values.push_back(Value::from_bits(bits));
    if (answer.allowed_nothing) values.push_back(kNull);
    return values;
  }

  const Part& part_;
  const BoundHistory& history_;
  std::vector<StackOp> operations_;
  std::vector<OperationId> ids_;
};

}  // namespace

// Who looks at the top finds it in front of a list.
PartVerdict search_frontier_stack(const Part& part, const SearchLimits& limits) {
  const auto looks = [&](Event event) { return is_peek(part.history->role(event.operation())); };
  if (part.history->may_peek() && std::ranges::any_of(part.events, looks))
    return search_frontier_deque(part, limits);
  return StackPart(part).search(limits);
}

}  // namespace plumb
