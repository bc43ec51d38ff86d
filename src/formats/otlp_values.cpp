#include "formats/otlp_values.hpp"

#include <string>
#include <vector>

#include <fmt/format.h>

#include "history/number.hpp"

namespace plumb {
namespace {

// The "values" of an array or a list of keys.
std::vector<Value> values_in(Value content, const Values& values) {
  const auto members = values.as_object(content);
  for (std::size_t i = 0; i < members.size(); i += 2) {
    if (values.as_string(members[i]) != "values" || values.kind(members[i + 1]) != ValueKind::kArray)
      continue;
    const auto items = values.as_array(members[i + 1]);
    return {items.begin(), items.end()};
  }
  return {};
}

Result<Value> array_value(Value content, Values& values, Place place) {
  std::vector<Value> items = values_in(content, values);
  for (Value& item : items) {
    auto plain = otlp_value(item, values, place);
    if (!plain) return plain;
    item = *plain;
  }
  return values.array(items);
}

Result<Value> list_value(Value content, Values& values, Place place) {
  std::vector<Member> members;
  for (const Value item : values_in(content, values)) {
    if (values.kind(item) != ValueKind::kObject)
      return Error{"a kvlistValue whose values are no pairs of key and value", place};
    Value key;
    Value value;
    const auto parts = values.as_object(item);
    for (std::size_t i = 0; i < parts.size(); i += 2)
      (values.as_string(parts[i]) == "key" ? key : value) = parts[i + 1];
    if (values.kind(key) != ValueKind::kString)
      return Error{"a kvlistValue with a pair without a key", place};
    auto plain = otlp_value(value, values, place);
    if (!plain) return plain;
    members.emplace_back(key, *plain);
  }
  return values.object(members);
}

}  // namespace

Result<Value> otlp_value(Value any, Values& values, Place place) {
  if (any.is_null()) return kNull;
  if (values.kind(any) != ValueKind::kObject)
    return Error{
        fmt::format("the value {} of an attribute; expected {{\"stringValue\":…}}, \"intValue\" or another",
                    values.to_json(any)),
        place};
  if (values.as_object(any).empty()) return kNull;
  const std::string kind(values.as_string(values.as_object(any)[0]));
  const Value content = values.as_object(any)[1];
  const ValueKind is = values.kind(content);
  if (values.as_object(any).size() == 2) {
    if (kind == "stringValue" && is == ValueKind::kString) return content;
    if (kind == "boolValue" && is == ValueKind::kBool) return content;
    if (kind == "doubleValue" && (is == ValueKind::kReal || is == ValueKind::kInteger)) return content;
    if (kind == "intValue" && is == ValueKind::kInteger) return content;
    if (kind == "intValue" && is == ValueKind::kString) {
      if (const auto number = parse_integer(values.as_string(content))) return values.integer(*number);
    }
    if (kind == "bytesValue" && is == ValueKind::kString) return content;
    if (kind == "arrayValue" && is == ValueKind::kObject) return array_value(content, values, place);
    if (kind == "kvlistValue" && is == ValueKind::kObject) return list_value(content, values, place);
  }
  return Error{fmt::format("the value {} of an attribute; expected one of stringValue, boolValue, "
                           "intValue, doubleValue, arrayValue, "
                           "kvlistValue, bytesValue",
                           values.to_json(any)),
               place};
}

}  // namespace plumb
