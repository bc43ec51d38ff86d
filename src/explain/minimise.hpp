// Delta debugging (Zeller and Hildebrandt's ddmin, complements only): the smallest set of units that still fails, by
// leaving out halves, quarters, … and at last single ones.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace plumb {

// `fails(units)` must hold for what is given; so it does for what comes back, and for no set with one unit less, unless
// `tired()` said to stop.
template <class Unit, class Fails, class Tired>
std::vector<Unit> minimise(std::vector<Unit> units, const Fails& fails, const Tired& tired) {
  std::size_t pieces = 2;
  while (!units.empty()) {
    pieces = std::min(pieces, units.size());
    bool smaller = false;
    for (std::size_t piece = 0; piece < pieces && !tired(); ++piece) {
      const std::size_t begin = units.size() * piece / pieces;
      const std::size_t end = units.size() * (piece + 1) / pieces;
      std::vector<Unit> rest(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(begin));
      rest.insert(rest.end(), units.begin() + static_cast<std::ptrdiff_t>(end), units.end());
      if (!fails(rest)) continue;
      units = std::move(rest);
      smaller = true;
      pieces = std::max<std::size_t>(pieces - 1, 2);
      piece = static_cast<std::size_t>(-1);  // begin again with what is left
      if (units.empty()) return units;
      pieces = std::min(pieces, units.size());
    }
    if (tired() || (!smaller && pieces == units.size())) return units;
    if (!smaller) pieces = std::min(2 * pieces, units.size());
  }
  return units;
}

}  // namespace plumb
