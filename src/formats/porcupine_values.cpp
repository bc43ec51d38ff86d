#include "formats/porcupine_values.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <string_view>

#include <fmt/format.h>

#include "base/lower_case.hpp"
#include "formats/jepsen_convention.hpp"

namespace plumb {
namespace {

using Names = std::span<const std::string_view>;

constexpr std::array<std::string_view, 7> kFunction = {"op",        "f",      "fn",  "function",
                                                       "operation", "method", "type"};
constexpr std::array<std::string_view, 2> kArgs = {"args", "arguments"};
constexpr std::array<std::string_view, 2> kKey = {"key", "k"};
constexpr std::array<std::string_view, 3> kValue = {"value", "val", "v"};
constexpr std::array<std::string_view, 3> kOld = {"old", "from", "expected"};
constexpr std::array<std::string_view, 2> kNew = {"new", "to"};
constexpr std::array<std::string_view, 2> kResult = {"result", "value"};
constexpr std::array<std::string_view, 4> kOk = {"ok", "found", "exists", "swapped"};
constexpr std::array<std::string_view, 1> kSuccess = {"success"};
constexpr std::array<std::string_view, 1> kUnknown = {"unknown"};
constexpr std::array<std::string_view, 2> kError = {"err", "error"};

// As Go writes exported names: "Get" is get, "PUT" is put, "PutIfAbsent" is putIfAbsent.
std::string function_name(std::string_view text) {
  const bool shouts = std::ranges::none_of(text, [](unsigned char c) { return std::islower(c) != 0; });
  if (shouts || text.empty()) return lower_case(text);
  return lower_case(text.substr(0, 1)) + std::string(text.substr(1));
}

// The members of a struct, by their names in whatever case. Each is taken once; what is left is not understood.
class Struct {
 public:
  Struct(Value value, const Values& values) {
    const auto items = values.as_object(value);
    for (std::size_t i = 0; i < items.size(); i += 2) {
      std::string name = lower_case(values.as_string(items[i]));
      if (items[i + 1].is_null()) {
        nothing_.push_back(std::move(name));
      } else {
        members_.push_back({std::move(name), values.as_string(items[i]), items[i + 1]});
      }
    }
  }

  // Null is what Go writes where there is nothing.
  std::optional<Value> take(Names names) {
    for (const std::string_view name : names) {
      const auto it = std::ranges::find(members_, name, &Member::name);
      if (it == members_.end()) continue;
      const Value value = it->value;
      members_.erase(it);
      return value;
    }
    return std::nullopt;
  }
  // Where nothing is a value: what a register holds at first, say.
  std::optional<Value> take_or_null(Names names) {
    if (const auto value = take(names)) return value;
    const auto is_null = [&](std::string_view name) {
      return std::ranges::find(nothing_, name) != nothing_.end();
    };
    return std::ranges::any_of(names, is_null) ? std::optional(kNull) : std::nullopt;
  }
  [[nodiscard]] bool empty() const { return members_.empty(); }
  [[nodiscard]] Error not_understood(std::string_view where, std::string_view expected) const {
    return Error{
        fmt::format("a member \"{}\" of the {}; expected {}", members_.front().written, where, expected)};
  }

