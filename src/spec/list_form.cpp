#include "spec/list_form.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "history/java_text.hpp"
#include "spec/models.hpp"
#include "spec/typed_model.hpp"

namespace plumb {
namespace {

using Kind = ListStep::Kind;

constexpr std::string_view kIllegalState = "java.lang.IllegalStateException";
constexpr std::string_view kNoSuchElement = "java.util.NoSuchElementException";
constexpr std::string_view kNoSuchElementJson = "\"java.util.NoSuchElementException\"";

// The class of java.util.concurrent that the model is, if that is a list; null otherwise.
const JavaClass* java_list(const Model& model) {
  const auto models = java_models();
  const auto it = std::ranges::find(models, &model, [](const auto& m) { return m.get(); });
  if (it == models.end()) return nullptr;
  const JavaClass& type = java_classes()[static_cast<std::size_t>(it - models.begin())];
  return type.kind == JavaKind::kList || type.kind == JavaKind::kHeap ? &type : nullptr;
}

bool is_at_back(JavaMethod method) {
  switch (method) {
    case JavaMethod::kAdd:
    case JavaMethod::kAddLast:
    case JavaMethod::kOfferLast:
    case JavaMethod::kPutLast:
    case JavaMethod::kRemoveLast:
    case JavaMethod::kPollLast:
    case JavaMethod::kTakeLast:
    case JavaMethod::kGetLast:
    case JavaMethod::kPeekLast:
      return true;
    default:
      return false;
  }
}

ListStep never() {
  ListStep step;
  step.kind = Kind::kCount;
  step.count = ListStep::kNever;
  return step;
}

ListStep counted(std::int64_t count) {
  ListStep step;
  step.kind = Kind::kCount;
  step.count = count;
  return step;
}

}  // namespace

std::optional<ListForm::Order> ListForm::order(const BoundHistory& history) {
  if (history.family() == Family::kDeque || history.family() == Family::kStack) return Order::kEnds;
  const JavaClass* type = java_list(history.model());
  if (type == nullptr) return std::nullopt;
  return type->kind == JavaKind::kHeap ? Order::kLeast : Order::kEnds;
}

ListForm::ListForm(const BoundHistory& history) : history_(history) {
  const bool is_stack = history.family() == Family::kStack;
  if (is_stack || history.family() == Family::kDeque) {
    initial_ =
        initial_items(to_string(history.family()), history.history().values(), history.initial()).value();
    if (is_stack) std::ranges::reverse(initial_);
  } else {
    begin_java();
  }
}

// The arguments of the constructor: a number is the capacity, an array what is inside; what else there may be does not
// matter here.
void ListForm::begin_java() {
  const JavaClass& type = *java_list(history_.model());
  for (const JavaOperation& operation : java_operations(type)) methods_.push_back(operation.method);
  has_capacity_ = type.has_capacity;
  const Values& values = history_.history().values();
  const Value given = history_.initial();
  const auto arguments =
      values.kind(given) == ValueKind::kArray ? values.as_array(given) : std::span(&given, 1);
  for (const Value argument : arguments) {
    const ValueKind kind = values.kind(argument);
    if (kind == ValueKind::kInteger && has_capacity_) capacity_ = values.as_integer(argument);
    if (kind != ValueKind::kArray) continue;
    const auto items = values.as_array(argument);
    initial_.insert(initial_.end(), items.begin(), items.end());
    begins_with_exception_ |=
        std::ranges::any_of(items, [&](Value item) { return is_text(item, kNoSuchElement); });
  }
}

std::optional<ListStep> ListForm::step(OperationId id) {
  if (begins_with_exception_) return refuse("an element is the name of an exception");
  return methods_.empty() ? family_step(id) : java_step(id);
}

ListStep ListForm::family_step(OperationId id) const {
  const Role role = history_.role(id);
  ListStep step;
  step.at_back = role == Role::kInsertBack || role == Role::kRemoveBack || role == Role::kPeekBack;
  if (role == Role::kInsert || role == Role::kInsertFront || role == Role::kInsertBack) {
    step.kind = Kind::kPush;
    step.value = history_.history().args(id)[0];
    return step;
  }
  const auto result = history_.result(id);
  if (is_peek(role) && !result) return step;  // nobody knows what it found
  step.asks = is_peek(role) ? Kind::kPeek : Kind::kPop;
  step.when_empty = "null";
  step.kind = !result ? Kind::kPopAny : result->is_null() ? Kind::kCount : step.asks;
  step.value = result.value_or(kNull);
  return step;
}

std::optional<ListStep> ListForm::java_step(OperationId id) {
  const JavaMethod method = methods_[history_.operation(id)];
  const bool is_pending = history_.history().is_pending(id);
  const auto result = is_pending ? std::nullopt : recorded(id);
  if (!is_pending && !result) return std::nullopt;
  switch (method) {
    case JavaMethod::kAdd:
    case JavaMethod::kAddFirst:
    case JavaMethod::kAddLast:
    case JavaMethod::kOfferFirst:
    case JavaMethod::kOfferLast:
    case JavaMethod::kPutFirst:
    case JavaMethod::kPutLast:
      return push(method, history_.history().args(id)[0], result);
    case JavaMethod::kRemoveFirst:
    case JavaMethod::kRemoveLast:
    case JavaMethod::kPollFirst:
    case JavaMethod::kPollLast:
    case JavaMethod::kTakeFirst:
    case JavaMethod::kTakeLast:
      return pop(method, result);
    case JavaMethod::kGetFirst:
    case JavaMethod::kGetLast:
    case JavaMethod::kPeekFirst:
    case JavaMethod::kPeekLast:
      return result ? peek(method, *result) : ListStep{};
    case JavaMethod::kSize:
    case JavaMethod::kIsEmpty:
    case JavaMethod::kRemainingCapacity:
      return result ? count(method, *result) : ListStep{};
    default:
      return refuse(
          fmt::format("'{}' does not go by the ends of a list", history_.history().function_name(id)));
  }
}

// A text that reads like a value stands for that.
std::optional<Value> ListForm::recorded(OperationId id) {
  const Value result = *history_.result(id);
  const Values& values = history_.history().values();
  if (values.kind(result) != ValueKind::kString) return result;
  Values scratch;
  const auto read = read_java_scalar(values.as_string(result), scratch);
  if (!read) return result;
  if (read->is_null() || read->is_bool() || read->is_small()) return read;
  return refuse("a result is recorded as a text");
}

bool ListForm::is_text(Value value, std::string_view text) const {
  const Values& values = history_.history().values();
  return values.kind(value) == ValueKind::kString && values.as_string(value) == text;
}

std::optional<ListStep> ListForm::push(JavaMethod method, Value element, std::optional<Value> result) {
  if (element.is_null()) return refuse("an element is null");
  if (is_text(element, kNoSuchElement)) return refuse("an element is the name of an exception");
  const bool offers = method == JavaMethod::kOfferFirst || method == JavaMethod::kOfferLast;
  const bool waits = method == JavaMethod::kPutFirst || method == JavaMethod::kPutLast;
  const Value done = offers || method == JavaMethod::kAdd ? kTrue : kNull;
  if (!result || *result == done) {
    ListStep step;
    step.kind = Kind::kPush;
    step.at_back = is_at_back(method);
    step.value = element;
    return step;
  }
  const bool was_full = !waits && (offers ? *result == kFalse : is_text(*result, kIllegalState));
  return was_full ? counted(capacity_) : never();
}

ListStep ListForm::pop(JavaMethod method, std::optional<Value> result) const {
  const bool throws = method == JavaMethod::kRemoveFirst || method == JavaMethod::kRemoveLast;
  const bool waits = method == JavaMethod::kTakeFirst || method == JavaMethod::kTakeLast;
  ListStep step;
  step.kind = Kind::kPop;
  if (!result) {
    step.kind = Kind::kPopAny;
  } else if (throws ? is_text(*result, kNoSuchElement) : result->is_null()) {
    step = waits ? never() : counted(0);
  } else if (result->is_null()) {
    step = never();
  } else {
    step.value = *result;
  }
  step.at_back = is_at_back(method);
  step.asks = Kind::kPop;
  step.when_empty = waits ? "" : throws ? kNoSuchElementJson : "null";
  return step;
}

ListStep ListForm::peek(JavaMethod method, Value result) const {
  const bool throws = method == JavaMethod::kGetFirst || method == JavaMethod::kGetLast;
  ListStep step;
  step.kind = Kind::kPeek;
  step.value = result;
  if (throws ? is_text(result, kNoSuchElement) : result.is_null()) {
    step = counted(0);
  } else if (result.is_null()) {
    step = never();
  }
  step.at_back = is_at_back(method);
  step.asks = Kind::kPeek;
  step.when_empty = throws ? kNoSuchElementJson : "null";
  return step;
}

ListStep ListForm::count(JavaMethod method, Value result) const {
  const Values& values = history_.history().values();
  if (method == JavaMethod::kIsEmpty) {
    ListStep step = result == kTrue ? counted(0) : never();
    if (result == kFalse) step.kind = Kind::kSome;
    return step;
  }
  if (values.kind(result) != ValueKind::kInteger && !result.is_small()) return never();
  const std::int64_t number = result.is_small() ? result.small_integer() : values.as_integer(result);
  if (method == JavaMethod::kSize) return number < 0 ? never() : counted(number);
  if (has_capacity_) return number < 0 || number > capacity_ ? never() : counted(capacity_ - number);
  return number == kUnbounded ? ListStep{} : never();
}

}  // namespace plumb
