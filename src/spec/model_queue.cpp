// A queue, first in, first out; an empty one gives null.
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

struct Queue {
  enum Operation : std::uint32_t { kEnqueue, kDequeue };
  using State = std::vector<Value>;  // oldest first
  static constexpr std::string_view kName = "queue";
  static constexpr std::string_view kSummary = "first in, first out; dequeue of an empty queue returns null";

  static std::vector<OperationSpec> operations() {
    return {{"enqueue", {"enq", "push", "add"}, {Takes::kNotNull}, Returns::kNothing, Effect::kMayChange},
            {"dequeue", {"deq", "pop", "remove"}, {}, Returns::kAny, Effect::kUnlessNull}};
  }

  static Result<State> initial(const Values& values, Value given) {
    return initial_items(kName, values, given);
  }

  static std::optional<Value> result(const State& items, const Call& call, Values&) {
    if (call.operation == kEnqueue || items.empty()) return kNull;
    return items.front();
  }

  static void update(State& items, const Call& call, Values&) {
    if (call.operation == kEnqueue) {
      items.push_back(call.args[0]);
    } else {
      items.erase(items.begin());
    }
  }

  static std::string describe(const State& items, const Values& values) { return list_items(items, values); }
};

}  // namespace

const Model& queue_model() {
  static const TypedModel<Queue> model;
  return model;
}

}  // namespace plumb
