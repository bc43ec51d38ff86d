// A queue with two ends; an empty one gives null.
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

struct Deque {
  enum Operation : std::uint32_t { kPushFront, kPushBack, kPopFront, kPopBack };
  using State = std::vector<Value>;  // front first
  static constexpr std::string_view kName = "deque";
  static constexpr Family kFamily = Family::kDeque;
  static constexpr std::string_view kSummary = "a queue with two ends; pop of an empty one returns null";

  static std::vector<OperationSpec> operations() {
    return {{"push_front", {}, {Takes::kNotNull}, Returns::kNothing, Effect::kMayChange, Role::kInsertFront},
            {"push_back", {}, {Takes::kNotNull}, Returns::kNothing, Effect::kMayChange, Role::kInsertBack},
            {"pop_front", {}, {}, Returns::kAny, Effect::kUnlessNull, Role::kRemoveFront},
            {"pop_back", {}, {}, Returns::kAny, Effect::kUnlessNull, Role::kRemoveBack}};
  }

  static Result<State> initial(const Values& values, Value given) {
    return initial_items(kName, values, given);
  }

  static std::optional<Value> result(const State& items, const Call& call, Values&) {
    if (call.operation == kPushFront || call.operation == kPushBack || items.empty()) return kNull;
    return call.operation == kPopFront ? items.front() : items.back();
  }

  static void update(State& items, const Call& call, Values&) {
    switch (call.operation) {
      case kPushFront:
        items.insert(items.begin(), call.args[0]);
        break;
      case kPushBack:
        items.push_back(call.args[0]);
        break;
      case kPopFront:
        items.erase(items.begin());
        break;
      default:
        items.pop_back();
    }
  }

  static std::string describe(const State& items, const Values& values) { return list_items(items, values); }
};

}  // namespace

const Model& deque_model() {
  static const TypedModel<Deque> model;
  return model;
}

}  // namespace plumb
