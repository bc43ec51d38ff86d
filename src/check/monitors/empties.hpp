// Removals that found a queue or a stack empty: each needs a moment at which no value is surely inside.
#pragma once

#include <algorithm>
#include <span>
#include <utility>
#include <vector>

#include "check/monitors/lifetimes.hpp"
#include "check/monitors/timeline.hpp"

namespace plumb {

// Gives each empty removal the first gap in which no value is surely inside: `placed`, by gap, ranks to be given.
// Returns a removal that has none, or null.
[[nodiscard]] inline const EmptyRemoval* place_empties(std::span<const EmptyRemoval> empties,
                                                       std::span<const Lifetime> values, std::size_t events,
                                                       std::vector<Placed>& placed) {
  if (empties.empty()) return nullptr;
  Coverage coverage(events);
  for (const Lifetime& l : values) coverage.cover(l.in_by(), l.out_from());
  const auto free = std::move(coverage).next_free();
  for (const EmptyRemoval& e : empties) {
    const std::uint32_t gap = free[e.call + 1];
    if (gap > e.ret) return &e;
    placed.push_back({gap, 0, e.operation});
  }
  std::ranges::sort(placed, {}, &Placed::gap);
  return nullptr;
}

// The fewest values of which at each moment of such a removal one is surely inside, by their numbers.
[[nodiscard]] inline std::vector<std::uint32_t> values_that_block(const EmptyRemoval& e,
                                                                  std::span<const Lifetime> values) {
  std::vector<Stay> stays;
  for (std::uint32_t v = 0; v < values.size(); ++v) {
    if (values[v].in_by() < values[v].out_from())
      stays.push_back({values[v].in_by(), values[v].out_from(), v});
  }
  return covering_chain(std::move(stays), e.call, e.ret);
}

}  // namespace plumb
