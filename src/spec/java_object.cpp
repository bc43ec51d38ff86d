// The methods that only look, the constructors, and the texts. Those that change the object: java_changes.cpp.
#include "spec/java_object.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "history/java_text.hpp"
#include "spec/java_hash.hpp"
#include "spec/java_heap.hpp"

namespace plumb {
namespace {

constexpr std::string_view kElements =
    "expected integers, booleans, strings other than \"true\" or \"1\", or null";

bool is_element(Value value, const Values& values) {
  const ValueKind kind = values.kind(value);
  if (kind != ValueKind::kString) {
    return kind == ValueKind::kNil || kind == ValueKind::kBool || kind == ValueKind::kInteger;
  }
  Values scratch;
  return !read_java_scalar(values.as_string(value), scratch);
}

bool is_pair_of_elements(Value value, const Values& values) {
  if (values.kind(value) != ValueKind::kArray || values.as_array(value).size() != 2) return false;
  return std::ranges::all_of(values.as_array(value), [&](Value v) { return is_element(v, values); });
}

// An array of [key, value], or an object whose names are the keys.
bool is_map_of_elements(Value value, const Values& values) {
  if (values.kind(value) == ValueKind::kArray) {
    return std::ranges::all_of(values.as_array(value),
                               [&](Value v) { return is_pair_of_elements(v, values); });
  }
  if (values.kind(value) != ValueKind::kObject) return false;
  const auto members = values.as_object(value);
  for (std::size_t i = 1; i < members.size(); i += 2) {
    if (!is_element(members[i], values)) return false;
  }
  return true;
}

// How far a neighbour is from the place where the key is or would be; `none` where there is none.
std::size_t neighbour(JavaMethod method, std::size_t at, bool here) {
  constexpr std::size_t kNowhere = ~std::size_t{0};
  switch (method) {
    case JavaMethod::kCeiling:
    case JavaMethod::kCeilingEntry:
      return at;
    case JavaMethod::kHigher:
    case JavaMethod::kHigherEntry:
      return here ? at + 1 : at;
    case JavaMethod::kFloor:
    case JavaMethod::kFloorEntry:
      return here ? at : at == 0 ? kNowhere : at - 1;
    default:
      return at == 0 ? kNowhere : at - 1;
  }
}

}  // namespace

void append_java_text(Value value, const Values& values, std::string& out) {
  if (values.kind(value) == ValueKind::kString) {
    out += values.as_string(value);
  } else {
    values.append_json(value, out);
  }
}

std::optional<std::string> JavaObject::validate(const OperationSpec& spec, std::span<const Value> args,
                                                const Values& values) {
  const bool wants_map = spec.name == "putAll";
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (wants_map) {
      if (is_map_of_elements(args[i], values)) continue;
      return "expected the entries of a map: an object, or an array of [key, value]";
    }
    const bool fine =
        spec.takes[i] == Takes::kArray
            ? std::ranges::all_of(values.as_array(args[i]), [&](Value v) { return is_element(v, values); })
            : is_element(args[i], values);
    if (!fine) return std::string(kElements);
  }
  return std::nullopt;
}

Result<JavaState> JavaObject::initial(Values& values, Value given) {
  exceptions_ = {
      values.string("java.lang.NullPointerException"), values.string("java.util.NoSuchElementException"),
      values.string("java.lang.IllegalStateException"), values.string("java.lang.ClassCastException")};
  JavaState state;
  std::vector<Value> arguments;
  if (values.kind(given) == ValueKind::kArray) {
    const auto items = values.as_array(given);
    arguments.assign(items.begin(), items.end());
  } else if (!given.is_null()) {
    arguments = {given};
  }
  for (const Value argument : arguments) {
    if (auto status = construct(state, argument, values); !status) return status.error();
  }
  if (type_->has_capacity && state.items.size() > capacity_) {
    return Error{fmt::format("a {} that begins with {} elements and has room for {}", type_->name,
                             state.items.size(), capacity_)};
  }
  if (type_->needs_capacity && capacity_ == kNoLimit) {
    return Error{fmt::format("no capacity of a {}; expected it as the initial value, [3]", type_->name)};
  }
  return state;
}

