#include "check/frontier/frontier_part.hpp"

#include <fmt/format.h>

#include "check/monitors/timeline.hpp"
#include "check/reason.hpp"

namespace plumb {
namespace {

std::vector<Point> early_points(const Part& part, std::span<const OperationId> order) {
  for (std::uint32_t at = 0; at < part.events.size(); ++at) {
    if (!part.events[at].is_return()) part.scratch[part.events[at].operation()] = at;
  }
  std::vector<Point> points;
  points.reserve(order.size());
  std::uint32_t gap = 0;
  for (const OperationId op : order) {
    gap = std::max(gap, part.scratch[op] + 1);
    points.push_back({op, gap});
  }
  return points;
}

// The state that an order leads to. A state is kept for each of its steps: that is for short ones.
std::optional<std::string> state_after(const Part& part, std::span<const OperationId> order) {
  constexpr std::size_t kShort = 4096;
  if (order.size() > kShort) return std::nullopt;
  const BoundHistory& history = *part.history;
  const auto states = fresh_states(history);
  StateId state = states->initial();
  std::vector<StateId> next;
  for (const OperationId op : order) {
    next.clear();
    states->step(state, history.call(op), history.result(op), next);
    if (next.empty()) return std::nullopt;
    state = next.front();
  }
  return states->describe(state);
}

}  // namespace

std::string FrontierOps::too_wide() const {
  if (FrontierOrder::slots_for(operations) <= FrontierOrder::kMostOpen) return {};
  return fmt::format("{} operations of a kind are open at once, more than {}",
                     FrontierOrder::most_open(operations), FrontierOrder::kMostOpen);
}

std::string frontiers_too_wide() {
  return fmt::format("more than {} operations are open at once", FrontierOrder::kMostOpen);
}

void list_allowed(const Part& part, std::vector<Value> allowed, bool is_complete, DeadEnd& stuck) {
  const Values& values = part.history->history().values();
  std::ranges::sort(allowed, [&](Value a, Value b) { return values.compare(a, b) < 0; });
  for (const Value result : allowed) stuck.allowed.push_back(values.to_json(result));
  stuck.allowed_complete = is_complete;
}

void tell_allowed(const ListStep& step, DeadEnd& stuck) {
  if (step.asks == ListStep::Kind::kNothing) {
    stuck.allowed.clear();
    stuck.allowed_complete = false;
  } else if (step.when_empty != "null") {
    const bool could_be_empty = std::erase(stuck.allowed, "null") != 0;
    if (could_be_empty && !step.when_empty.empty()) stuck.allowed.emplace_back(step.when_empty);
  }
}

PartVerdict frontier_linearizable(const Part& part, std::vector<OperationId> order) {
  PartVerdict verdict;
  verdict.outcome = Outcome::kHolds;
  verdict.linearization = place_early(part, std::move(order));
  return verdict;
}

PartVerdict frontier_violation(const Part& part, OperationId stuck, std::span<const OperationId> order,
                               std::span<const OperationId> state) {
  PartVerdict verdict;
  verdict.outcome = Outcome::kViolation;
  verdict.stuck.operation = stuck;
  verdict.stuck.prefix = early_points(part, order);
  if (auto described = state_after(part, state)) verdict.stuck.states.push_back(std::move(*described));
  verdict.core = core_of_dead_end(part, stuck);
  verdict.stuck.returned_before =
      static_cast<std::size_t>(std::ranges::count_if(verdict.core, &Event::is_return)) - 1;
  return verdict;
}

PartVerdict frontier_unknown(const Part& part, StopReason spent, OperationId next,
                             std::span<const OperationId> order) {
  PartVerdict verdict = PartVerdict::unknown(spent);
  verdict.reached = {
      static_cast<std::uint32_t>(std::ranges::find(part.events, Event::ret(next)) - part.events.begin()),
      early_points(part, order)};
  return verdict;
}

}  // namespace plumb
