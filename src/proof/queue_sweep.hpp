// The plain search for queues that hold a value twice: what they hold has too many orders to be gone through
// (sweep.hpp).
//
// Insertions are ordered apart from removals; the i-th removal has the value of the i-th insertion. Two such
// orders can be merged into one that respects happens-before if (1) nothing that needs the first i insertions
// returned before one of them was called, and (2) no insertion that comes after a removal that found nothing
// returned before that removal, or one before it in the order of removals, was called. docs/certificates.md
// has the proof.
//
// So all pairs of sets are gone through, as many insertions as removals, one more of each at a time: the sets
// that an order of one kind can begin with. Nothing is left out, and no code is shared with the engines.
#pragma once

#include <cstdint>
#include <span>

#include "proof/family_swept.hpp"
#include "spec/bind.hpp"

namespace plumb {

// Of a history of the family of queues. Operations whose return is not among the events need not take effect,
// and have their result if one was recorded. It gives up when it has met more than so many pairs.
[[nodiscard]] FamilySwept sweep_queue(const BoundHistory& history, std::span<const Event> events,
                                      std::uint64_t pairs);

}  // namespace plumb