 private:
  struct Member {
    std::string name;
    std::string_view written;
    Value value;
  };
  std::vector<Member> members_;
  std::vector<std::string> nothing_;  // members that are null
};

constexpr std::string_view kExpectedInput =
    "op (the function's name), key, value, old and new, or args (an array); others are of your program alone";
constexpr std::string_view kExpectedOutput =
    "value or result, ok (or found, exists, success, swapped), unknown, error";

Result<PorcupineCall> call_of_struct(Value input, const Values& values) {
  Struct members(input, values);
  const auto name = members.take(kFunction);
  if (!name) return Error{"an Input without \"op\"; expected the function's name there"};
  if (values.kind(*name) != ValueKind::kString) {
    return Error{fmt::format(
        "the operation {} in Input; expected its name: what a number means only your program knows",
        values.to_json(*name))};
  }
  PorcupineCall call{function_name(values.as_string(*name)), {}};
  const JepsenKind kind = jepsen_kind(call.function);
  if (const auto args = members.take(kArgs)) {
    if (values.kind(*args) != ValueKind::kArray) return Error{"\"args\" of the Input is no array"};
    const auto items = values.as_array(*args);
    call.args.assign(items.begin(), items.end());
    if (!members.empty()) return members.not_understood("Input", "nothing but op beside args");
    return call;
  }
  if (const auto key = members.take(kKey)) call.args.push_back(*key);
  const auto value = members.take(kValue);
  // Go writes every field, also those that a read has no use for.
  if (value && kind != JepsenKind::kRead && kind != JepsenKind::kGet && kind != JepsenKind::kCas)
    call.args.push_back(*value);
  const auto old = members.take_or_null(kOld);
  const auto desired = members.take_or_null(kNew);
  if (kind == JepsenKind::kCas) {
    if (!old || !desired) return Error{"a cas whose Input has not both \"old\" and \"new\""};
    call.args.push_back(*old);
    call.args.push_back(*desired);
  }
  if (!members.empty()) return members.not_understood("Input", kExpectedInput);
  return call;
}

// Whether ok is all that such an operation returns.
bool answers_ok(JepsenKind kind, std::string_view function) {
  constexpr std::array<std::string_view, 5> kSay = {"add", "insert", "contains", "try_acquire", "tryAcquire"};
  return kind == JepsenKind::kCas || kind == JepsenKind::kKeyedAnswer ||
         std::ranges::find(kSay, function) != kSay.end();
}

// What programs write where there was no error: nothing, false, 0, "OK".
bool is_an_error(Value error, const Values& values) {
  constexpr std::array<std::string_view, 5> kNone = {"", "ok", "nil", "none", "success"};
  if (error == kFalse || error == Value::small(0)) return false;
  if (values.kind(error) != ValueKind::kString) return true;
  return std::ranges::find(kNone, lower_case(values.as_string(error))) == kNone.end();
}

Result<PorcupineReturn> return_of_struct(const std::string& function, Value output, const Values& values) {
  const JepsenKind kind = jepsen_kind(function);
  Struct members(output, values);
  const auto unknown = members.take(kUnknown);
  const auto error = members.take(kError);
  if (unknown && !unknown->is_bool()) return Error{"\"unknown\" of the Output is neither true nor false"};
  if ((unknown && unknown->is_true()) || (error && is_an_error(*error, values)))
    return PorcupineReturn{false, {kNull, false}};
  auto ok = members.take(kOk);
  const auto success = members.take(kSuccess);
  if (success && !success->is_bool()) return Error{"\"success\" of the Output is neither true nor false"};
  if (success && answers_ok(kind, function)) {
    ok = success;
  } else if (success && !success->is_true()) {
    return PorcupineReturn{false,
                           {kNull, false}};  // the call did not come through: it may have had its effect
  }
  const auto result = members.take(kResult);
  if (!members.empty()) return members.not_understood("Output", kExpectedOutput);
  if (ok && !ok->is_bool()) return Error{"\"ok\" of the Output is neither true nor false"};
  const bool returns_nothing = kind == JepsenKind::kVoid || kind == JepsenKind::kKeyed;
  if (returns_nothing) {
    if (ok && !ok->is_true()) return PorcupineReturn{false, {kNull, false}};
    return PorcupineReturn{true, {kNull, true}};
  }
  if (ok && answers_ok(kind, function)) return PorcupineReturn{true, {*ok, true}};
  if (ok && !result) {
    return Error{fmt::format(
        "an Output of '{}' with ok and no value; expected the value, too (null if there was none)",
        function)};
  }
  if (ok && !ok->is_true()) return PorcupineReturn{true, {kNull, true}};  // value, ok := …
  return PorcupineReturn{true, {result.value_or(kNull), result.has_value()}};
}

}  // namespace

Result<PorcupineCall> porcupine_call(Value input, const Values& values) {
  switch (values.kind(input)) {
    case ValueKind::kString:
      return PorcupineCall{function_name(values.as_string(input)), {}};
    case ValueKind::kArray: {
      const auto items = values.as_array(input);
      if (items.empty() || values.kind(items[0]) != ValueKind::kString)
        return Error{"an Input that is an array without a name; expected [\"write\", 3]"};
      return PorcupineCall{function_name(values.as_string(items[0])), {items.begin() + 1, items.end()}};
    }
    case ValueKind::kObject:
      return call_of_struct(input, values);
    default:
      return Error{fmt::format(
          "the Input {}; expected an object with op, key, value …, an array [\"write\", 3], or a name",
          values.to_json(input))};
  }
}

Result<PorcupineReturn> porcupine_return(const std::string& function, Value output, const Values& values) {
  const JepsenKind kind = jepsen_kind(function);
  if (values.kind(output) == ValueKind::kObject) return return_of_struct(function, output, values);
  const bool returns_nothing = kind == JepsenKind::kVoid || kind == JepsenKind::kKeyed;
  if (returns_nothing && output == kFalse) return PorcupineReturn{false, {kNull, false}};
  return PorcupineReturn{true, {returns_nothing ? kNull : output, true}};
}

}  // namespace plumb
