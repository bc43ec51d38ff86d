// A map from keys to values; the value of an absent key is null. Each key is on its own.
#include "spec/entries.hpp"
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

struct Map {
  enum Operation : std::uint32_t { kGet, kPut, kRemove, kPutIfAbsent };
  using State = Entries<Value>;
  static constexpr std::string_view kName = "map";
  static constexpr Family kFamily = Family::kMap;
  static constexpr std::string_view kSummary = "keys with values; get of an absent key returns null";

  static std::vector<OperationSpec> operations() {
    return {{"get", {}, {Takes::kAny}, Returns::kAny, Effect::kNeverChanges, Role::kRead},
            {"put", {}, {Takes::kAny, Takes::kAny}, Returns::kNothing, Effect::kMayChange, Role::kWrite},
            {"remove", {}, {Takes::kAny}, Returns::kBool, Effect::kUnlessFalse, Role::kRemove},
            {"put_if_absent",
             {},
             {Takes::kAny, Takes::kAny},
             Returns::kBool,
             Effect::kUnlessFalse,
             Role::kWriteIfAbsent}};
  }

  static Value key(const Call& call) { return call.args[0]; }

  static Result<State> initial(const Values& values, Value given) {
    return initial_entries(kName, values, given);
  }

  static std::optional<Value> result(const State& entries, const Call& call, Values&) {
    const Value* value = entries.find(call.args[0]);
    switch (call.operation) {
      case kGet:
        return value == nullptr ? kNull : *value;
      case kRemove:
        return Value::boolean(value != nullptr);
      case kPutIfAbsent:
        return Value::boolean(value == nullptr);
      default:
        return kNull;
    }
  }

  static void update(State& entries, const Call& call, Values&) {
    if (call.operation == kRemove) {
      entries.erase(call.args[0]);
    } else {
      entries.set(call.args[0], call.args[1]);
    }
  }

  static std::string describe(const State& entries, const Values& values) {
    return list_entries(entries, values);
  }
};

}  // namespace

const Model& map_model() {
  static const TypedModel<Map> model;
  return model;
}

}  // namespace plumb