// A number is a capacity, an array what is inside, and whether waiting is fair does not matter here.
Status JavaObject::construct(JavaState& state, Value argument, Values& values) {
  const ValueKind kind = values.kind(argument);
  const bool sizes = type_->kind == JavaKind::kHashMap || type_->kind == JavaKind::kHeap;
  if (kind == ValueKind::kInteger && (type_->has_capacity || sizes)) {
    const std::int64_t n = values.as_integer(argument);
    if (n >= (type_->kind == JavaKind::kHashMap ? 0 : 1) && n <= static_cast<std::int64_t>(kNoLimit)) {
      if (type_->has_capacity) capacity_ = static_cast<std::size_t>(n);
      if (type_->kind == JavaKind::kHashMap) first_buckets_ = buckets_for_capacity(n);
      return Ok{};
    }
  }
  if (kind == ValueKind::kBool && type_->needs_capacity) return Ok{};
  if (kind == ValueKind::kArray || kind == ValueKind::kObject) return fill(state, argument, values);
  return Error{fmt::format("{} among the arguments of the constructor of a {}; expected {}",
                           values.to_json(argument), type_->name,
                           type_->has_capacity ? "a capacity of at least 1, or an array of what is inside"
                                               : "an array of what is inside")};
}

Status JavaObject::fill(JavaState& state, Value contents, Values& values) const {
  const auto wrong = [&] {
    return Error{fmt::format("{} cannot be what is inside a {}", values.to_json(contents), type_->name)};
  };
  if (is_map()) {
    if (!is_map_of_elements(contents, values) || is_thrown(put_all(state, contents, values))) return wrong();
    return Ok{};
  }
  if (values.kind(contents) != ValueKind::kArray) return wrong();
  const auto items = values.as_array(contents);
  for (const Value item : std::vector<Value>(items.begin(), items.end())) {
    if (!is_element(item, values) || is_thrown(add(state, item, values))) return wrong();
  }
  if (type_->kind == JavaKind::kHeap) {
    state.items.assign(items.begin(), items.end());
    JavaHeap(state.items, values).heapify();
  }
  return Ok{};
}

bool JavaObject::is_thrown(Value result) const {
  return std::ranges::find(exceptions_, result) != exceptions_.end();
}

std::optional<Value> JavaObject::result(const State& state, const Call& call, Values& values) const {
  const JavaOperation& operation = operations_[call.operation];
  if (operation.spec.effect == Effect::kNeverChanges) return look(operation.method, call.args, state, values);
  State after = state;
  return change(operation.method, call.args, after, values);
}

void JavaObject::update(State& state, const Call& call, Values& values) const {
  change(operations_[call.operation].method, call.args, state, values);
}

bool JavaObject::allows(const State& state, const Call& call, Value recorded, Values& values) const {
  const auto returned = result(state, call, values);
  if (!returned || *returned == recorded) return returned.has_value();
  if (values.kind(recorded) != ValueKind::kString) return false;
  return read_java_scalar(values.as_string(recorded), values) == returned;
}

Value JavaObject::look(JavaMethod method, Args args, const State& state, Values& values) const {
  const auto& items = state.items;
  switch (method) {
    case JavaMethod::kSize:
      return Value::small(static_cast<std::int64_t>(items.size() / stride()));
    case JavaMethod::kIsEmpty:
      return Value::boolean(items.empty());
    case JavaMethod::kToString:
    case JavaMethod::kToArray:
      return values.string(listing(state, values));
    case JavaMethod::kContains:
      return contains(state, args[0], values);
    case JavaMethod::kContainsAll:
      return contains_all(state, values.as_array(args[0]), values);
    case JavaMethod::kGetFirst:
      return items.empty() ? thrown(kNoSuchElement) : items.front();
    case JavaMethod::kGetLast:
      return items.empty() ? thrown(kNoSuchElement) : items[items.size() - stride()];
    case JavaMethod::kPeekFirst:
      return items.empty() ? kNull : items.front();
    case JavaMethod::kPeekLast:
      return items.empty() ? kNull : items.back();
    case JavaMethod::kRemainingCapacity:
      return values.integer(
          static_cast<std::int64_t>(type_->has_capacity ? capacity_ - items.size() : kNoLimit));
    case JavaMethod::kTryTransfer:
      return args[0].is_null() ? thrown(kNullPointer) : kFalse;
    case JavaMethod::kNobodyWaits:
      return kFalse;
    case JavaMethod::kNumberOfNobody:
      return Value::small(0);
    default:
      return is_map() ? look_into_map(method, args, state, values)
                      : look_at_neighbours(method, args, state, values);
  }
}

