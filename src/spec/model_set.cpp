// A set of values. Each value is a key of its own: whether one is inside says nothing about another.
#include <algorithm>
#include <memory>

#include <absl/container/flat_hash_map.h>

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
  static constexpr Family kFamily = Family::kSet;
  static constexpr std::string_view kSummary =
      "values, each inside once; initially empty, or an array of what is inside";

  static std::vector<OperationSpec> operations() {
    return {{"add", {"insert"}, {Takes::kAny}, Returns::kBool, Effect::kUnlessFalse, Role::kInsert},
            {"remove", {}, {Takes::kAny}, Returns::kBool, Effect::kUnlessFalse, Role::kRemove},
            {"contains", {}, {Takes::kAny}, Returns::kBool, Effect::kNeverChanges, Role::kContains}};
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

  // Small numbers, which most values are, stand in an array.
  class Sequential {
   public:
    Sequential(const State& initial, const Set& set, const Values&) {
      for (std::size_t i = 0; i < set.numbered_.size(); ++i) {
        if (initial.test(i)) is_inside(set.numbered_[i]) = true;
      }
    }

    Value apply(const Call& call, const Values&) {
      bool& inside = is_inside(call.args[0]);
      const bool before = inside;
      const bool adds = call.operation == kAdd;
      inside = call.operation == kContains ? before : adds;
      return Value::boolean(before != adds);
    }

   private:
    static constexpr std::int64_t kNear = 1 << 20;

    bool& is_inside(Value value) {
      const std::int64_t number = value.is_small() ? value.small_integer() : kNear;
      if (number < 0 || number >= kNear) return far_[value];
      const auto at = static_cast<std::size_t>(number);
      if (at >= size_) grow(at);
      return near_[at];
    }
    void grow(std::size_t at) {
      const std::size_t size = std::max(2 * size_, at + 64);
      auto more = std::make_unique<bool[]>(size);
      std::copy_n(near_.get(), size_, more.get());
      near_ = std::move(more);
      size_ = size;
    }

    std::unique_ptr<bool[]> near_;
    std::size_t size_ = 0;
    absl::flat_hash_map<Value, bool> far_;
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
