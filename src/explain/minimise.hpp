// Delta debugging: a small set of units that still fails, found by leaving out halves, quarters, … and at last single
// units (ddmin of Zeller and Hildebrandt, complements only).
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace plumb {

template <class Unit>
std::vector<Unit> without(const std::vector<Unit>& units, std::size_t begin, std::size_t end) {
  std::vector<Unit> rest(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(begin));
  rest.insert(rest.end(), units.begin() + static_cast<std::ptrdiff_t>(end), units.end());
  return rest;
}

// `fails(units)` must hold for what is given; so it does for what comes back, and for no set with one unit less, unless
// `tired()` said to stop.
template <class Unit, class Fails, class Tired>
std::vector<Unit> minimise(std::vector<Unit> units, const Fails& fails, const Tired& tired) {
  std::size_t size = std::max<std::size_t>(1, units.size() / 2);  // of what is left out at once
  std::size_t at = 0;
  std::size_t failed = 0;  // tries in a row, as far round as they have come
  while (!units.empty() && !tired()) {
    const std::size_t begin = at < units.size() ? at : 0;
    const std::size_t end = std::min(begin + size, units.size());
    std::vector<Unit> rest = without(units, begin, end);
    if (fails(rest)) {
      units = std::move(rest);
      at = begin;
      failed = 0;
      continue;
    }
    at = end;
    failed += end - begin;
    if (failed < units.size()) continue;
    if (size == 1) break;
    size = std::max<std::size_t>(1, std::min(size, units.size()) / 2);
    at = 0;
    failed = 0;
  }
  return units;
}

// Some units go only together: an acquire and its release. Leaves out every two as long as one try succeeds.
template <class Unit, class Fails, class Tired>
std::vector<Unit> minimise_by_pairs(std::vector<Unit> units, const Fails& fails, const Tired& tired) {
  for (std::size_t i = 0; i < units.size();) {
    bool smaller = false;
    for (std::size_t j = i + 1; j < units.size() && !smaller && !tired(); ++j) {
      std::vector<Unit> rest = without(units, j, j + 1);
      rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
      smaller = fails(rest);
      if (smaller) units = std::move(rest);
    }
    if (tired()) break;
    if (!smaller) ++i;
  }
  return units;
}

}  // namespace plumb
