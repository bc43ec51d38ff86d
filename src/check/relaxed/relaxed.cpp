// The relaxed search as an engine: lays out the part, searches, replays what was found.
#include "check/relaxed/relaxed.hpp"

#include <algorithm>

#include "check/relaxed/relaxed_layout.hpp"
#include "check/relaxed/relaxed_queue.hpp"
#include "check/relaxed/relaxed_search.hpp"

namespace plumb {
namespace {

RelaxedVerdict unknown(StopReason spent) {
  RelaxedVerdict verdict;
  verdict.spent = spent;
  return verdict;
}

struct Found {
  Outcome outcome = Outcome::kUnknown;
  StopReason spent = StopReason::kNothing;
  std::vector<RelaxedPlace> places;
  std::uint32_t furthest = 0;
  std::uint64_t configurations = 0;
};

// A pair of orders that passes the first `goal` returns.
template <std::size_t kWords>
Found find(const RelaxedLayout& layout, const Part& part, const RelaxedBounds& relaxation,
           const SearchLimits& limits, std::uint32_t goal) {
  const auto lazy = lazy_queue(part, relaxation);
  const auto plain = lazy ? nullptr : fresh_states(*part.history);
  RelaxedSearch<kWords> search(layout, lazy ? *lazy : *plain, limits);
  Found found;
  found.outcome = search.search(goal);
  found.spent = search.spent();
  found.furthest = std::min(search.furthest(), layout.returns() - 1);
  found.configurations = search.configurations();
  if (found.outcome == Outcome::kHolds) {
    found.places = search.places();
    if (lazy) found.places = settle_enqueues(part, *lazy, found.places, search.states_after());
  }
  return found;
}

template <std::size_t kWords>
RelaxedVerdict decide(const RelaxedLayout& layout, const Part& part, const RelaxedBounds& relaxation,
                      const SearchLimits& limits) {
  Found found = find<kWords>(layout, part, relaxation, limits, layout.returns());
  RelaxedVerdict verdict;
  verdict.outcome = found.outcome;
  verdict.spent = found.spent;
  verdict.configurations = found.configurations;
  if (found.outcome == Outcome::kHolds) {
    if (!replays_relaxed(part, found.places, relaxation)) return unknown(StopReason::kInternalError);
    verdict.places = std::move(found.places);
  }
  if (found.outcome == Outcome::kViolation) {
    verdict.stuck = layout.base.operations[layout.base.returning[found.furthest]].id;
    verdict.returned_before = found.furthest;
    verdict.prefix = find<kWords>(layout, part, relaxation, limits, found.furthest).places;
  }
  return verdict;
}

}  // namespace

bool RelaxedBounds::is_plain() const {
  return std::ranges::all_of(k, [](std::uint32_t places) { return places == 0; });
}

std::vector<bool> RelaxedBounds::relaxed() const {
  std::vector<bool> all;
  for (const std::uint32_t places : k) all.push_back(places != 0);
  return all;
}

RelaxedVerdict search_relaxed(const Part& part, const RelaxedBounds& relaxation, const SearchLimits& limits) {
  const RelaxedLayout layout(part, relaxation);
  if (layout.too_wide) return unknown(StopReason::kMemory);
  return layout.base.slots <= 64 ? decide<1>(layout, part, relaxation, limits)
                                 : decide<0>(layout, part, relaxation, limits);
}

}  // namespace plumb
