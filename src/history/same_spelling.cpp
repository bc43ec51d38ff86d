#include "history/same_spelling.hpp"

#include <cctype>
#include <optional>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace plumb {
namespace {

constexpr std::string_view name_of(ValueKind kind) {
  switch (kind) {
    case ValueKind::kInteger:
    case ValueKind::kReal:
      return "number";
    case ValueKind::kString:
      return "string";
    default:
      return "constant";
  }
}

bool is_scalar(ValueKind kind) { return kind != ValueKind::kArray && kind != ValueKind::kObject; }

// The scalars in a value, items of arrays included.
void add_scalars(const Values& values, Value value, std::vector<Value>& all) {
  const ValueKind kind = values.kind(value);
  if (kind == ValueKind::kArray) {
    for (const Value item : values.as_array(value)) add_scalars(values, item, all);
  } else if (is_scalar(kind)) {
    all.push_back(value);
  }
}

class Arguments {
 public:
  Arguments(const History& history, OperationId except) : history_(history), except_(except) {}

  template <class Wanted>
  std::optional<Value> find(const Wanted& is_wanted) const {
    std::vector<Value> scalars;
    for (OperationId id = 0; id < history_.size(); ++id) {
      if (id == except_) continue;
      scalars.clear();
      for (const Value argument : history_.args(id)) add_scalars(history_.values(), argument, scalars);
      for (const Value each : scalars) {
        if (is_wanted(each)) return each;
      }
    }
    return std::nullopt;
  }

 private:
  const History& history_;
  OperationId except_;
};

// Only these can be spelled as a number or a constant is.
bool may_be_both(std::string_view text) {
  if (text.empty()) return false;
  const char first = text.front();
  return first == '-' || std::isdigit(static_cast<unsigned char>(first)) != 0 || text == "true" ||
         text == "false" || text == "null" || text == "nil";
}

// What is spelled like it, among the arguments of the others.
std::optional<Value> twin(const Values& values, Value value, const Arguments& others) {
  if (values.kind(value) != ValueKind::kString) {
    const auto text = values.find_string(values.to_json(value));
    return text ? others.find([&](Value each) { return each == *text; }) : std::nullopt;
  }
  const std::string_view text = values.as_string(value);
  if (!may_be_both(text)) return std::nullopt;
  return others.find(
      [&](Value each) { return values.kind(each) != ValueKind::kString && values.to_json(each) == text; });
}

}  // namespace

std::string same_spelling(const History& history, OperationId operation) {
  const Values& values = history.values();
  std::vector<Value> own;
  if (!history.is_pending(operation) && history.has_result(operation))
    add_scalars(values, history.result(operation), own);
  for (const Value argument : history.args(operation)) add_scalars(values, argument, own);
  const Arguments others(history, operation);
  for (const Value value : own) {
    const auto other = twin(values, value, others);
    if (!other || others.find([&](Value each) { return each == value; })) continue;
    return fmt::format("the {} {} and the {} {}, an argument elsewhere, are different values",
                       name_of(values.kind(value)), values.to_json(value), name_of(values.kind(*other)),
                       values.to_json(*other));
  }
  return "";
}

}  // namespace plumb
