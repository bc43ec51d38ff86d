#include "testing/observed_history.hpp"

#include <cassert>

namespace plumb::testing {

ObservedHistory::ObservedHistory(const Layout& layout) : results_(layout.size()), before_(layout.size()) {
  events_.reserve(2 * layout.size());
}

void ObservedHistory::clear() {
  events_.clear();
  called_ = returned_ = 0;
}

void ObservedHistory::call(std::size_t operation) {
  events_.push_back(Event::call(static_cast<OperationId>(operation)));
  before_[operation] = returned_;
  called_ |= std::uint64_t{1} << operation;
}

void ObservedHistory::ret(std::size_t operation, Value result) {
  events_.push_back(Event::ret(static_cast<OperationId>(operation)));
  results_[operation] = result;
  returned_ |= std::uint64_t{1} << operation;
}

void ObservedHistory::append_key(std::string& key) const {
  const auto append = [&](const auto& word) {
    key.append(reinterpret_cast<const char*>(&word), sizeof word);
  };
  append(called_);
  append(returned_);
  for (std::size_t operation = 0; operation < results_.size(); ++operation) {
    if (called(operation)) append(before_[operation]);
    if (returned(operation)) append(results_[operation].bits());
  }
}

History ObservedHistory::history(const TestCase& test, const Layout& layout) const {
  HistoryBuilder builder(test.shared_values());
  std::vector<FunctionId> functions;
  for (const auto& operation : test.operations()) functions.push_back(builder.function(operation.name));
  for (const Event event : events_) {
    const OperationId operation = event.operation();
    const Value process = builder.values().integer(static_cast<std::int64_t>(layout.process(operation)));
    const auto& invocation = test.invocations()[layout.invocation(operation)];
    if (event.is_return()) {
      const Value result = results_[operation];
      // What was observed serially tells null from an exception, so it is to be said there.
      const bool nothing = test.chosen_model() != nullptr && result.is_null() &&
                           test.operations()[invocation.operation].returns_nothing;
      [[maybe_unused]] const auto done =
          builder.complete(process, {.result = result, .has_result = !nothing});
      assert(done.ok());
    } else {
      [[maybe_unused]] const auto done =
          builder.call(process, functions[invocation.operation], invocation.args);
      assert(done.ok());
    }
  }
  auto history = builder.finish();
  assert(history.ok());
  return std::move(*history);
}

}  // namespace plumb::testing
