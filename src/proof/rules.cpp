#include "proof/rules.hpp"

#include <algorithm>
#include <array>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

namespace plumb {
namespace {

// kPart. Objects are independent (locality), and so are keys where the model says so: an order of all, restricted to one
// of them, is an order of that one.
std::vector<Event> same_part(const BoundHistory& history, std::span<const Event> events, OperationId one) {
  const auto key = history.model().key(history.call(one));
  std::vector<Event> left;
  for (const Event event : events) {
    const OperationId id = event.operation();
    const bool same = history.history().object(id) == history.history().object(one) &&
                      history.model().key(history.call(id)) == key;
    if (same) left.push_back(event);
  }
  return left;
}

// kCut. Take an order of the whole and stop at the moment of the cut: what returned before stands there, what was called
// later does not, and what was open either took effect by then, with the result it came to have, or did not.
Result<std::vector<Event>> up_to_return(std::span<const Event> events, OperationId impossible) {
  const auto last = std::ranges::find(events, Event::ret(impossible));
  if (last == events.end()) return Error{fmt::format("operation {} does not return", impossible)};
  return std::vector<Event>(events.begin(), last + 1);
}

// kUnchanging. What never changes the state can be taken out of an order: everybody else finds the same states.
std::vector<Event> without_unchanging(const BoundHistory& history, std::span<const Event> events,
                                      const OperationSet& core) {
  std::vector<Event> left;
  for (const Event event : events) {
    const OperationId id = event.operation();
    if (core.has(id) || !history.leaves_state(id)) left.push_back(event);
  }
  return left;
}

// Models with a rule about values.
enum class Shape { kNone, kCollection, kCell };

Shape shape_of(const BoundHistory& history) {
  switch (history.family()) {
    case Family::kQueue:
    case Family::kStack:
    case Family::kDeque:
    case Family::kPriorityQueue:
      return Shape::kCollection;
    case Family::kRegister:
    case Family::kMap:
      return Shape::kCell;
    default:
      return Shape::kNone;
  }
}

// A cell is read and written; everything else (cas, remove, put_if_absent) compares.
bool compares(const BoundHistory& history, OperationId id) {
  return history.role(id) != Role::kRead && history.role(id) != Role::kWrite;
}

// Values that may not be dropped, whoever has them: what is there from the beginning (its removal would have no
// insertion before it), and for cells what is compared with.
absl::flat_hash_set<Value> fixed_values(const BoundHistory& history, std::span<const Event> events,
                                        Shape shape) {
  absl::flat_hash_set<Value> fixed;
  const Value initial = history.initial();
  const Values& values = history.history().values();
  if (shape == Shape::kCollection && values.kind(initial) == ValueKind::kArray) {
    for (const Value item : values.as_array(initial)) fixed.insert(item);
  }
  if (shape == Shape::kCell) {
    for (const Event event : events) {
      if (!compares(history, event.operation())) continue;
      for (const Value arg : history.history().args(event.operation())) fixed.insert(arg);
    }
  }
  return fixed;
}

// Why a cell cannot lose values: some operation that returned minds which value it finds, without naming it.
std::optional<std::string> minds_values(const BoundHistory& history, std::span<const Event> events) {
  for (const Event event : events) {
    const OperationId id = event.operation();
    if (!compares(history, id)) continue;
    const bool is_cas = history.role(id) == Role::kCompareAndSwap;
    const bool failed = event.is_return() && history.leaves_state(id);
    if (is_cas && !failed) continue;
    return fmt::format("operation {} compares", id);
  }
  return std::nullopt;
}

// kValues. All operations of a value v are dropped at once.
//
// A queue, stack, deque or priority queue: take v out of every state along an order. Who inserts or removes another value
// finds it where it was: at the same end, or as the smallest; who found it empty still does. (A value may be inserted
// several times: all its operations go.) An operation that never returned and removed v is dropped from the order.
//
// A cell: along an order, the stretches in which it holds v begin with a write of v (or at the beginning) and hold reads
// of v only; a successful cas neither begins, ends nor lies in one, as none has v as an argument. Without them every
// other stretch begins as before: with its write, or with a cas next to the stretch it compares with. A cas that failed
// in such a stretch might succeed without it: so no cas that failed may have returned. One that need not have happened
// and failed is dropped from the order. Of a map, only get and put are let pass.
Result<std::vector<Event>> without_values(const BoundHistory& history, std::span<const Event> events,
                                          const OperationSet& core) {
  const Shape shape = shape_of(history);
  if (shape == Shape::kNone) {
    return Error{fmt::format("values cannot be dropped from the model '{}'", history.model().name())};
  }
  if (shape == Shape::kCell) {
    if (const auto why = minds_values(history, events)) return Error{*why};
  }
  absl::flat_hash_set<Value> kept = fixed_values(history, events, shape);
  for (const Event event : events) {
    if (!core.has(event.operation())) continue;
    if (const auto value = own_value(history, event.operation())) kept.insert(*value);
  }
  std::vector<Event> left;
  for (const Event event : events) {
    const auto value = own_value(history, event.operation());
    if (core.has(event.operation()) || !value || kept.contains(*value)) left.push_back(event);
  }
  return left;
}

}  // namespace

std::optional<Value> own_value(const BoundHistory& history, OperationId id) {
  const Shape shape = shape_of(history);
  const auto args = history.history().args(id);
  if (shape == Shape::kNone || (shape == Shape::kCell && compares(history, id))) return std::nullopt;
  const bool keyed = history.model().is_keyed();
  if (args.size() > (keyed ? 1U : 0U)) return args.back();
  const auto result = history.result(id);
  if (!result || (shape == Shape::kCollection && result->is_null())) return std::nullopt;
  return result;
}

std::vector<Event> restrict_to(std::span<const Event> events, const OperationSet& operations) {
  std::vector<Event> left;
  for (const Event event : events) {
    if (operations.has(event.operation())) left.push_back(event);
  }
  return left;
}

std::vector<OperationId> operations_of(std::span<const Event> events) {
  std::vector<OperationId> all;
  for (const Event event : events) {
    if (!event.is_return()) all.push_back(event.operation());
  }
  std::ranges::sort(all);
  return all;
}

Result<std::vector<Event>> apply_rule(Rule rule, const BoundHistory& history, std::span<const Event> events,
                                      const OperationSet& core, OperationId impossible) {
  switch (rule) {
    case Rule::kPart:
      return same_part(history, events, impossible);
    case Rule::kCut:
      return up_to_return(events, impossible);
    case Rule::kValues:
      return without_values(history, events, core);
    case Rule::kUnchanging:
      return without_unchanging(history, events, core);
    case Rule::kStates:
      break;
  }
  return Error{"this rule compares states"};
}

std::string_view to_string(Rule rule) {
  constexpr std::array<std::string_view, kRuleCount> kNames = {"part", "cut", "values", "unchanging",
                                                               "states"};
  return kNames[static_cast<std::size_t>(rule)];
}

std::string_view describe(Rule rule) {
  constexpr std::array<std::string_view, kRuleCount> kTexts = {
      "of other objects or keys", "called after the impossible return", "of values that play no part",
      "that never change the state", "without which every state that was possible still is"};
  return kTexts[static_cast<std::size_t>(rule)];
}

}  // namespace plumb
