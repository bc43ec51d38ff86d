#include "testing/model_steps.hpp"

#include "spec/bind.hpp"

namespace plumb::testing {
namespace {

class ModelSteps final : public SerialSteps {
 public:
  ModelSteps(BoundHistory bound, std::unique_ptr<States> states, std::vector<OperationId> numbers)
      : bound_(std::move(bound)), states_(std::move(states)), numbers_(std::move(numbers)) {}

  StateId initial() override { return states_->initial(); }
  void step(StateId from, std::size_t operation, std::vector<StateId>& next) override {
    states_->step(from, bound_.call(numbers_[operation]), bound_.result(numbers_[operation]), next);
  }
  bool blocks(StateId state, std::size_t operation) override {
    return states_->results(state, bound_.call(numbers_[operation])).empty();
  }

 private:
  BoundHistory bound_;
  std::unique_ptr<States> states_;
  std::vector<OperationId> numbers_;  // in the history operations are numbered by their calls
};

}  // namespace

Result<std::unique_ptr<SerialSteps>> model_steps(const Model& model, const History& history,
                                                 const ObservedHistory& observed) {
  auto bound = BoundHistory::bind(history, model);
  if (!bound) return bound.error();
  auto states = model.states(history.values(), kNull);
  if (!states) return states.error();
  std::vector<OperationId> numbers(kMaxOperations);
  OperationId count = 0;
  for (const Event event : observed.events()) {
    if (!event.is_return()) numbers[event.operation()] = count++;
  }
  return std::unique_ptr<SerialSteps>(
      std::make_unique<ModelSteps>(std::move(*bound), std::move(*states), std::move(numbers)));
}

}  // namespace plumb::testing
