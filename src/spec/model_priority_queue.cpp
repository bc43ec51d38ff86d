// A priority queue: the smallest value first; an empty one gives null.
#include <algorithm>

#include "base/number_set.hpp"
#include "base/wide_heap.hpp"
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

struct PriorityQueue {
  enum Operation : std::uint32_t { kInsert, kExtractMin, kPeek };
  using State = std::vector<Value>;  // sorted, the smallest last: the same items are the same state
  static constexpr std::string_view kName = "priority-queue";
  static constexpr Family kFamily = Family::kPriorityQueue;
  static constexpr std::string_view kSummary =
      "the smallest value first; extract_min and peek of an empty one return null";

  static std::vector<OperationSpec> operations() {
    return {{"insert", {}, {Takes::kNotNull}, Returns::kNothing, Effect::kMayChange, Role::kInsert},
            {"extract_min", {}, {}, Returns::kAny, Effect::kUnlessNull, Role::kRemove},
            {"peek", {"find_min"}, {}, Returns::kAny, Effect::kNeverChanges, Role::kPeek}};
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
  // Numbers that lie close together are in a set; what is not such a number, or there twice, in a heap.
  struct Sequential {
    NumberSet numbers;
    WideHeap<Value, Smaller> heap;
    Smaller smaller;
    std::size_t insertions = 0;
    Sequential(State initial, const PriorityQueue&, const Values& values)
        : heap(Smaller{&values}, std::move(initial)), smaller{&values} {}

    Value apply(const Call& call, const Values&) {
      if (call.operation == kInsert) return insert(call.args[0]), kNull;
      if (!numbers.empty() && (heap.empty() || smaller(least_number(), heap.top()))) {
        const Value least = least_number();
        if (call.operation == kExtractMin) numbers.erase_least();
        return least;
      }
      if (heap.empty()) return kNull;
      const Value least = heap.top();
      if (call.operation == kExtractMin) heap.pop();
      return least;
    }

   private:
    // In the order of the numbers.
    static constexpr std::uint32_t kSign = 0x8000'0000U;
    [[nodiscard]] Value least_number() const {
      return Value::small(static_cast<std::int32_t>(numbers.least() ^ kSign));
    }

    void insert(Value value) {
      ++insertions;
      if (value.is_small()) {
        const std::uint32_t number = static_cast<std::uint32_t>(value.small_integer()) ^ kSign;
        if ((numbers.covers(number) || numbers.widen(number, most_bytes())) && numbers.insert(number)) return;
      }
      heap.push(value);
    }
    // Of the set: in proportion to what was inserted.
    [[nodiscard]] std::size_t most_bytes() const { return 4096 + 64 * insertions; }
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
