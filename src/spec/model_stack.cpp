// A stack, last in, first out; an empty one gives null.
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

struct Stack {
  enum Operation : std::uint32_t { kPush, kPop, kPeek };
  using State = std::vector<Value>;  // the top last
  static constexpr std::string_view kName = "stack";
  static constexpr Family kFamily = Family::kStack;
  static constexpr std::string_view kSummary =
      "last in, first out; pop and peek of an empty stack return null";

  static std::vector<OperationSpec> operations() {
    return {{"push", {"add"}, {Takes::kNotNull}, Returns::kNothing, Effect::kMayChange, Role::kInsert},
            {"pop", {"remove"}, {}, Returns::kAny, Effect::kUnlessNull, Role::kRemove},
            {"peek", {"top"}, {}, Returns::kAny, Effect::kNeverChanges, Role::kPeek}};
  }

  static Result<State> initial(const Values& values, Value given) {
    return initial_items(kName, values, given);
  }

  static std::optional<Value> result(const State& items, const Call& call, Values&) {
    if (call.operation == kPush || items.empty()) return kNull;
    return items.back();
  }

  static void update(State& items, const Call& call, Values&) {
    if (call.operation == kPush) {
      items.push_back(call.args[0]);
    } else {
      items.pop_back();
    }
  }

  static std::string describe(const State& items, const Values& values) { return list_items(items, values); }
};

}  // namespace

const Model& stack_model() {
  static const TypedModel<Stack> model;
  return model;
}

}  // namespace plumb
