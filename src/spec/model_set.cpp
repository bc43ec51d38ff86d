// A set of values. Each value is a key of its own: whether one is inside says nothing about another.
#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "base/small_bits.hpp"
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

class Set {
 public:
  enum Operation : std::uint32_t { kAdd, kRemove, kContains };
  using State = SmallBits;  // by number_of(value)
  static constexpr std::string_view kName = "set";
  static constexpr std::string_view kSummary =
      "values, each inside once; initially empty, or an array of what is inside";

  static std::vector<OperationSpec> operations() {
    return {{"add", {"insert"}, {Takes::kAny}, Returns::kBool, Effect::kUnlessFalse},
            {"remove", {}, {Takes::kAny}, Returns::kBool, Effect::kUnlessFalse},
            {"contains", {}, {Takes::kAny}, Returns::kBool, Effect::kNeverChanges}};
  }

  static Value key(const Call& call) { return call.args[0]; }

  Result<State> initial(const Values& values, Value given) {
    const auto items = initial_elements(kName, values, given);
    if (!items) return items.error();
    State inside;
    for (const Value item : *items) {
      if (!inside.test(number_of(item))) inside.flip(number_of(item));
    }
    return inside;
  }

  std::optional<Value> result(const State& inside, const Call& call, Values&) {
    const bool present = inside.test(number_of(call.args[0]));
    return Value::boolean(call.operation == kAdd ? !present : present);
  }

  void update(State& inside, const Call& call, Values&) { inside.flip(number_of(call.args[0])); }

  struct Sequential {
    absl::flat_hash_set<Value> inside;
    Sequential(const State& initial, const Set& set, const Values&) {
      for (std::size_t i = 0; i < set.numbered_.size(); ++i) {
        if (initial.test(i)) inside.insert(set.numbered_[i]);
      }
    }

    std::optional<Value> apply(const Call& call, const Values&) {
      switch (call.operation) {
        case kAdd:
          return Value::boolean(inside.insert(call.args[0]).second);
        case kRemove:
          return Value::boolean(inside.erase(call.args[0]) != 0);
        default:
          return Value::boolean(inside.contains(call.args[0]));
      }
    }
  };

  [[nodiscard]] std::string describe(const State& inside, const Values& values) const {
    std::vector<Value> items;
    for (std::size_t i = 0; i < numbered_.size(); ++i) {
      if (inside.test(i)) items.push_back(numbered_[i]);
    }
    std::ranges::sort(items, [&](Value a, Value b) { return values.compare(a, b) < 0; });
    return list_items(items, values);
  }

 private:
  // Values are numbered as they are met.
  std::size_t number_of(Value value) {
    const auto [it, is_new] = numbers_.try_emplace(value, static_cast<std::uint32_t>(numbered_.size()));
    if (is_new) numbered_.push_back(value);
    return it->second;
  }

  absl::flat_hash_map<Value, std::uint32_t> numbers_;
  std::vector<Value> numbered_;
};

}  // namespace

const Model& set_model() {
  static const TypedModel<Set> model;
  return model;
}

}  // namespace plumb
