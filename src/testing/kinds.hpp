// How many rows the tables of kinds have, for whoever has to know them all.
#pragma once

#include <cstddef>

namespace plumb::testing {

// NOLINTBEGIN(bugprone-macro-parentheses): the rows are added up
inline constexpr std::size_t kViolationKinds = 0
#define PLUMB_VIOLATION_KIND(name, text) +1
#include "plumb/detail/violation_kinds.def"
#undef PLUMB_VIOLATION_KIND
    ;

inline constexpr std::size_t kCutOffs = 0
#define PLUMB_CUT_OFF(name, text) +1
#include "plumb/detail/cut_offs.def"
#undef PLUMB_CUT_OFF
    ;
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace plumb::testing
