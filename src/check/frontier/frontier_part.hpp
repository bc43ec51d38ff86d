// A part as the searches by frontiers see it, and what they find as a verdict.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "check/frontier/frontier_order.hpp"
#include "check/part.hpp"
#include "spec/list_form.hpp"

namespace plumb {

// Some operations of a part, by call, and which operations of the history they are.
struct FrontierOps {
  static constexpr OperationId kInitial = ~OperationId{0};  // puts in what the object begins with
  std::vector<FrontierOp> operations;
  std::vector<OperationId> ids;

  void reserve(std::size_t size) {
    operations.reserve(size);
    ids.reserve(size);
  }
  // Why frontiers of these cannot be kept; empty where they can.
  [[nodiscard]] std::string too_wide() const;
};

// Why, where it is not known how many were too many.
[[nodiscard]] std::string frontiers_too_wide();

// Goes through the operations of a part by call: visit(id, call, ret), with the positions that FrontierOp
// has. Before them is room for `before` operations, one after another.
template <class Visit>
void each_operation(const Part& part, std::size_t before, Visit&& visit) {
  std::vector<std::uint32_t> returns(part.events.size(), FrontierOp::kNever);  // by the position of the call
  const auto first = static_cast<std::uint32_t>(2 * before);
  for (std::uint32_t at = 0; at < part.events.size(); ++at) {
    const Event event = part.events[at];
    if (event.is_return()) {
      returns[part.scratch[event.operation()]] = first + at;
    } else {
      part.scratch[event.operation()] = at;
    }
  }
  for (std::uint32_t at = 0; at < part.events.size(); ++at) {
    if (!part.events[at].is_return()) visit(part.events[at].operation(), first + at, returns[at]);
  }
}

// What the stuck operation could have returned.
void list_allowed(const Part& part, std::vector<Value> allowed, bool is_complete, DeadEnd& stuck);

// The same for a step of a list: so far null stands for "there was nothing".
void tell_allowed(const ListStep& step, DeadEnd& stuck);

[[nodiscard]] PartVerdict frontier_linearizable(const Part& part, std::vector<OperationId> order);
// No order gets past the return of this operation; the order is of what returned before. `state`: some of these that lead to
// the same state, in order.
[[nodiscard]] PartVerdict frontier_violation(const Part& part, OperationId stuck,
                                             std::span<const OperationId> order,
                                             std::span<const OperationId> state);
[[nodiscard]] inline PartVerdict frontier_violation(const Part& part, OperationId stuck,
                                                    std::span<const OperationId> order) {
  return frontier_violation(part, stuck, order, order);
}
// The search was ended, and has come to the return of this operation.
[[nodiscard]] PartVerdict frontier_unknown(const Part& part, StopReason spent, OperationId next,
                                           std::span<const OperationId> order);

}  // namespace plumb