Value JavaObject::look_into_map(JavaMethod method, Args args, const State& state, Values& values) const {
  if (method == JavaMethod::kContainsValue) {
    if (args[0].is_null()) return thrown(kNullPointer);
    for (std::size_t i = 1; i < state.items.size(); i += 2) {
      if (state.items[i] == args[0]) return kTrue;
    }
    return kFalse;
  }
  const bool looks_up =
      method == JavaMethod::kGet || method == JavaMethod::kGetOrDefault || method == JavaMethod::kContainsKey;
  if (!looks_up) return look_at_neighbours(method, args, state, values);
  const auto found = find(state, args[0], values);
  if (const auto* exception = std::get_if<Value>(&found)) return *exception;
  const auto [at, here] = std::get<Found>(found);
  if (method == JavaMethod::kContainsKey) return Value::boolean(here);
  if (here) return state.items[2 * at + 1];
  return method == JavaMethod::kGet ? kNull : args[1];
}

Value JavaObject::look_at_neighbours(JavaMethod method, Args args, const State& state, Values& values) const {
  const std::size_t count = state.items.size() / stride();
  std::size_t at = 0;
  if (method == JavaMethod::kLastEntry) {
    at = count - 1;
  } else if (method != JavaMethod::kFirstEntry) {
    const auto found = find(state, args[0], values);
    if (const auto* exception = std::get_if<Value>(&found)) return *exception;
    at = neighbour(method, std::get<Found>(found).at, std::get<Found>(found).here);
  }
  if (at >= count) return kNull;
  const bool key_only = method == JavaMethod::kCeiling || method == JavaMethod::kFloor ||
                        method == JavaMethod::kHigher || method == JavaMethod::kLower;
  return key_only ? state.items[at * stride()] : entry(state, at, values);
}

// "1=2".
Value JavaObject::entry(const State& state, std::size_t at, Values& values) {
  std::string text;
  append_java_text(state.items[2 * at], values, text);
  text += '=';
  append_java_text(state.items[2 * at + 1], values, text);
  return values.string(text);
}

Value JavaObject::contains(const State& state, Value element, const Values& values) const {
  if (type_->kind != JavaKind::kSortedSet) {
    return Value::boolean(std::ranges::find(state.items, element) != state.items.end());
  }
  const auto found = find(state, element, values);
  if (const auto* exception = std::get_if<Value>(&found)) return *exception;
  return Value::boolean(std::get<Found>(found).here);
}

// Ends at the first that is not there, or at an exception.
Value JavaObject::contains_all(const State& state, Args elements, const Values& values) const {
  for (const Value element : elements) {
    const Value here = contains(state, element, values);
    if (here != kTrue) return here;
  }
  return kTrue;
}

std::variant<JavaObject::Found, Value> JavaObject::find(const State& state, Value key,
                                                        const Values& values) const {
  if (key.is_null()) return thrown(kNullPointer);
  const std::size_t step = stride();
  const std::size_t count = state.items.size() / step;
  if (type_->kind == JavaKind::kHashMap) {
    for (std::size_t i = 0; i < count; ++i) {
      if (state.items[i * step] == key) return Found{i, true};
    }
    return Found{count, false};
  }
  if (count != 0 && values.kind(state.items.front()) != values.kind(key)) return thrown(kClassCast);
  for (std::size_t i = 0; i < count; ++i) {
    const int order = values.compare(state.items[i * step], key);
    if (order >= 0) return Found{i, order == 0};
  }
  return Found{count, false};
}

std::string JavaObject::listing(const State& state, const Values& values) const {
  std::string out = is_map() ? "{" : "[";
  for (std::size_t i = 0; i < state.items.size(); i += stride()) {
    if (i != 0) out += ", ";
    append_java_text(state.items[i], values, out);
    if (!is_map()) continue;
    out += '=';
    append_java_text(state.items[i + 1], values, out);
  }
  return out + (is_map() ? "}" : "]");
}

std::string JavaObject::describe(const State& state, const Values& values) const {
  return listing(state, values);
}

}  // namespace plumb
