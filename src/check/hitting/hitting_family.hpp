// Strong hitting families written out, schedule by schedule: to count them, and to test what the engine relies on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "check/hitting/hitting_poset.hpp"

namespace plumb {

using Schedule = std::vector<std::uint32_t>;  // numbers of operations in the poset

// The distinct schedules of the strong d-hitting family that Algorithm 1 makes; a pending operation is only in those that
// name it. None where they are more than it is worth while to write out, or `budget` is spent.
[[nodiscard]] std::optional<std::vector<Schedule>> hitting_family(const HittingPoset& poset, unsigned depth,
                                                                  const Budget& budget);
// How many there are.
[[nodiscard]] std::optional<std::uint64_t> hitting_family_size(const HittingPoset& poset, unsigned depth,
                                                               const Budget& budget);

}  // namespace plumb
