#include "spec/bind.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>

#include "base/suggest.hpp"
#include "spec/claim.hpp"

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

// Whether an operation fits, as far as its handles say it without a look into the table of values: of most operations
// that is enough.
class Glance {
 public:
  Glance() = default;  // fits nothing
  explicit Glance(const OperationSpec& spec)
      : arity_(spec.takes.size()), least_(spec.takes.size() - spec.optional) {
    if (arity_ > takes_.size()) return;
    for (std::size_t k = 0; k < arity_; ++k) {
      takes_[k] = allowed([&](ValueKind kind) { return plumb::fits(spec.takes[k], kind); });
    }
    returns_ = allowed([&](ValueKind kind) { return plumb::fits(spec.returns, kind); });
    returns_nothing_ = spec.returns == Returns::kNothing;
  }

  [[nodiscard]] bool fits(const History& history, OperationId i) const {
    const auto args = history.args(i);
    if (args.size() < least_ || args.size() > arity_ || arity_ > takes_.size()) return false;
    for (std::size_t k = 0; k < args.size(); ++k) {
      if ((takes_[k] & sort_of(args[k])) == 0) return false;
    }
    return returns_nothing_ || (history.has_result(i) && (returns_ & sort_of(history.result(i))) != 0);
  }

  // Whether all of these fit that take one argument or none, by function; without a branch, since which function comes
  // next is as good as random.
  static bool fit_all(std::span<const Glance> glances, const Columns& columns) {
    const std::size_t last = std::max<std::size_t>(columns.arguments.size(), 1) - 1;
    const Value* arguments = columns.arguments.empty() ? &kNull : columns.arguments.data();
    std::size_t next = 0;
    bool wrong = false;
    for (std::size_t i = 0; i < columns.head.size(); ++i) {
      const OperationHead head = columns.head[i];
      const Glance& glance = glances[head.function];
      const unsigned takes = glance.takes_[0] | (head.arity == 0 ? kEvery : 0U);
      const unsigned returns =
          (head.has_result ? glance.returns_ : 0U) | (glance.returns_nothing_ ? kEvery : 0U);
      wrong |= (head.arity < glance.least_) | (head.arity > glance.arity_) | (head.arity > 1);
      wrong |= (takes & (sort_of(arguments[std::min(next, last)]) | kEvery)) == 0;
      wrong |= (returns & (sort_of(columns.result[i]) | kEvery)) == 0;
      next += head.arity;
    }
    return !wrong;
  }

 private:
  enum Sort : std::uint8_t { kTable = 0, kNil = 1, kBool = 2, kSmall = 4 };
  static constexpr unsigned kEvery = 8;  // for what is not asked for

  static std::uint8_t sort_of(Value value) {
    constexpr std::array<std::uint8_t, 4> kFirst = {kNil, kBool, kBool, kTable};
    return static_cast<std::uint8_t>(kFirst[std::min<std::uint32_t>(value.bits(), 3)] |
                                     (static_cast<unsigned>(value.is_small()) * kSmall));
  }
  static std::uint8_t allowed(const auto& fits) {
    return static_cast<std::uint8_t>((fits(ValueKind::kNil) ? kNil : 0) |
                                     (fits(ValueKind::kBool) ? kBool : 0) |
                                     (fits(ValueKind::kInteger) ? kSmall : 0));
  }

  std::size_t arity_ = 0;
  std::size_t least_ = ~std::size_t{0};  // of the arguments; the others may be left out
  std::array<std::uint8_t, 3> takes_ = {};
  std::uint8_t returns_ = 0;
  bool returns_nothing_ = false;
};

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

std::string unknown_operation(const Model& model, const std::string& name) {
  return fmt::format("the model '{}' has no operation '{}'{}; expected one of: {}", model.name(), name,
                     did_you_mean(name, operation_names(model)), known_operations(model));
}

std::optional<std::string> wrong_arguments(const OperationSpec& spec, std::string_view name,
                                           std::span<const Value> args, const Values& values) {
  if (args.size() > spec.takes.size() || args.size() + spec.optional < spec.takes.size()) {
    return fmt::format("'{}' with {} argument{}; expected {}", name, args.size(), args.size() == 1 ? "" : "s",
                       arity_text(spec));
  }
  for (std::size_t k = 0; k < args.size(); ++k) {
    if (spec.takes[k] == Takes::kAny || fits(spec.takes[k], values.kind(args[k]))) continue;
    return fmt::format("argument {} of '{}' is {}; expected {}", k + 1, name, values.to_json(args[k]),
                       to_text(spec.takes[k]));
  }
  return std::nullopt;
}

