#include "testing/silent_failures.hpp"

#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace plumb::testing {
namespace {

// "push(1)"
std::string call_text(const History& history, OperationId i) {
  std::vector<std::string> args;
  for (const Value arg : history.args(i)) args.push_back(history.values().to_json(arg));
  return fmt::format("{}({})", history.function_name(i), fmt::join(args, ", "));
}

}  // namespace

std::optional<Value> silent_failure(const Model& model, const test::Operation& operation) {
  const auto known = find_operation(model, operation.name);
  if (!known || model.operations()[*known].returns != Returns::kNothing) return std::nullopt;
  if (operation.may_fail) return operation.may_fail->result;
  // Null need not mean that it failed: put() may return what it has replaced.
  return operation.failing == kFalse ? operation.failing : std::nullopt;
}

std::optional<std::string> unstated_failure(const History& history, const Model& model,
                                            const TestCase& test) {
  for (const test::Operation& each : test.operations()) {
    if (each.may_fail || !silent_failure(model, each)) continue;
    for (OperationId i = 0; i < history.size(); ++i) {
      if (history.is_pending(i) || history.result(i) != kFalse || history.function_name(i) != each.name)
        continue;
      return fmt::format(
          "the test does not fit the model {0}: {1} returned false, but in the model every {2}() takes "
          "effect. "
          "If false means that it did not, say when that may be: .may_fail() or .may_fail_when_contended(). "
          "If "
          "it means something else, call it without its result: [](auto& it, auto v) {{ it.{2}(v); }}",
          model.name(), call_text(history, i), each.name);
    }
  }
  return std::nullopt;
}

}  // namespace plumb::testing
