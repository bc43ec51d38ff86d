// Deciding all parts of a history: in parallel, in rounds, with early stop.
#pragma once

#include <vector>

#include "check/part.hpp"
#include "check/partition.hpp"

namespace plumb {

// One verdict a part. After a violation the other parts may be left undecided.
[[nodiscard]] std::vector<PartVerdict> decide_parts(const BoundHistory& history, const Partition& partition,
                                                    const CheckOptions& options);

}  // namespace plumb
