// Queues that hold a value twice: exact, and linear in the length of the history where few operations
// overlap.
//
// What a queue holds has as many orders as the operations that filled it; a search that goes by contents dies
// of them. They need not be known. Order the insertions, and order the removals, each by themselves; let the
// i-th removal have the value of the i-th insertion. These two orders can be merged into one exactly if
//
//   (1) no operation that needs the first i insertions (the i-th removal, a look at the i-th value, a removal that found nothing
//       after i values have gone) returned before one of these i was called;
//   (2) no insertion that comes after a removal that found nothing returned before that removal was called, or before one
//       that comes earlier in the order of removals was.
//
// For where neither happens, a cycle would have to go from a removal x to an insertion, on to a later one,
// back to a removal x' and on to x: x → e because x returned before e was called, or found nothing before e;
// e' → x' because x' needs e', or e' returned before x' was called. "Needs" contradicts (1) or the count; of
// two times, e'.ret < x'.call <= x.ret < e.call <= e'.ret. What is left is (2).
//
// So the state of the search is a pair of frontiers, of as many insertions as removals: with a and b
// operations open at a time, some 2^(a+b) states for each i. It goes through them depth first, and knows each
// that it has met. (FPTLin, Lee and Mathur, PLDI 2026, has the two orders. It goes breadth first, and takes
// no pending operations.)
//
// The same search tells the first return that no order gets past (see check/earliest.hpp). Cut the history at
// a removal's return: the cut is linearizable if a state is met that has every removal that returned by then
// and nothing that is called later. What the search leaves out (FrontierOrder::has_better, removals of
// nothing that could also come later) it leaves out of every cut.
#pragma once

#include <cstdint>
#include <vector>

#include "check/frontier/frontier_order.hpp"
#include "check/part.hpp"

namespace plumb {

// One step of an order.
struct QueueStep {
  bool is_removal;
  std::uint32_t operation;  // of the insertions, or of the removals
};

struct QueueAnswer {
  Outcome outcome = Outcome::kUnknown;
  StopReason spent = StopReason::kNothing;  // for kUnknown
  // For kHolds, of all that returned. Else of all that returned before the removal that is stuck, or,
  // for kUnknown, that was not explained so far.
  std::vector<QueueStep> order;
  std::uint32_t stuck = 0;
  std::vector<Value> allowed = {};  // for kViolation: values that it could have had, and kNothing
  bool allowed_complete = true;     // false: perhaps others
  std::uint64_t states = 0;         // met
};

// Both by call. No more than FrontierOrder::kMostOpen of either kind may be open at a moment.
[[nodiscard]] QueueAnswer decide_queue(std::span<const FrontierOp> insertions,
                                       std::span<const FrontierOp> removals, const SearchLimits& limits);

}  // namespace plumb
