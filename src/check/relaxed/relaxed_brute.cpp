// Quasi linearizability word for word: every sequentialization, and of each every legal history that is close enough. No
// memo, no pruning but what the definition says. Never optimised: the relaxed search is compared with it.
#include <algorithm>

#include "check/relaxed/relaxed.hpp"
#include "check/search/candidates.hpp"

namespace plumb {
namespace {

class RelaxedBruteForce {
 public:
  RelaxedBruteForce(const Part& part, const RelaxedBounds& relaxation, const SearchLimits& limits)
      : part_(part),
        relaxation_(relaxation),
        states_(std::move(part.history->model()
                              .states(part.history->history().values(), part.history->history().initial())
                              .value())),
        gauge_(*limits.budget, limits.rank),
        operations_(part) {}

  RelaxedVerdict run() {
    RelaxedVerdict verdict;
    sequence();
    verdict.configurations = tried_;
    verdict.spent = gauge_.reason();
    if (found_) {
      verdict.outcome = Outcome::kHolds;
      for (std::size_t i = 0; i < order_.size(); ++i) verdict.places.push_back({order_[i], legal_[i]});
    } else if (verdict.spent == StopReason::kNothing) {
      verdict.outcome = Outcome::kViolation;
      const auto last = std::ranges::find_if(part_.events.rbegin(), part_.events.rend(), &Event::is_return);
      verdict.stuck = last->operation();
      verdict.returned_before =
          static_cast<std::size_t>(std::ranges::count_if(part_.events, &Event::is_return)) - 1;
    }
    return verdict;
  }

 private:
  // Every order of all completed operations and any of the others that respects happens-before.
  void sequence() {
    const std::uint32_t limit = operations_.deadline();
    if (limit == part_.events.size()) {
      legal_.assign(order_.size(), 0);
      used_.assign(order_.size(), false);
      permute(0, states_->initial());
      if (found_) return;
    }
    for (std::size_t i = 0; i < operations_.size() && !found_; ++i) {
      if (!operations_.may_come(i, limit)) continue;
      if (gauge_.spent()) return;
      operations_.set_done(i, true);
      order_.push_back(operations_.operation(i));
      sequence();
      if (found_) return;
      order_.pop_back();
      operations_.set_done(i, false);
    }
  }

  // Who of the class may stand at this place, so many places of the class away at most?
  void permute(std::size_t place, StateId state) {
    ++tried_;
    if (place == order_.size()) {
      found_ = true;
      return;
    }
    const std::uint32_t kind = part_.history->operation(order_[place]);
    std::vector<std::size_t> same;  // places of the class
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (part_.history->operation(order_[i]) == kind) same.push_back(i);
    }
    const auto here = static_cast<std::size_t>(std::ranges::find(same, place) - same.begin());
    for (std::size_t i = 0; i < same.size() && !found_; ++i) {
      if (used_[same[i]] || std::max(i, here) - std::min(i, here) > relaxation_.k[kind]) continue;
      if (gauge_.spent()) return;
      const OperationId id = order_[same[i]];
      std::vector<StateId> next;
      states_->step(state, part_.history->call(id), part_.history->result(id), next);
      for (const StateId after : next) {
        used_[same[i]] = true;
        legal_[place] = id;
        permute(place + 1, after);
        if (found_) return;
        used_[same[i]] = false;
      }
    }
  }

  const Part& part_;
  const RelaxedBounds& relaxation_;
  std::unique_ptr<States> states_;
  BudgetGauge gauge_;
  Candidates operations_;
  std::vector<OperationId> order_;  // the sequentialization
  std::vector<OperationId> legal_;  // the legal history, as far as it is made
  std::vector<bool> used_;          // by place of the order: in the legal history
  std::uint64_t tried_ = 0;
  bool found_ = false;
};

}  // namespace

RelaxedVerdict brute_relaxed(const Part& part, const RelaxedBounds& relaxation, const SearchLimits& limits) {
  constexpr std::size_t kMostEvents = 10'000;  // the recursion is as deep as the history is long
  if (part.events.size() > kMostEvents) {
    RelaxedVerdict verdict;
    verdict.spent = StopReason::kTooLarge;
    return verdict;
  }
  return RelaxedBruteForce(part, relaxation, limits).run();
}

}  // namespace plumb
