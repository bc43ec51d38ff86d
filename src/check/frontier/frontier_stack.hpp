// Stacks that hold a value twice: exact, and linear in the length of the history where few operations overlap
// and what that leaves open is settled soon.
//
// A frontier is a set of operations that an order can have taken so far: everything that returned before a
// return t, and some of the operations open at t. A search that goes by contents dies of the many stacks that
// a frontier can have. Here a frontier is met once, with all of its stacks together. They have the same
// height, as that follows from what was taken; so they are words of one length, and a set of such words is a
// small diagram (word_sets.hpp), in which a push and a pop are one step each.
//
// Returns are gone through one by one. When x returns, the frontiers that have taken x go on; the others have
// to take it now, perhaps after other open operations. Of all orders, only those are looked at
// (stack_stage.hpp) that
//
//   (1) take alike operations by return, the earliest first: of two that are open and do the same, the one
//       that returns later can stand wherever the other stands;
//   (2) take a pop of nothing as soon as the stack is empty: it changes nothing, and waiting does not help
//       it;
//   (3) take no whole pair before x: a push and its pop with only whole pairs between, all of them open when
//       x returns, can come right after x instead, as they leave the stack as it was. A push that a pop
//       follows is such a pair. So what comes before x is some pops, then some pushes;
//   (4) if x is a pop, take only pops before it, or one push, whose value it pops: of several pushes the last
//       is x's own, the two are a pair and can come first of all, and everything else can wait until after x;
//   (5) take a push that never returns only in such a pair: what nobody pops, or a pop that never returns,
//       can be left out with its push; else the push can wait until right before its pop.
//
// Each rule puts operations that change the stack off until after later returns; or it leaves that as it is,
// and sorts alike operations or brings pops of nothing forward. So to apply them comes to an end, with an
// order that all of them allow. And each holds for a history that is cut off after any event: the first
// return that no frontier gets past is the first one that no order gets past.
//
// What lies so deep that it is never popped is not told apart (WordSets::kSettled).
//
// Time: of the frontiers that are met there are at most 2^c for each of n returns, where c operations
// overlap, and each takes c steps and unions. A union is short unless what lies on top goes with what lies
// deep below; no polynomial bound is known for the worst case. (FPTLin, Lee and Mathur, PLDI 2026, has one,
// 8^k n^3 for k processes. It goes by pairs of frontiers, and takes no pending operations.)
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/part.hpp"

namespace plumb {

// Positions are those of events, all different; `a` happens before `b` if a.ret < b.call.
struct StackOp {
  static constexpr std::uint32_t kNever = ~std::uint32_t{0};  // returns: it need not take effect
  static constexpr std::uint32_t kMostOpen = 64;              // at a moment
  enum class Kind : std::uint8_t {
    kPush,
    kPop,
    kPopNothing,   // the stack was empty
    kPopAnything,  // of which the result is not known; never returns
  };

  std::uint32_t call;
  std::uint32_t ret;
  std::uint32_t value;  // of kPush and kPop
  Kind kind;
};

struct StackAnswer {
  Outcome outcome = Outcome::kUnknown;
  StopReason spent = StopReason::kNothing;  // for kUnknown; kTooLarge: more operations overlap than kMostOpen
  // For kHolds, of all that returned, with pending ones that took effect. For kViolation, of all that
  // returned before the one that is stuck, with some that were open.
  std::vector<std::uint32_t> order;
  // For kViolation: no order gets past the return of this pop. For kUnknown: the return that comes next after
  // all that could be passed; how, is not told, as that would take as long again.
  std::uint32_t stuck = 0;
  std::vector<std::uint32_t> allowed = {};  // for kViolation: values that it could have had
  bool allowed_nothing = false;             // it could have found the stack empty
  bool allowed_complete = true;             // false: perhaps others
  std::uint64_t frontiers = 0;              // met
};

// In any order. Heeds of the limits the budget, the rank, the memory and the configurations (here:
// frontiers).
[[nodiscard]] StackAnswer decide_stack(std::span<const StackOp> ops, const SearchLimits& limits);

}  // namespace plumb
