// The methods of java.util.concurrent that may change the object.
//
// Bulk methods are done element by element, as Java does them: what was added before an exception stays.
#include <algorithm>

#include "history/java_text.hpp"
#include "spec/java_hash.hpp"
#include "spec/java_heap.hpp"
#include "spec/java_object.hpp"

namespace plumb {

std::optional<Value> JavaObject::change(JavaMethod method, Args args, State& state, Values& values) const {
  switch (method) {
    case JavaMethod::kClear:
      state.items.clear();
      return kNull;
    case JavaMethod::kAdd:
      return add(state, args[0], values);
    case JavaMethod::kAddAll:
      return add_all(state, values.as_array(args[0]), values);
    case JavaMethod::kRemove:
      return remove(state, args[0], values, false);
    case JavaMethod::kRemoveLastOccurrence:
      return remove(state, args[0], values, true);
    case JavaMethod::kRemoveAll:
      return remove_all(state, values.as_array(args[0]), values);
    case JavaMethod::kRetainAll:
      return keep_if(state, values.as_array(args[0]), true, values);
    case JavaMethod::kDrainTo:
      return drain(state, args, values);
    case JavaMethod::kAddFirst:
    case JavaMethod::kAddLast:
    case JavaMethod::kOfferFirst:
    case JavaMethod::kOfferLast:
    case JavaMethod::kPutFirst:
    case JavaMethod::kPutLast:
      return put_at_end(method, args[0], state, values);
    case JavaMethod::kRemoveFirst:
    case JavaMethod::kRemoveLast:
    case JavaMethod::kPollFirst:
    case JavaMethod::kPollLast:
    case JavaMethod::kTakeFirst:
    case JavaMethod::kTakeLast:
      return take_from_end(method, state, values);
    default:
      return change_map(method, args, state, values);
  }
}

std::optional<Value> JavaObject::take_from_end(JavaMethod method, State& state, const Values& values) const {
  const bool throws = method == JavaMethod::kRemoveFirst || method == JavaMethod::kRemoveLast;
  const bool waits = method == JavaMethod::kTakeFirst || method == JavaMethod::kTakeLast;
  const bool last =
      method == JavaMethod::kRemoveLast || method == JavaMethod::kPollLast || method == JavaMethod::kTakeLast;
  if (state.items.empty()) {
    if (waits) return std::nullopt;
    return throws ? thrown(kNoSuchElement) : kNull;
  }
  if (!last) return remove_first(state, values);
  const Value element = state.items.back();
  state.items.pop_back();
  return element;
}

Value JavaObject::remove_first(State& state, const Values& values) const {
  if (type_->kind == JavaKind::kHeap) return JavaHeap(state.items, values).remove_at(0);
  const Value first = state.items.front();
  state.items.erase(state.items.begin());
  return first;
}

std::optional<Value> JavaObject::put_at_end(JavaMethod method, Value element, State& state,
                                            const Values& values) const {
  const bool offers = method == JavaMethod::kOfferFirst || method == JavaMethod::kOfferLast;
  const bool waits = method == JavaMethod::kPutFirst || method == JavaMethod::kPutLast;
  const bool first =
      method == JavaMethod::kAddFirst || method == JavaMethod::kOfferFirst || method == JavaMethod::kPutFirst;
  if (is_full(state) && !element.is_null()) {
    if (waits) return std::nullopt;
    return offers ? kFalse : thrown(kIllegalState);
  }
  if (first && !element.is_null()) {
    state.items.insert(state.items.begin(), element);
  } else if (const Value added = add(state, element, values); added != kTrue) {
    return added;
  }
  return offers ? kTrue : kNull;
}

Value JavaObject::add(State& state, Value element, const Values& values) const {
  if (element.is_null()) return thrown(kNullPointer);
  if (is_full(state)) return thrown(kIllegalState);
  if (type_->kind == JavaKind::kHeap) {
    const bool fits = state.items.empty() || values.kind(state.items.front()) == values.kind(element);
    if (!fits) return thrown(kClassCast);
    JavaHeap(state.items, values).insert(element);
  } else if (type_->kind == JavaKind::kSortedSet) {
    const auto found = find(state, element, values);
    if (const auto* exception = std::get_if<Value>(&found)) return *exception;
    const auto [at, here] = std::get<Found>(found);
    if (here) return kFalse;
    state.items.insert(state.items.begin() + static_cast<std::ptrdiff_t>(at), element);
  } else {
    state.items.push_back(element);
  }
  return kTrue;
}

Value JavaObject::add_all(State& state, Args elements, const Values& values) const {
  if (type_->adds_all_or_throws && std::ranges::find(elements, kNull) != elements.end())
    return thrown(kNullPointer);
  bool changed = false;
  for (const Value element : elements) {
    const Value added = add(state, element, values);
    if (is_thrown(added)) return added;
    changed = changed || added == kTrue;
  }
  return Value::boolean(changed);
}

Value JavaObject::remove(State& state, Value element, const Values& values, bool last) const {
  if (type_->kind == JavaKind::kSortedSet) {
    const auto found = find(state, element, values);
    if (const auto* exception = std::get_if<Value>(&found)) return *exception;
    const auto [at, here] = std::get<Found>(found);
    if (here) state.items.erase(state.items.begin() + static_cast<std::ptrdiff_t>(at));
    return Value::boolean(here);
  }
  if (element.is_null() && type_->removes_no_null) return thrown(kNullPointer);
  const auto from_front = std::ranges::find(state.items, element);
  if (from_front == state.items.end()) return kFalse;
  const auto at = last ? std::find(state.items.rbegin(), state.items.rend(), element).base() - 1 : from_front;
  if (type_->kind == JavaKind::kHeap) {
    JavaHeap(state.items, values).remove_at(static_cast<std::size_t>(at - state.items.begin()));
  } else {
    state.items.erase(at);
  }
  return kTrue;
}

// A sorted set looks up every element; the others compare each of their own with those given.
Value JavaObject::remove_all(State& state, Args elements, const Values& values) const {
  if (type_->kind != JavaKind::kSortedSet) return keep_if(state, elements, false, values);
  bool changed = false;
  for (const Value element : elements) {
    const Value removed = remove(state, element, values, false);
    if (is_thrown(removed)) return removed;
    changed = changed || removed == kTrue;
  }
  return Value::boolean(changed);
}

Value JavaObject::keep_if(State& state, Args elements, bool listed, const Values& values) const {
  const auto goes = [&](Value item) {
    return (std::ranges::find(elements, item) != elements.end()) != listed;
  };
  const bool changed = std::erase_if(state.items, goes) != 0;
  if (changed && type_->kind == JavaKind::kHeap) JavaHeap(state.items, values).heapify();
  return Value::boolean(changed);
}

Value JavaObject::drain(State& state, Args args, const Values& values) const {
  std::size_t left = state.items.size();
  if (args.size() > 1) {
    const std::int64_t most = std::max<std::int64_t>(values.as_integer(args[1]), 0);
    left = std::min(left, static_cast<std::size_t>(most));
  }
  const auto count = static_cast<std::int64_t>(left);
  for (; left > 0; --left) remove_first(state, values);
  return Value::small(count);
}

Value JavaObject::change_map(JavaMethod method, Args args, State& state, Values& values) const {
  if (method == JavaMethod::kPollFirstEntry || method == JavaMethod::kPollLastEntry) {
    return poll_entry(method == JavaMethod::kPollFirstEntry, state, values);
  }
  if (method == JavaMethod::kPutAll) return put_all(state, args[0], values);
  // Only removeEntry may be told to look for a null: it is not there.
  const bool may_be_null = method == JavaMethod::kRemoveEntry;
  if (args[0].is_null() || (!may_be_null && std::ranges::find(args, kNull) != args.end())) {
    return thrown(kNullPointer);
  }
  if (method == JavaMethod::kRemoveEntry && args[1].is_null()) return kFalse;
  const auto found = find(state, args[0], values);
  if (const auto* exception = std::get_if<Value>(&found)) return *exception;
  const auto [at, here] = std::get<Found>(found);
  const auto entry = state.items.begin() + static_cast<std::ptrdiff_t>(2 * at);
  const Value before = here ? entry[1] : kNull;
  switch (method) {
    case JavaMethod::kPut:
      return put(state, args[0], args[1], values);
    case JavaMethod::kPutIfAbsent:
      return here ? before : put(state, args[0], args[1], values);
    case JavaMethod::kRemoveKey:
      if (here) state.items.erase(entry, entry + 2);
      return before;
    case JavaMethod::kRemoveEntry:
      if (before != args[1]) return kFalse;
      state.items.erase(entry, entry + 2);
      return kTrue;
    case JavaMethod::kReplace:
      if (here) entry[1] = args[1];
      return before;
    default:  // kReplaceIf
      if (before != args[1]) return kFalse;
      entry[1] = args[2];
      return kTrue;
  }
}

Value JavaObject::poll_entry(bool first, State& state, Values& values) {
  if (state.items.empty()) return kNull;
  const std::size_t at = first ? 0 : state.items.size() / 2 - 1;
  const Value polled = entry(state, at, values);
  const auto begin = state.items.begin() + static_cast<std::ptrdiff_t>(2 * at);
  state.items.erase(begin, begin + 2);
  return polled;
}

// What was there before.
Value JavaObject::put(State& state, Value key, Value value, const Values& values) const {
  if (key.is_null() || value.is_null()) return thrown(kNullPointer);
  const auto found = find(state, key, values);
  if (const auto* exception = std::get_if<Value>(&found)) return *exception;
  const auto [at, here] = std::get<Found>(found);
  if (here) return std::exchange(state.items[2 * at + 1], value);
  if (type_->kind == JavaKind::kHashMap) {
    insert_by_hash(state.items, state.buckets, key, value, first_buckets_, values);
  } else {
    state.items.insert(state.items.begin() + static_cast<std::ptrdiff_t>(2 * at), {key, value});
  }
  return kNull;
}

Value JavaObject::put_all(State& state, Value entries, Values& values) const {
  std::vector<std::pair<Value, Value>> pairs;
  if (values.kind(entries) == ValueKind::kArray) {
    for (const Value pair : values.as_array(entries)) {
      pairs.emplace_back(values.as_array(pair)[0], values.as_array(pair)[1]);
    }
  } else {
    const auto members = values.as_object(entries);
    for (std::size_t i = 0; i < members.size(); i += 2) pairs.emplace_back(members[i], members[i + 1]);
    for (auto& [key, value] : pairs) key = read_java_scalar(values.as_string(key), values).value_or(key);
  }
  if (type_->kind == JavaKind::kHashMap) {
    presize(state.items, state.buckets, pairs.size(), first_buckets_, values);
  }
  for (const auto& [key, value] : pairs) {
    const Value before = put(state, key, value, values);
    if (is_thrown(before)) return before;
  }
  return kNull;
}

}  // namespace plumb
