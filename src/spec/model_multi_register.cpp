// Several registers, read and written together in transactions, as Knossos' multi-register records them.
//
// txn([[f, k, v], …]): f is read or write, as a word or an EDN keyword. The result is the same list with the
// reads filled in; a read whose value is null there is one whose answer is not known, and fits every state.
#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "spec/entries.hpp"
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

class MultiRegister {
 public:
  enum Operation : std::uint32_t { kTxn, kRead, kWrite };
  using State = Entries<Value>;  // no entry for a register that is 0
  static constexpr std::string_view kName = "multi-register";
  static constexpr Family kFamily = Family::kMultiRegister;
  static constexpr std::string_view kSummary =
      "registers by name, each initially 0, read and written in transactions";

  static std::vector<OperationSpec> operations() {
    return {{"txn", {}, {Takes::kArray}, Returns::kAny, Effect::kMayChange, Role::kTransact},
            {"read", {}, {Takes::kAny}, Returns::kAny, Effect::kNeverChanges, Role::kRead},
            {"write", {}, {Takes::kAny, Takes::kAny}, Returns::kNothing, Effect::kMayChange, Role::kWrite}};
  }

  static std::optional<std::string> validate(const Call& call, std::optional<Value> result,
                                             const Values& values) {
    if (call.operation != kTxn) return std::nullopt;
    const auto steps = values.as_array(call.args[0]);
    for (const Value step : steps) {
      if (!parse(step, values)) {
        return fmt::format("{} in the transaction; expected [\"read\", key, null] or [\"write\", key, value]",
                           values.to_json(step));
      }
    }
    if (!result || result->is_null() || same_steps(steps, *result, values)) return std::nullopt;
    return fmt::format("result {}; expected the steps of the transaction with the reads filled in",
                       values.to_json(*result));
  }

  static Result<State> initial(const Values& values, Value given) {
    auto entries = initial_entries(kName, values, given);
    if (!entries) return entries;
    State registers;
    for (const auto& [key, value] : *entries) write(registers, key, value);
    return registers;
  }

  static std::optional<Value> result(const State& registers, const Call& call, Values& values) {
    if (call.operation == kRead) return read(registers, call.args[0]);
    if (call.operation == kWrite) return kNull;
    State now = registers;
    const auto given = values.as_array(call.args[0]);
    std::vector<Value> steps(given.begin(), given.end());
    for (Value& step : steps) {
      const auto parsed = parse(step, values);
      if (!parsed) return std::nullopt;
      if (parsed->writes) {
        write(now, parsed->key, parsed->value);
      } else {
        step = values.array(std::array{parsed->name, parsed->key, read(now, parsed->key)});
      }
    }
    return values.array(steps);
  }

  // Where the result is known, without making a value of it: this is what a search does most.
  static bool allows(const State& registers, const Call& call, Value recorded, Values& values) {
    if (recorded.is_null() || call.operation == kWrite) return true;
    if (call.operation == kRead) return read(registers, call.args[0]) == recorded;
    State now = registers;
    for (const Value step : values.as_array(recorded)) {
      const auto parsed = parse(step, values);
      if (!parsed) return false;
      if (parsed->writes) {
        write(now, parsed->key, parsed->value);
      } else if (!parsed->value.is_null() && parsed->value != read(now, parsed->key)) {
        return false;
      }
    }
    return true;
  }

  static void update(State& registers, const Call& call, Values& values) {
    if (call.operation == kWrite) {
      write(registers, call.args[0], call.args[1]);
      return;
    }
    for (const Value step : values.as_array(call.args[0])) {
      const auto parsed = parse(step, values);
      if (parsed && parsed->writes) write(registers, parsed->key, parsed->value);
    }
  }

  static std::string describe(const State& registers, const Values& values) {
    return list_entries(registers, values);
  }

 private:
  struct Step {
    Value name;
    bool writes;
    Value key;
    Value value;
  };

  // [f, k, v]; a read may leave v out.
  static std::optional<Step> parse(Value step, const Values& values) {
    if (values.kind(step) != ValueKind::kArray) return std::nullopt;
    const auto items = values.as_array(step);
    if (items.size() < 2 || items.size() > 3 || values.kind(items[0]) != ValueKind::kString)
      return std::nullopt;
    std::string_view name = values.as_string(items[0]);
    if (name.starts_with(':')) name.remove_prefix(1);
    const bool writes = name == "write" || name == "w";
    if (!writes && name != "read" && name != "r") return std::nullopt;
    if (writes && items.size() != 3) return std::nullopt;
    return Step{items[0], writes, items[1], items.size() == 3 ? items[2] : kNull};
  }

  static bool same_steps(std::span<const Value> steps, Value result, const Values& values) {
    if (values.kind(result) != ValueKind::kArray) return false;
    const auto returned = values.as_array(result);
    return std::ranges::equal(steps, returned, [&](Value before, Value after) {
      const auto a = parse(before, values);
      const auto b = parse(after, values);
      return a && b && a->writes == b->writes && a->key == b->key && (!a->writes || a->value == b->value);
    });
  }

  static Value read(const State& registers, Value key) {
    const Value* found = registers.find(key);
    return found == nullptr ? Value::small(0) : *found;
  }
  static void write(State& registers, Value key, Value value) {
    if (value == Value::small(0)) {
      registers.erase(key);
    } else {
      registers.set(key, value);
    }
  }
};

}  // namespace

const Model& multi_register_model() {
  static const TypedModel<MultiRegister> model;
  return model;
}

}  // namespace plumb
