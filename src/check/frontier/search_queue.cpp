// The search by frontiers of a queue.
#include "check/frontier/frontier.hpp"
#include "check/frontier/queue_part.hpp"
#include "spec/typed_model.hpp"

namespace plumb {

PartVerdict search_frontier_queue(const Part& part, const SearchLimits& limits) {
  const BoundHistory& history = *part.history;
  const auto initial = initial_items("queue", history.history().values(), history.initial()).value();
  QueuePart queue(part, initial);
  each_operation(part, initial.size(), [&](OperationId id, std::uint32_t call, std::uint32_t ret) {
    const Role role = history.role(id);
    const auto result = history.result(id);
    if (role == Role::kInsert) {
      queue.insert(id, call, ret, history.history().args(id)[0]);
    } else if (!is_peek(role) || result) {
      queue.remove(id, call, ret, result ? result->bits() : FrontierOp::kAnything, is_peek(role));
    }
  });
  return queue.search(limits);
}

}  // namespace plumb
