// A store of strings that grow: get, put, append. Each key is on its own; a new one has the empty string.
#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "spec/entries.hpp"
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

class KvAppend {
 public:
  enum Operation : std::uint32_t { kGet, kPut, kAppend };
  using State = Entries<Value>;  // no entry for a key with the empty string
  static constexpr std::string_view kName = "kv-append";
  static constexpr Family kFamily = Family::kKvAppend;
  static constexpr std::string_view kSummary =
      "keys with strings that can be appended to; initially empty strings";

  static std::vector<OperationSpec> operations() {
    return {{"get", {}, {Takes::kAny}, Returns::kString, Effect::kNeverChanges, Role::kRead},
            {"put", {}, {Takes::kAny, Takes::kString}, Returns::kNothing, Effect::kMayChange, Role::kWrite},
            {"append",
             {},
             {Takes::kAny, Takes::kString},
             Returns::kNothing,
             Effect::kMayChange,
             Role::kAppend,
             0,
             true}};
  }

  static Value key(const Call& call) { return call.args[0]; }

  Result<State> initial(Values& values, Value given) {
    empty_ = values.string("");
    auto entries = initial_entries(kName, values, given);
    if (!entries) return entries;
    State strings;
    for (const auto& [key, value] : *entries) {
      if (values.kind(value) != ValueKind::kString) {
        return Error{fmt::format("initial value {} of key {}; expected a string", values.to_json(value),
                                 values.to_json(key))};
      }
      store(strings, key, value);
    }
    return strings;
  }

  std::optional<Value> result(const State& strings, const Call& call, Values&) const {
    return call.operation == kGet ? get(strings, call.args[0]) : kNull;
  }

  void update(State& strings, const Call& call, Values& values) {
    const Value given = call.args[1];
    store(strings, call.args[0],
          call.operation == kPut ? given : joined(get(strings, call.args[0]), given, values));
  }

  // What is appended to stays at the front.
  bool may_lead_to(const State& strings, const Call& call, Value result, const Values& values) const {
    return values.as_string(result).starts_with(values.as_string(get(strings, call.args[0])));
  }

  static std::string describe(const State& strings, const Values& values) {
    return list_entries(strings, values);
  }

 private:
  [[nodiscard]] Value get(const State& strings, Value key) const {
    const Value* found = strings.find(key);
    return found == nullptr ? empty_ : *found;
  }
  void store(State& strings, Value key, Value text) const {
    if (text == empty_) {
      strings.erase(key);
    } else {
      strings.set(key, text);
    }
  }
  // A search tries the same appends again and again: each is made, hashed and compared as text only once.
  Value joined(Value head, Value tail, Values& values) {
    const auto [it, is_new] = joined_.try_emplace(std::pair(head, tail));
    if (is_new) {
      std::string text(values.as_string(head));
      text += values.as_string(tail);
      it->second = values.string(text);
    }
    return it->second;
  }

  Value empty_;
  absl::flat_hash_map<std::pair<Value, Value>, Value> joined_;
};

}  // namespace

const Model& kv_append_model() {
  static const TypedModel<KvAppend> model;
  return model;
}

}  // namespace plumb
