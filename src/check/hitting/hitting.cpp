// Strong hitting families as an engine: for d = 1, 2, … it looks for a witness in the strong d-hitting family of the part.
// A family without one proves nothing.
#include "check/hitting/hitting.hpp"

#include <algorithm>

#include "check/hitting/hitting_sweep.hpp"

namespace plumb {
namespace {

// Schedules run on the model. A pending operation that cannot happen where the schedule has it did not happen.
class OnStates {
 public:
  OnStates(const Part& part, const HittingPoset& poset, States& states)
      : history_(*part.history), poset_(poset), states_(states) {}

  StateId start() { return states_.initial(); }
  bool extend(StateId state, std::uint32_t operation, std::vector<StateId>& next) {
    const OperationId id = poset_.operations[operation].id;
    states_.step(state, history_.call(id), history_.result(id), next);
    if (!next.empty() || !poset_.operations[operation].is_pending) return true;
    next.push_back(state);
    return false;
  }

 private:
  const BoundHistory& history_;
  const HittingPoset& poset_;
  States& states_;
};

// The limits of the search, and a bound on what is worth trying before another engine has a go.
class Limits {
 public:
  Limits(const SearchLimits& limits, const States& states) : limits_(limits), states_(states) {}

  bool spent(std::uint64_t work) {
    constexpr std::uint64_t kMostWork = 2'000'000;
    constexpr std::size_t kBytesEach = 64;  // of trails and partial schedules, at most about so many
    spent_ = limits_.budget->spent(limits_.rank);
    if (spent_ != StopReason::kNothing) return true;
    if (work > limits_.configurations) spent_ = StopReason::kRound;
    if (states_.memory() + work * kBytesEach > limits_.memory) spent_ = StopReason::kMemory;
    if (work > kMostWork) spent_ = StopReason::kTooLarge;
    return spent_ != StopReason::kNothing;
  }
  [[nodiscard]] StopReason reason() const { return spent_; }

 private:
  const SearchLimits& limits_;
  const States& states_;
  StopReason spent_ = StopReason::kNothing;
};

// Each operation takes effect before the first return that is still to come.
std::vector<Point> points_of(const HittingPoset& poset, std::span<const std::uint32_t> order,
                             std::size_t end) {
  std::vector<Point> points(order.size());
  auto deadline = static_cast<std::uint32_t>(end);
  for (std::size_t i = order.size(); i-- > 0;) {
    deadline = std::min(deadline, poset.operations[order[i]].ret);
    points[i] = {poset.operations[order[i]].id, deadline};
  }
  return points;
}

}  // namespace

PartVerdict search_hitting(const Part& part, States& states, const SearchLimits& limits) {
  const HittingPoset poset(part);
  OnStates replay(part, poset, states);
  Limits watch(limits, states);
  HittingSweep<OnStates, Limits> sweep(poset, replay, watch);
  PartVerdict verdict = PartVerdict::unknown(StopReason::kNoWitness);
  const auto deepest = static_cast<std::uint32_t>(std::min<std::size_t>(limits.max_depth, poset.size()));
  for (std::uint32_t depth = 1; depth <= deepest; ++depth) {
    for (std::uint32_t chain = 0; chain < poset.chains && !sweep.gave_up(); ++chain) {
      sweep.forget_trails();
      const auto& witnesses = sweep.run(chain, depth - 1, depth - 1);
      if (witnesses.empty()) continue;
      verdict.outcome = Outcome::kHolds;
      verdict.spent = StopReason::kNothing;
      verdict.depth = depth;
      verdict.linearization = points_of(poset, sweep.schedule(witnesses.front()), part.events.size());
      verdict.configurations = sweep.work();
      return verdict;
    }
  }
  if (sweep.gave_up()) verdict.spent = watch.reason();
  verdict.configurations = sweep.work();
  return verdict;
}

}  // namespace plumb
