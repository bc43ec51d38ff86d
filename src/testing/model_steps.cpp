#include "testing/model_steps.hpp"

#include "spec/bind.hpp"
#include "testing/silent_failures.hpp"

namespace plumb::testing {
namespace {

class ModelSteps final : public SerialSteps {
 public:
  ModelSteps(BoundHistory bound, std::unique_ptr<States> states, std::vector<OperationId> numbers,
             engine::OperationSet failed)
      : bound_(std::move(bound)), states_(std::move(states)), numbers_(std::move(numbers)), failed_(failed) {}

  StateId initial() override { return states_->initial(); }
  void step(StateId from, std::size_t operation, std::vector<StateId>& next) override {
    if ((failed_ >> operation & 1U) != 0) return;
    states_->step(from, bound_.call(numbers_[operation]), bound_.result(numbers_[operation]), next);
  }
  bool blocks(StateId state, std::size_t operation) override {
    return states_->results(state, bound_.call(numbers_[operation])).empty();
  }

 private:
  BoundHistory bound_;
  std::unique_ptr<States> states_;
  std::vector<OperationId> numbers_;  // in the history operations are numbered by their calls
  engine::OperationSet failed_;       // which the model does not know
};

// Calls that failed, as the test says, where the model knows no failure.
engine::OperationSet silently_failed(const Model& model, const History& history,
                                     const std::vector<OperationId>& numbers, const ObservedHistory& observed,
                                     const TestCase& test) {
  engine::OperationSet failed = 0;
  for (const test::Operation& each : test.operations()) {
    const auto failure = silent_failure(model, each);
    if (!failure) continue;
    for (std::size_t i = 0; i < kMaxOperations; ++i) {
      if (observed.called(i) && observed.returned(i) && observed.result(i) == *failure &&
          history.function_name(numbers[i]) == each.name)
        failed |= engine::OperationSet{1} << i;
    }
  }
  return failed;
}

}  // namespace

Result<std::unique_ptr<SerialSteps>> model_steps(const Model& model, const History& history,
                                                 const ObservedHistory& observed, const TestCase& test) {
  auto bound = BoundHistory::bind(history, model);
  if (!bound) return bound.error();
  auto states = model.states(history.values(), kNull);
  if (!states) return states.error();
  std::vector<OperationId> numbers(kMaxOperations);
  OperationId count = 0;
  for (const Event event : observed.events()) {
    if (!event.is_return()) numbers[event.operation()] = count++;
  }
  const engine::OperationSet failed = silently_failed(model, history, numbers, observed, test);
  return std::unique_ptr<SerialSteps>(
      std::make_unique<ModelSteps>(std::move(*bound), std::move(*states), std::move(numbers), failed));
}

}  // namespace plumb::testing
