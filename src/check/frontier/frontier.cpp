// The search of a family: the table of frontiers.def.
#include "check/frontier/frontier.hpp"

#include <algorithm>
#include <array>

namespace plumb {
namespace {

struct Row {
  Family family;
  FamilyFrontiers frontiers;
};

constexpr std::array kSearches = {
#define PLUMB_FRONTIER(FAMILY, NAME, COMES_FIRST, WHY) \
  Row{Family::FAMILY, {search_frontier_##NAME, COMES_FIRST, WHY}},
#include "check/frontier/frontiers.def"
#undef PLUMB_FRONTIER
};

}  // namespace

const FamilyFrontiers* find_frontier_search(Family family) {
  const auto* it = std::ranges::find(kSearches, family, &Row::family);
  return it == kSearches.end() ? nullptr : &it->frontiers;
}

}  // namespace plumb
