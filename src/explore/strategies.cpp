#include "explore/strategies.hpp"

#include <algorithm>
#include <array>

namespace plumb::engine {
namespace {

// Sleep sets have to know the very step that a thread is about to take; a search with a bound does not.
StrategyTraits reduced_traits(const ExploreOptions& options) {
  const bool is_bounded = options.preemptions >= 0;
  return {.splits = !is_bounded, .fuses_calls = is_bounded};
}

std::unique_ptr<Strategy> make_reduced(const ExploreOptions& options) {
  if (options.preemptions >= 0) return bounded(*options.preemptions, options.memory);
  return sleep_sets();
}

// Leaves nothing out, to compare with.
StrategyTraits depth_first_traits(const ExploreOptions& options) {
  return {.splits = options.preemptions < 0, .judged_as_run = true};
}

StrategyTraits random_traits(const ExploreOptions&) { return {.random = true, .fuses_calls = true}; }

constexpr std::array kRows = {
    StrategyRow{SearchOrder::kReduced, "reduced", reduced_traits, make_reduced},
    StrategyRow{SearchOrder::kDepthFirst, "depth-first", depth_first_traits,
                [](const ExploreOptions& options) { return depth_first(options.preemptions.value_or(-1)); }},
    StrategyRow{SearchOrder::kRandom, "random", random_traits,
                [](const ExploreOptions& options) { return random_walk(options.seed); }},
    StrategyRow{SearchOrder::kPct, "pct", random_traits,
                [](const ExploreOptions& options) { return pct(options.seed, options.depth); }},
};

const StrategyRow& row_of(SearchOrder order) {
  return *std::ranges::find_if(kRows, [&](const StrategyRow& row) { return row.order == order; });
}

}  // namespace

std::span<const StrategyRow> strategies() { return kRows; }

StrategyTraits strategy_traits(const ExploreOptions& options) {
  return row_of(options.order).traits(options);
}

std::unique_ptr<Strategy> make_strategy(const ExploreOptions& options) {
  return row_of(options.order).make(options);
}

}  // namespace plumb::engine
