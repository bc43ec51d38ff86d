#include "check/search/wgl_layout.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/hash/hash.h>

namespace plumb {
namespace {

std::size_t hash_of(const Call& call, bool by_process, Value result) {
  std::size_t hash = absl::HashOf(call.operation, by_process ? call.process.bits() : 0, result.bits());
  for (const Value arg : call.args) hash = absl::HashOf(hash, arg.bits());
  return hash;
}

}  // namespace

bool is_same_call(const Call& a, const Call& b, bool by_process) {
  return a.operation == b.operation && (!by_process || a.process == b.process) &&
         std::ranges::equal(a.args, b.args);
}

Layout::Layout(const Part& part, const std::vector<bool>& kept) {
  const BoundHistory& history = *part.history;
  std::vector<std::uint32_t> free_slots;
  const std::span<std::uint32_t> number_of = part.scratch;
  for (std::uint32_t at = 0; at < part.events.size(); ++at) {
    const Event event = part.events[at];
    const OperationId id = event.operation();
    if (event.is_return()) {
      returning.push_back(number_of[id]);
      position.push_back(at);
      calls_until.push_back(static_cast<std::uint32_t>(completed.size()));
      pending_until.push_back(static_cast<std::uint32_t>(pending.size()));
      free_slots.push_back(operations[number_of[id]].slot);
    } else if (!history.history().is_pending(id)) {
      if (free_slots.empty()) free_slots.push_back(static_cast<std::uint32_t>(slots++));
      number_of[id] = static_cast<std::uint32_t>(operations.size());
      completed.push_back(static_cast<std::uint32_t>(operations.size()));
      add_call(history, id, free_slots.back());
      free_slots.pop_back();
    } else if (!history.leaves_state(id) || (!kept.empty() && kept[history.operation(id)])) {
      const auto number = static_cast<std::uint32_t>(pending.size());
      pending.push_back(static_cast<std::uint32_t>(operations.size()));
      add_call(history, id, number);
    }
  }
  by_process = history.model().depends_on_process();
  find_equal_pending(history.model());
  if (std::ranges::any_of(history.model().operations(), &OperationSpec::extends)) find_next_reads();
  if (history.model().looks_ahead()) find_foreseen();
}

void Layout::add_call(const BoundHistory& history, OperationId id, std::uint32_t slot) {
  const bool leaves_state = history.leaves_state(id);
  const OperationSpec& spec = history.spec(id);
  operations.push_back({.id = id,
                        .slot = slot,
                        .leaves_state = leaves_state,
                        .effect = spec.effect,
                        .overwrites = !leaves_state && !spec.extends,
                        .call = history.call(id),
                        .result = history.result(id)});
}

void Layout::find_equal_pending(const Model& model) {
  std::map<std::tuple<std::uint32_t, std::uint32_t, std::vector<std::uint32_t>>, std::uint32_t> last;
  for (std::uint32_t number = 0; number < pending.size(); ++number) {
    const Call& call = operations[pending[number]].call;
    std::vector<std::uint32_t> args;
    for (const Value arg : call.args) args.push_back(arg.bits());
    const std::uint32_t process = model.depends_on_process() ? call.process.bits() : 0;
    const auto [it, is_new] = last.try_emplace({call.operation, process, std::move(args)}, number);
    equal_before.push_back(is_new ? kNone : std::exchange(it->second, number));
  }
}

std::vector<Layout::Alike> Layout::find_alike() const {
  std::vector<Alike> alike(operations.size());
  absl::flat_hash_map<std::size_t, std::uint32_t> last;
  std::vector<std::uint32_t> called_after(operations.size());  // so many returns
  for (std::uint32_t ret = 0, called = 0; ret < returning.size(); ++ret) {
    for (; called < calls_until[ret]; ++called) called_after[completed[called]] = ret;
    const std::uint32_t number = returning[ret];
    const Operation& op = operations[number];
    if (op.leaves_state || number == apart) continue;
    alike[number].ret = ret;
    std::uint32_t& before = last.try_emplace(hash_of(op.call, by_process, *op.result), kNone).first->second;
    if (before != kNone && alike[before].ret >= called_after[number] &&
        operations[before].result == op.result && is_same_call(operations[before].call, op.call, by_process))
      alike[number].before = before;
    before = number;
  }
  return alike;
}

// Moments are counted in returns: an operation is called after so many of them.
void Layout::find_foreseen() {
  const auto never = static_cast<std::uint32_t>(returning.size());
  for (const Operation& op : operations) lookahead.push_back({op.call, op.result, 0, never});
  for (std::uint32_t ret = 0; ret < never; ++ret) lookahead[returning[ret]].ret = ret;
  std::uint32_t called = 0;
  for (std::uint32_t ret = 0; ret < never; ++ret) {
    for (; called < calls_until[ret] + pending_until[ret]; ++called) lookahead[called].returns_before = ret;
  }
  for (; called < lookahead.size(); ++called) lookahead[called].returns_before = never;
}

void Layout::find_next_reads() {
  const auto count = static_cast<std::uint32_t>(returning.size());
  next_read.assign(count + 1, count);
  for (std::uint32_t ret = count; ret-- > 0;) {
    next_read[ret] = operations[returning[ret]].leaves_state ? ret : next_read[ret + 1];
  }
  std::uint32_t called = 0;
  std::uint32_t overwrites = 0;
  for (std::uint32_t ret = 0; ret < count; ++ret) {
    for (; called < calls_until[ret] + pending_until[ret]; ++called)
      overwrites += operations[called].overwrites ? 1U : 0U;
    overwrites_until.push_back(overwrites);
  }
}

}  // namespace plumb
