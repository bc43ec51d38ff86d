// A multiset: a value is inside as often as it was added. Each value is a key of its own.
#include <algorithm>

#include "spec/entries.hpp"
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

struct Multiset {
  enum Operation : std::uint32_t { kAdd, kRemove, kContains };
  using State = Entries<std::uint32_t>;  // how often each value is inside, where it is at all
  static constexpr std::string_view kName = "multiset";
  static constexpr Family kFamily = Family::kMultiset;
  static constexpr std::string_view kSummary =
      "values, each inside as often as it was added; remove takes one away";

  static std::vector<OperationSpec> operations() {
    return {{"add", {}, {Takes::kAny}, Returns::kNothing, Effect::kMayChange, Role::kInsert},
            {"remove", {}, {Takes::kAny}, Returns::kBool, Effect::kUnlessFalse, Role::kRemove},
            {"contains", {}, {Takes::kAny}, Returns::kBool, Effect::kNeverChanges, Role::kContains}};
  }

  static Value key(const Call& call) { return call.args[0]; }

  static Result<State> initial(const Values& values, Value given) {
    const auto items = initial_elements(kName, values, given);
    if (!items) return items.error();
    State inside;
    for (const Value item : *items) inside.set(item, count(inside, item) + 1);
    return inside;
  }

  static std::optional<Value> result(const State& inside, const Call& call, Values&) {
    if (call.operation == kAdd) return kNull;
    return Value::boolean(inside.find(call.args[0]) != nullptr);
  }

  static void update(State& inside, const Call& call, Values&) {
    const Value value = call.args[0];
    const std::uint32_t before = count(inside, value);
    if (call.operation == kAdd) {
      inside.set(value, before + 1);
    } else if (before > 1) {
      inside.set(value, before - 1);
    } else {
      inside.erase(value);
    }
  }

  static std::string describe(const State& inside, const Values& values) {
    std::vector<Value> items;
    for (const auto& [value, times] : inside) items.insert(items.end(), times, value);
    std::ranges::sort(items, [&](Value a, Value b) { return values.compare(a, b) < 0; });
    return list_items(items, values);
  }

 private:
  static std::uint32_t count(const State& inside, Value value) {
    const std::uint32_t* found = inside.find(value);
    return found == nullptr ? 0 : *found;
  }
};

}  // namespace

const Model& multiset_model() {
  static const TypedModel<Multiset> model;
  return model;
}

}  // namespace plumb
