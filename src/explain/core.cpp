// The search for a small core, rule by rule, each to its end before the next:
//
//  1. other objects and keys go at once;
//  2. what was called after the impossible return goes: it is the earliest, as the check says (check/earliest.hpp);
//  3. whole values go, by halves and then one by one, as long as a violation is left. The return stays the earliest that
//     is impossible: all before it was linearizable, and stays so when values go;
//  4. single operations go as long as every state that was possible before that return still is (state_search.hpp); where
//     that takes too many configurations, only operations that never change the state go.
//
// What is left is minimal: no value can go, as 3 ended; no operation, as 4 ended.
#include "explain/core.hpp"

#include <algorithm>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "check/cut.hpp"
#include "check/frontier/frontier.hpp"
#include "explain/minimise.hpp"
#include "explain/state_search.hpp"
#include "proof/rules.hpp"

namespace plumb {
namespace {

class CoreSearch {
 public:
  CoreSearch(const BoundHistory& history, const Budget& budget, std::size_t memory)
      : history_(history), budget_(budget), memory_(memory), scratch_(history.history().size()) {}

  Core run(const Violation& violation) {
    const auto all = history_.history().events();
    std::vector<Event> events = all.empty() ? std::vector<Event>{} : part_of(all, violation.stuck);
    core_.minimal = true;
    note(Rule::kPart, all, events);
    cut(events, violation.stuck);
    const std::vector<Event> all_values = events;
    const Core before = core_;
    drop_values(events, violation.operations);
    const std::vector<Event> some_values = events;
    const Core with_values = core_;
    drop_operations(events);
    if (!keeps_values(all_values, some_values, events)) {
      // From the core it could not be told which values had gone: one of the two it is.
      const bool few = all_values.size() <= kFew;
      core_ = few ? before : with_values;
      events = few ? all_values : some_values;
      core_.minimal = core_.minimal && few;
      if (few) drop_operations(events);
    }
    core_.events = std::move(events);
    if (tired()) core_.minimal = false;
    return std::move(core_);
  }

 private:
  [[nodiscard]] bool tired() const { return budget_.spent(0) != StopReason::kNothing; }

  [[nodiscard]] OperationSet set_of(std::span<const Event> events) const {
    OperationSet set(history_.history().size());
    for (const Event event : events) set.add(event.operation());
    return set;
  }
  std::vector<Event> part_of(std::span<const Event> events, OperationId one) const {
    return std::move(apply_rule(Rule::kPart, history_, events, set_of({}), one).value());
  }

  // A rule that dropped something is written down, once.
  void note(Rule rule, std::span<const Event> before, std::span<const Event> after) {
    const auto count = [](std::span<const Event> events) {
      return static_cast<std::size_t>(std::ranges::count(events, false, &Event::is_return));
    };
    if (before.size() == after.size()) return;
    core_.rules.push_back(rule);
    core_.dropped.push_back({std::string(describe(rule)), count(before) - count(after)});
  }

  // Whether some of the events up to the impossible return are still a violation; a spent budget says no.
  [[nodiscard]] bool is_violation(std::span<const Event> events) {
    const Outcome outcome = judge_cut(history_, events).outcome;
    return (outcome == Outcome::kUnknown ? search(events).outcome : outcome) == Outcome::kViolation;
  }
  [[nodiscard]] PartVerdict search(std::span<const Event> events) {
    const Part part{&history_, events, {}, scratch_};
    if (const auto* frontiers = find_frontier_search(history_)) {
      PartVerdict verdict = frontiers->search(part, limits());
      if (verdict.outcome != Outcome::kUnknown) return verdict;
    }
    return search_wgl(part, *fresh_states(history_), limits());
  }
  [[nodiscard]] SearchLimits limits() const {
    return {.budget = &budget_, .memory = memory_, .configurations = kTrial};
  }

