// The oracle: tries every order that respects happens-before, with no memo, no pruning, no cleverness. Never
// optimised: every other engine is compared with it.
#include <algorithm>

#include "check/search/candidates.hpp"

namespace plumb {
namespace {

class BruteForce {
 public:
  BruteForce(const Part& part, States& states, const SearchLimits& limits)
      : part_(part),
        states_(states),
        limits_(limits),
        gauge_(*limits.budget, limits.rank),
        operations_(part) {}

  PartVerdict run() {
    PartVerdict verdict;
    search(states_.initial());
    verdict.configurations = tried_;
    verdict.spent = gauge_.reason();
    if (found_) {
      verdict.outcome = Outcome::kHolds;
      verdict.linearization = order_;
    } else if (verdict.spent == StopReason::kNothing) {
      verdict.outcome = Outcome::kViolation;
      verdict.stuck.operation = part_.events[furthest_].operation();
    } else {
      verdict.reached = {furthest_, std::move(longest_)};
    }
    return verdict;
  }

 private:
  void search(StateId state) {
    ++tried_;
    const std::uint32_t limit = operations_.deadline();
    if (limit == part_.events.size()) {  // only pending operations are left, and they need not happen
      found_ = true;
      return;
    }
    if (limit > furthest_) {
      furthest_ = limit;
      longest_ = order_;
      if (limits_.watch != nullptr) limits_.watch->reach(limits_.watched, limit);
    }
    for (std::size_t i = 0; i < operations_.size(); ++i) {
      if (!operations_.may_come(i, limit)) continue;
      if (gauge_.spent()) return;
      std::vector<StateId> next;
      const OperationId op = operations_.operation(i);
      states_.step(state, part_.history->call(op), part_.history->result(op), next);
      for (const StateId after : next) {
        operations_.set_done(i, true);
        order_.push_back({op, limit});
        search(after);
        if (found_) return;
        order_.pop_back();
        operations_.set_done(i, false);
      }
    }
  }

  const Part& part_;
  States& states_;
  const SearchLimits& limits_;
  BudgetGauge gauge_;
  Candidates operations_;
  std::vector<Point> order_;
  std::uint32_t furthest_ = 0;  // the latest return that was next in some order
  std::vector<Point> longest_;  // the order that got there
  std::uint64_t tried_ = 0;
  bool found_ = false;
};

}  // namespace

PartVerdict search_brute_force(const Part& part, States& states, const SearchLimits& limits) {
  constexpr std::size_t kMostEvents = 10'000;  // the recursion is as deep as the history is long
  if (part.events.size() > kMostEvents) return PartVerdict::unknown(StopReason::kTooLarge);
  return BruteForce(part, states, limits).run();
}

}  // namespace plumb
