// Deques, and other lists with two ends, bounded ones too, whether values repeat or not: exact, for histories in which few
// operations overlap.
//
// A frontier (frontier_order.hpp) is met once, with all contents that it can have. They have the same length, as that
// follows from what was taken; so they are a set of words of one length (word_sets.hpp, word_ends.hpp), in which a push and a
// pop at either end are one step each. Frontiers are gone through by how many returns they have passed, and of these by how
// many open operations they have taken: so a frontier has all of its contents before it is gone on from.
//
// Of all orders, only those are looked at that take alike operations by call (FrontierOrder::has_better), and an operation that
// changes nothing (a pop of nothing, a look at an end, a count) as soon as all contents of a frontier have what it found:
// waiting does not help it. Where only some have it, these go on with it, and all go on without. Values that no operation has
// found are not told apart.
//
// Time: at most n · 2^c frontiers, where c operations overlap, of c steps each. A step at the front is short; one at the back
// takes as long as the deque is, unless it is shared with another frontier. No polynomial bound is known for the diagrams.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/part.hpp"
#include "spec/list_form.hpp"

namespace plumb {

// Positions are those of events, all different; `a` happens before `b` if a.ret < b.call.
struct DequeOp {
  std::uint32_t call;
  std::uint32_t ret;  // FrontierOp::kNever: it need not take effect
  ListStep step;
};

struct DequeAnswer {
  Outcome outcome = Outcome::kUnknown;
  StopReason spent =
      StopReason::kNothing;  // for kUnknown; kTooLarge: more are open than FrontierOrder can hold
  // For kHolds, of all that returned, with pending ones that took effect. Otherwise of all that returned before the one that
  // is stuck, with some that were open.
  std::vector<std::uint32_t> order;
  std::uint32_t stuck = 0;  // no order gets, or got so far, past the return of this one
  std::vector<Value> allowed =
      {};  // for kViolation, if it asks for a value: those that it could have found, and null for none
  bool allowed_complete = true;  // false: perhaps others
  std::uint64_t frontiers = 0;   // met
};

// By call. A push needs room: fewer elements than `capacity`.
[[nodiscard]] DequeAnswer decide_deque(std::span<const DequeOp> operations, std::int64_t capacity,
                                       const SearchLimits& limits);

}  // namespace plumb
