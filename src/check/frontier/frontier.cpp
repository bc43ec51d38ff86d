// The search of a family: the table of frontiers.def.
#include "check/frontier/frontier.hpp"

#include <algorithm>
#include <array>

#include "spec/list_form.hpp"

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

const FamilyFrontiers* find_frontier_search(const BoundHistory& history) {
  if (const FamilyFrontiers* of_family = find_frontier_search(history.family())) return of_family;
  const auto order = ListForm::order(history);
  if (!order) return nullptr;
  return find_frontier_search(*order == ListForm::Order::kLeast ? Family::kPriorityQueue : Family::kDeque);
}

}  // namespace plumb
