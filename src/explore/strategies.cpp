#include "explore/strategies.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <optional>

namespace plumb::engine {
namespace {

// None: any number of preemptions.
std::optional<int> bound_of(const ExploreOptions& options) {
  constexpr unsigned kMost = std::numeric_limits<int>::max();  // no execution has as many
  const auto most = options.preemptions ? options.preemptions->most() : std::nullopt;
  if (!most || *most > kMost) return std::nullopt;
  return static_cast<int>(*most);
}

// Sleep sets have to know the very step that a thread is about to take; a search with a bound does not.
StrategyTraits reduced_traits(const ExploreOptions& options) {
  const bool is_bounded = bound_of(options).has_value();
  return {.splits = !is_bounded, .fuses_calls = is_bounded, .takes_graphs = true};
}

std::unique_ptr<Strategy> make_reduced(const ExploreOptions& options) {
  if (const auto bound = bound_of(options)) return bounded(*bound, options.memory);
  return sleep_sets();
}

// Leaves nothing out, to compare with.
StrategyTraits depth_first_traits(const ExploreOptions& options) {
  return {.splits = !bound_of(options), .judged_as_run = true};
}

StrategyTraits random_traits(const ExploreOptions&) { return {.random = true, .fuses_calls = true}; }

StrategyTraits walk_traits(const ExploreOptions&) {
  return {.random = true, .fuses_calls = true, .takes_graphs = true};
}

constexpr std::array kRows = {
    StrategyRow{SearchOrder::kReduced, "reduced", reduced_traits, make_reduced},
    StrategyRow{SearchOrder::kDepthFirst, "depth-first", depth_first_traits,
                [](const ExploreOptions& options) { return depth_first(bound_of(options)); }},
    StrategyRow{
        SearchOrder::kStates, "states",
        [](const ExploreOptions&) { return StrategyTraits{.fuses_calls = true, .searches_states = true}; },
        make_reduced},
    StrategyRow{SearchOrder::kRandom, "random", walk_traits,
                [](const ExploreOptions& options) { return random_walk(options.seed); }},
    StrategyRow{SearchOrder::kPct, "pct", random_traits,
                [](const ExploreOptions& options) { return pct(options.seed, options.depth); }},
    StrategyRow{SearchOrder::kPos, "pos", random_traits,
                [](const ExploreOptions& options) { return partial_order_sampling(options.seed); }},
    StrategyRow{SearchOrder::kSurw, "surw", random_traits,
                [](const ExploreOptions& options) { return selectively_uniform_walk(options.seed); }},
};

const StrategyRow& row_of(SearchOrder order) {
  return *std::ranges::find_if(kRows, [&](const StrategyRow& row) { return row.order == order; });
}

}  // namespace

std::span<const StrategyRow> strategies() { return kRows; }

std::string_view strategy_name(SearchOrder order) { return row_of(order).name; }

StrategyTraits strategy_traits(const ExploreOptions& options) {
  return row_of(options.order).traits(options);
}

std::unique_ptr<Strategy> make_strategy(const ExploreOptions& options) {
  return row_of(options.order).make(options);
}

}  // namespace plumb::engine