  // Of a list of values, what is left when only their operations and those without a value stay.
  [[nodiscard]] std::optional<std::vector<Event>> only_values(std::span<const Event> events,
                                                              std::span<const Value> values) {
    const absl::flat_hash_set<Value> wanted(values.begin(), values.end());
    OperationSet kept(history_.history().size());
    kept.add(core_.impossible);
    for (const Event event : events) {
      const auto value = own_value(history_, event.operation());
      if (!value || wanted.contains(*value)) kept.add(event.operation());
    }
    auto left = apply_rule(Rule::kValues, history_, events, kept, 0);
    if (!left) return std::nullopt;
    return std::move(*left);
  }

  void drop_values(std::vector<Event>& events, std::span<const OperationId> hint) {
    std::vector<Value> values = values_of(operations_of(events));
    if (values.empty()) return;
    const auto still = [&](std::span<const Value> some) {
      const auto left = only_values(events, some);
      return left && is_violation(*left);
    };
    if (!only_values(events, {})) return;  // the rule cannot be used here
    const std::vector<Value> hinted = values_of(hint);
    if (hinted.size() < values.size() && still(hinted)) values = hinted;
    values = minimise(std::move(values), still, [&] { return tired(); });
    auto left = only_values(events, values);
    note(Rule::kValues, events, *left);
    events = std::move(*left);
  }

  [[nodiscard]] std::vector<Value> values_of(std::span<const OperationId> operations) const {
    std::vector<Value> values;
    absl::flat_hash_set<Value> seen;
    for (const OperationId id : operations) {
      const auto value = own_value(history_, id);
      if (value && seen.insert(*value).second) values.push_back(*value);
    }
    return values;
  }

  void cut(std::vector<Event>& events, OperationId impossible) {
    core_.impossible = impossible;
    auto left = apply_rule(Rule::kCut, history_, events, set_of({}), impossible);
    note(Rule::kCut, events, *left);
    events = std::move(*left);
  }

  void drop_operations(std::vector<Event>& events) {
    if (!drop_by_states(events)) drop_unchanging(events);
  }

  // Whether the rule for values, told the core, leaves what it left before single operations went.
  [[nodiscard]] bool keeps_values(std::span<const Event> all, std::span<const Event> some,
                                  std::span<const Event> core) const {
    if (all.size() == some.size()) return true;
    const auto left = apply_rule(Rule::kValues, history_, all, set_of(core), core_.impossible);
    return left && std::ranges::equal(*left, some);
  }

  // False if the sweep was too much.
  bool drop_by_states(std::vector<Event>& events) {
    StateSearch search(history_, events, core_.impossible, budget_, memory_);
    if (!search.is_possible()) return false;
    auto core = search.run();
    note(Rule::kStates, events, core);
    core_.too_late = search.too_late(core);
    events = std::move(core);
    return true;
  }

  void drop_unchanging(std::vector<Event>& events) {
    core_.minimal = false;  // more might go, if it could be searched
    std::vector<OperationId> unchanging;
    OperationSet others(history_.history().size());
    for (const Event event : events) {
      const OperationId id = event.operation();
      if (id == core_.impossible || !history_.leaves_state(id)) {
        others.add(id);
      } else if (!event.is_return()) {
        unchanging.push_back(id);
      }
    }
    const auto with = [&](std::span<const OperationId> some) {
      OperationSet kept = others;
      for (const OperationId id : some) kept.add(id);
      return restrict_to(events, kept);
    };
    const auto still = [&](std::span<const OperationId> some) {
      return search(with(some)).outcome == Outcome::kViolation;
    };
    if (!still(unchanging)) return;
    unchanging = minimise(std::move(unchanging), still, [&] { return tired(); });
    auto left = with(unchanging);
    note(Rule::kUnchanging, events, left);
    events = std::move(left);
  }

  static constexpr std::uint64_t kTrial = 2'000'000;  // configurations for one question
  static constexpr std::size_t kFew = 4000;           // events that are not many

  const BoundHistory& history_;
  const Budget& budget_;
  std::size_t memory_;
  std::vector<std::uint32_t> scratch_;
  Core core_;
};

}  // namespace

Core find_core(const BoundHistory& history, const Violation& violation, const Budget& budget,
               std::size_t memory) {
  return CoreSearch(history, budget, memory).run(violation);
}

}  // namespace plumb
