// A priority queue: the smallest value first; an empty one gives null.
#include <algorithm>

#include "base/wide_heap.hpp"
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

struct PriorityQueue {
  enum Operation : std::uint32_t { kInsert, kExtractMin };
  using State = std::vector<Value>;  // sorted, the smallest last: the same items are the same state
  static constexpr std::string_view kName = "priority-queue";
  static constexpr std::string_view kSummary =
      "the smallest value first; extract_min of an empty one returns null";

  static std::vector<OperationSpec> operations() {
    return {{"insert", {}, {Takes::kNotNull}, Returns::kNothing, Effect::kMayChange},
            {"extract_min", {}, {}, Returns::kAny, Effect::kUnlessNull}};
  }

  static Result<State> initial(const Values& values, Value given) {
    auto items = initial_items(kName, values, given);
    if (items) std::ranges::sort(*items, [&](Value a, Value b) { return values.compare(a, b) > 0; });
    return items;
  }

  static std::optional<Value> result(const State& items, const Call& call, Values&) {
    if (call.operation == kInsert || items.empty()) return kNull;
    return items.back();
  }

  static void update(State& items, const Call& call, Values& values) {
    if (call.operation == kExtractMin) {
      items.pop_back();
      return;
    }
    const auto place = std::ranges::lower_bound(items, call.args[0],
                                                [&](Value a, Value b) { return values.compare(a, b) > 0; });
    items.insert(place, call.args[0]);
  }

  struct Smaller {
    const Values* values;
    bool operator()(Value a, Value b) const {
      if (a.is_small() && b.is_small()) return a.small_integer() < b.small_integer();
      return values->compare(a, b) < 0;
    }
  };
  struct Sequential {
    WideHeap<Value, Smaller> heap;
    Sequential(State initial, const PriorityQueue&, const Values& values)
        : heap(Smaller{&values}, std::move(initial)) {}

    Value apply(const Call& call, const Values&) {
      if (call.operation == kInsert) return heap.push(call.args[0]), kNull;
      if (heap.empty()) return kNull;
      const Value least = heap.top();
      heap.pop();
      return least;
    }
  };

  static std::string describe(const State& items, const Values& values) {
    return list_items(std::vector<Value>(items.rbegin(), items.rend()), values);
  }
};

}  // namespace

const Model& priority_queue_model() {
  static const TypedModel<PriorityQueue> model;
  return model;
}

}  // namespace plumb
