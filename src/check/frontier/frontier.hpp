// The engine for values that repeat: searches by frontiers, the sets of operations that an order can have
// taken so far (frontier_order.hpp), where the general search goes by what the object holds. Exact, in time
// that is linear in the length of the history where few operations overlap. One search per family of objects
// (frontiers.def).
#pragma once

#include <string_view>

#include "check/part.hpp"

namespace plumb {

struct FamilyFrontiers {
  // Says in `why_not` where it cannot judge a part.
  PartVerdict (*search)(const Part&, const SearchLimits&);
  bool comes_first;      // before the general search, with which it takes turns
  std::string_view why;  // it is quick
};

// Null where there is none.
[[nodiscard]] const FamilyFrontiers* find_frontier_search(Family family);
// The same for a history: also where its object is of no family, but a list with two ends (spec/list_form.hpp).
[[nodiscard]] const FamilyFrontiers* find_frontier_search(const BoundHistory& history);

#define PLUMB_FRONTIER(FAMILY, NAME, COMES_FIRST, WHY) \
  [[nodiscard]] PartVerdict search_frontier_##NAME(const Part& part, const SearchLimits& limits);
#include "check/frontier/frontiers.def"
#undef PLUMB_FRONTIER

}  // namespace plumb
