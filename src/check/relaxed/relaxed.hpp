// Quasi linearizability: operations of some classes may be a few places away from where a legal history has them.
//
// The definition (after Round-Up): a history is accepted when it has a sequentialization, an order of all operations
// that respects happens-before, from which a legal sequential history is obtained by permuting, within each relaxed class,
// its operations among the places that the class occupies, none moving more than K places within its class. A pending
// operation takes part in both orders or in none.
//
// What is accepted here is not what a part of it says: a history can be accepted and a beginning of it not (of
// `enqueue(1), enqueue(2), dequeue → 2, dequeue → 1` the first three are refused with K = 1), and operations of other keys
// take up places. So histories are split by object only, which is by definition.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/part.hpp"

namespace plumb {

// How far each of the model's operations may move, by its number; 0: not at all.
struct RelaxedBounds {
  std::vector<std::uint32_t> k;

  [[nodiscard]] bool is_plain() const;
  [[nodiscard]] std::vector<bool> relaxed() const;  // by number: it may move
};

// The number of the model's operation that each entry names. Fails where it names none, or one that was named before.
[[nodiscard]] Result<std::vector<std::uint32_t>> relaxed_operations(const Model& model,
                                                                    std::span<const Relaxation> relax);

// One place of the two orders: who stands there in the sequentialization, and who in the legal history. Both are operations
// of one class, or one and the same.
struct RelaxedPlace {
  OperationId sequenced;
  OperationId legal;
};

struct RelaxedVerdict {
  Outcome outcome = Outcome::kUnknown;
  StopReason spent = StopReason::kNothing;  // for kUnknown
  std::vector<RelaxedPlace> places;         // for kHolds
  OperationId stuck = 0;                    // for kViolation: the first return that no pair of orders passes
  std::size_t returned_before = 0;
  std::vector<RelaxedPlace>
      prefix;  // for kViolation: a pair that gets that far; within it, operations may be missing
  std::uint64_t configurations = 0;
};

// Decides exactly. Every pair of orders is replayed before it is believed.
[[nodiscard]] RelaxedVerdict search_relaxed(const Part& part, const RelaxedBounds& relaxation,
                                            const SearchLimits& limits);

// The definition, word for word: every order, every permutation. For a handful of operations.
[[nodiscard]] RelaxedVerdict brute_relaxed(const Part& part, const RelaxedBounds& relaxation,
                                           const SearchLimits& limits);

// Are these the two orders the definition asks for? Plain, and independent of the searches.
[[nodiscard]] bool replays_relaxed(const Part& part, std::span<const RelaxedPlace> places,
                                   const RelaxedBounds& relaxation);

// What is needed to see that this return cannot be passed: what was called before it; and, of relaxed classes, what the
// legal history could have taken from later. So many of its class have returned before such an operation is called, that it
// comes, at the earliest, more than K places after all that can be placed before the return: it is not among them. Of the
// last return nothing is cut off: to settle what is owed then, anything may help.
[[nodiscard]] std::vector<Event> cut_relaxed(const BoundHistory& history, std::span<const Event> events,
                                             const RelaxedBounds& relaxation, OperationId impossible);

// The places as points in time: each operation that was called for the places so far has been called by then.
[[nodiscard]] std::vector<std::uint32_t> positions_of(const Part& part, std::span<const RelaxedPlace> places);

}  // namespace plumb
