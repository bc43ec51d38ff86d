#include "observe/model_blocks.hpp"

#include <set>
#include <vector>

#include "spec/bind.hpp"

namespace plumb::observe {
namespace {

// Every order of the operations that returned, each (what is done, state) once.
class Orders {
 public:
  Orders(const BoundHistory& bound, States& states, OperationId asked)
      : bound_(bound), states_(states), asked_(asked) {}

  bool lead_to_a_block(StateId state, std::uint64_t done) {
    if (!met_.emplace(done, state).second) return false;
    bool all = true;
    for (OperationId i = 0; i < bound_.history().size(); ++i) {
      if (bound_.history().is_pending(i) || (done >> i & 1U) != 0) continue;
      all = false;
      if (!may_come_next(i, done)) continue;
      std::vector<StateId> next;
      states_.step(state, bound_.call(i), bound_.result(i), next);
      for (const StateId after : next) {
        if (lead_to_a_block(after, done | std::uint64_t{1} << i)) return true;
      }
    }
    return all && states_.results(state, bound_.call(asked_)).empty();
  }

 private:
  [[nodiscard]] bool may_come_next(OperationId i, std::uint64_t done) const {
    for (OperationId j = 0; j < bound_.history().size(); ++j) {
      if ((done >> j & 1U) == 0 && bound_.history().ret(j) < bound_.history().call(i)) return false;
    }
    return true;
  }

  const BoundHistory& bound_;
  States& states_;
  OperationId asked_;
  std::set<std::pair<std::uint64_t, StateId>> met_;
};

}  // namespace

bool may_block_in_model(const Model& model, const History& history, std::size_t operation, const Log& log) {
  // In the history, operations are numbered by their calls.
  OperationId asked = 0;
  for (const Event event : log.events()) {
    if (event.is_return()) continue;
    if (event.operation() == operation) break;
    ++asked;
  }
  const auto bound = BoundHistory::bind(history, model);
  if (!bound) return false;
  auto states = model.states(history.values(), kNull);
  if (!states) return false;
  return Orders(*bound, **states, asked).lead_to_a_block((*states)->initial(), 0);
}

}  // namespace plumb::observe
