// Deciding all parts of a history: in parallel, in rounds, with early stop.
#pragma once

#include <cstddef>
#include <vector>

#include "check/part.hpp"
#include "check/partition.hpp"

namespace plumb {

// One verdict a part. After a violation the other parts may be left undecided.
[[nodiscard]] std::vector<PartVerdict> decide_parts(const BoundHistory& history, const Partition& partition,
                                                    const CheckOptions& options);

// Bytes for a search, unless the caller says: half of what the machine has. Asked once: it is a system call.
[[nodiscard]] std::size_t default_memory();

}  // namespace plumb