std::optional<std::string> wrong_result(const OperationSpec& spec, std::string_view name,
                                        HistoryBuilder::Completed completed, const Values& values) {
  if (spec.returns == Returns::kNothing) return std::nullopt;
  if (!completed.has_result) {
    return fmt::format(
        "'{}' returned, but its result is missing; expected {}, or, if nobody saw it, that the operation is "
        "recorded as pending",
        name,
        spec.returns == Returns::kAny ? "what it returned (null if that was null)" : to_text(spec.returns));
  }
  if (spec.returns == Returns::kAny || fits(spec.returns, values.kind(completed.result))) return std::nullopt;
  return fmt::format("result of '{}' is {}; expected {}", name, values.to_json(completed.result),
                     to_text(spec.returns));
}

Result<BoundHistory> BoundHistory::bind(const History& history, const Model& model) {
  BoundHistory bound(history, model);
  if (auto status = bound.bind_functions(); !status) return status.error();
  if (auto status = bound.check_types(); !status) return status.error();
  return bound;
}

BoundHistory::BoundHistory(const BoundHistory& own, const TestedClaim& claim)
    : history_(own.history_),
      model_(claim.built_in),
      family_(claim.built_in->family()),
      initial_(claim.initial),
      specs_(model_->operations()),
      own_(std::make_shared<const BoundHistory>(own)) {
  for (const std::uint32_t operation : own.operation_of_) {
    const bool is_known = operation != kUnknown && claim.operation_of[operation] != TestedClaim::kOutside;
    operation_of_.push_back(is_known ? claim.operation_of[operation] : kUnknown);
    role_of_.push_back(is_known ? specs_[operation_of_.back()].role : Role::kNone);
  }
}

Result<BoundHistory> BoundHistory::bind_as_family(const History& history, const Model& model) {
  auto own = bind(history, model);
  if (!own || model.claim() == nullptr) return own;
  const TestedClaim& claim = tested_claim(model);
  if (claim.wrong) return *claim.wrong;
  own->outside_family_ = claim.leaves_family(*own);
  if (!own->outside_family_.empty()) return own;
  return BoundHistory(*own, claim);
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
    const auto operation = find_operation(*model_, name);
    operation_of_.push_back(operation.value_or(kUnknown));
    role_of_.push_back(operation ? specs_[*operation].role : Role::kNone);
    all_known = all_known && operation;
  }
  if (all_known) return Ok{};
  for (OperationId i = 0; i < history_->size(); ++i) {
    if (operation(i) != kUnknown) continue;
    const std::string& name = history_->function_name(i);
    return wrong_operation(i, unknown_operation(*model_, name));
  }
  return Ok{};  // only operations that failed used the unknown name
}

Status BoundHistory::check_types() const {
  std::vector<Glance> glances;
  for (const std::uint32_t operation : operation_of_) {
    glances.push_back(operation == kUnknown ? Glance{} : Glance(specs_[operation]));
  }
  constexpr std::size_t kMany = 1024;
  const bool validates = model_->validates();
  for (std::size_t begin = 0; begin < history_->size(); begin += kMany) {
    const std::size_t end = std::min(begin + kMany, history_->size());
    if (!validates && Glance::fit_all(glances, history_->columns(begin, end))) continue;
    for (auto i = static_cast<OperationId>(begin); i < end; ++i) {
      if (!glances[history_->function(i)].fits(*history_, i)) {
        if (const auto wrong = wrong_types(i)) return wrong_operation(i, *wrong);
      }
      if (!validates) continue;
      if (const auto wrong = model_->validate(call(i), result(i), history_->values())) {
        return wrong_operation(i, fmt::format("'{}': {}", history_->function_name(i), *wrong));
      }
    }
  }
  return Ok{};
}

std::optional<std::string> BoundHistory::wrong_types(OperationId i) const {
  const std::string& name = history_->function_name(i);
  const Values& values = history_->values();
  auto wrong = wrong_arguments(spec(i), name, history_->args(i), values);
  if (wrong || history_->is_pending(i)) return wrong;
  return wrong_result(spec(i), name, {history_->result(i), history_->has_result(i)}, values);
}

}  // namespace plumb
