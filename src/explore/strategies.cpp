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
  return {.fuses_calls = is_bounded, .takes_graphs = true};
}

std::unique_ptr<Strategy> make_reduced(const ExploreOptions& options) {
  if (const auto bound = bound_of(options)) return bounded(*bound, options.memory);
  return sleep_sets();
}

// Leaves nothing out, to compare with.
StrategyTraits depth_first_traits(const ExploreOptions&) { return {.judged_as_run = true}; }

StrategyTraits states_traits(const ExploreOptions&) { return {.fuses_calls = true, .searches_states = true}; }

StrategyTraits random_walk_traits(const ExploreOptions&) {
  return {.random = true, .fuses_calls = true, .takes_graphs = true};
}

StrategyTraits priorities_traits(const ExploreOptions&) { return {.random = true, .fuses_calls = true}; }

std::unique_ptr<Strategy> make_depth_first(const ExploreOptions& options) {
  return depth_first(bound_of(options));
}
std::unique_ptr<Strategy> make_random_walk(const ExploreOptions& options) {
  return random_walk(options.seed);
}
std::unique_ptr<Strategy> make_pct(const ExploreOptions& options) { return pct(options.seed, options.depth); }
std::unique_ptr<Strategy> make_pos(const ExploreOptions& options) {
  return partial_order_sampling(options.seed);
}
std::unique_ptr<Strategy> make_surw(const ExploreOptions& options) {
  return selectively_uniform_walk(options.seed);
}

constexpr std::array kRows = {
#define PLUMB_STRATEGY(order, name, traits, make) StrategyRow{SearchOrder::order, name, traits, make},
#include "explore/strategies.def"
#undef PLUMB_STRATEGY
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
