// The strategies there are, made of the rows of strategies.def: their names, what the rest of plumb has to know of each, and how each is made.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include <plumb/explore.hpp>

#include "base/fixed_text.hpp"
#include "explore/strategy.hpp"

namespace plumb::engine {

struct StrategyTraits {
  bool random = false;       // never exhausted: ends after some executions, by default
  bool fuses_calls = false;  // the call of an operation and its first step are one choice
  bool judged_as_run =
      false;  // runs every order itself: the histories of other orders of its steps need not be worked out
  bool searches_states = false;  // states, not schedules; where it cannot, its Strategy takes over
  bool takes_graphs = false;     // also under weak memory models, where it picks among execution graphs
};

struct StrategyRow {
  SearchOrder order;
  std::string_view name;  // of --strategy
  StrategyTraits (*traits)(const ExploreOptions& options);
  std::unique_ptr<Strategy> (*make)(const ExploreOptions& options);
};

// "reduced, states, …"
inline constexpr FixedText kStrategyNames = [] {
  FixedText text;
#define PLUMB_STRATEGY(order, name, traits, make) \
  if (!text.view().empty()) text.append(", ");    \
  text.append(name);
#include "explore/strategies.def"
#undef PLUMB_STRATEGY
  return text;
}();

[[nodiscard]] std::span<const StrategyRow> strategies();
[[nodiscard]] std::string_view strategy_name(SearchOrder order);
[[nodiscard]] StrategyTraits strategy_traits(const ExploreOptions& options);
[[nodiscard]] std::unique_ptr<Strategy> make_strategy(const ExploreOptions& options);

}  // namespace plumb::engine
