#include "spec/bind.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/suggest.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kUnknown = ~std::uint32_t{0};

bool fits(Takes takes, ValueKind kind) {
  switch (takes) {
    case Takes::kAny:
      return true;
    case Takes::kNotNull:
      return kind != ValueKind::kNil;
    case Takes::kInteger:
      return kind == ValueKind::kInteger;
    case Takes::kString:
      return kind == ValueKind::kString;
    case Takes::kArray:
      return kind == ValueKind::kArray;
  }
  return false;
}

bool fits(Returns returns, ValueKind kind) {
  switch (returns) {
    case Returns::kNothing:
    case Returns::kAny:
      return true;
    case Returns::kBool:
      return kind == ValueKind::kBool;
    case Returns::kInteger:
      return kind == ValueKind::kInteger;
    case Returns::kString:
      return kind == ValueKind::kString;
  }
  return false;
}

std::string_view to_text(Takes takes) {
  switch (takes) {
    case Takes::kAny:
      return "a value";
    case Takes::kNotNull:
      return "a value other than null, which stands for 'empty'";
    case Takes::kInteger:
      return "an integer";
    case Takes::kString:
      return "a string";
    case Takes::kArray:
      return "an array";
  }
  return "";
}

std::string_view to_text(Returns returns) {
  switch (returns) {
    case Returns::kNothing:
      return "nothing";
    case Returns::kAny:
      return "a value";
    case Returns::kBool:
      return "true or false";
    case Returns::kInteger:
      return "an integer";
    case Returns::kString:
      return "a string";
  }
  return "";
}

std::string arity_text(const OperationSpec& spec) {
  const std::size_t most = spec.takes.size();
  const std::string number =
      spec.optional == 0 ? fmt::format("{}", most) : fmt::format("{} to {}", most - spec.optional, most);
  return fmt::format("{} argument{}", number, most == 1 ? "" : "s");
}

std::vector<std::string> operation_names(const Model& model) {
  std::vector<std::string> names;
  for (const OperationSpec& spec : model.operations()) {
    names.push_back(spec.name);
    names.insert(names.end(), spec.aliases.begin(), spec.aliases.end());
  }
  return names;
}

std::string known_operations(const Model& model) {
  std::string out;
  for (const OperationSpec& spec : model.operations()) out += (out.empty() ? "" : ", ") + spec.name;
  return out;
}

}  // namespace

Result<BoundHistory> BoundHistory::bind(const History& history, const Model& model) {
  BoundHistory bound(history, model);
  if (auto status = bound.bind_functions(); !status) return status.error();
  if (auto status = bound.check_types(); !status) return status.error();
  return bound;
}

// An operation without a place in a text is named by its number.
Error BoundHistory::wrong_operation(OperationId i, const std::string& what) const {
  const Place place = history_->place(i);
  return Error{place.line == 0 ? fmt::format("operation {}: {}", i, what) : what, place};
}

// A name the model does not know is reported at the first operation that uses it.
Status BoundHistory::bind_functions() {
  const auto functions = history_->functions();
  bool all_known = true;
  for (const std::string& name : functions) {
    operation_of_.push_back(find_operation(*model_, name).value_or(kUnknown));
    all_known = all_known && operation_of_.back() != kUnknown;
  }
  if (all_known) return Done{};
  for (OperationId i = 0; i < history_->size(); ++i) {
    if (operation(i) != kUnknown) continue;
    const std::string& name = history_->function_name(i);
    return wrong_operation(
        i, fmt::format("the model '{}' has no operation '{}'{}; expected one of: {}", model_->name(), name,
                       did_you_mean(name, operation_names(*model_)), known_operations(*model_)));
  }
  return Done{};  // only operations that failed used the unknown name
}

Status BoundHistory::check_types() const {
  for (OperationId i = 0; i < history_->size(); ++i) {
    auto wrong = wrong_arguments(i);
    if (!wrong) wrong = wrong_result(i);
    if (!wrong) {
      wrong = model_->complaint(call(i), result(i), history_->values());
      if (wrong) *wrong = fmt::format("'{}': {}", history_->function_name(i), *wrong);
    }
    if (wrong) return wrong_operation(i, *wrong);
  }
  return Done{};
}

std::optional<std::string> BoundHistory::wrong_arguments(OperationId i) const {
  const OperationSpec& s = spec(i);
  const auto args = history_->args(i);
  if (args.size() > s.takes.size() || args.size() + s.optional < s.takes.size()) {
    return fmt::format("'{}' with {} argument{}; expected {}", history_->function_name(i), args.size(),
                       args.size() == 1 ? "" : "s", arity_text(s));
  }
  const Values& values = history_->values();
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (s.takes[k] == Takes::kAny || fits(s.takes[k], values.kind(args[k]))) continue;
    return fmt::format("argument {} of '{}' is {}; expected {}", k + 1, history_->function_name(i),
                       values.to_json(args[k]), to_text(s.takes[k]));
  }
  return std::nullopt;
}

std::optional<std::string> BoundHistory::wrong_result(OperationId i) const {
  const OperationSpec& s = spec(i);
  if (history_->is_pending(i) || s.returns == Returns::kNothing) return std::nullopt;
  if (!history_->has_result(i)) {
    return fmt::format("'{}' returned, but its result is missing; expected {}{}", history_->function_name(i),
                       to_text(s.returns), s.returns == Returns::kAny ? " (null for none)" : "");
  }
  const Values& values = history_->values();
  const Value result = history_->result(i);
  if (s.returns == Returns::kAny || fits(s.returns, values.kind(result))) return std::nullopt;
  return fmt::format("result of '{}' is {}; expected {}", history_->function_name(i), values.to_json(result),
                     to_text(s.returns));
}

}  // namespace plumb
