// The lives of the values of a collection (queue, stack, priority queue): when each went in and when it came out.
// Monitors for these collections look at nothing else.
//
// Moments are positions among the events of the part. A value may be inside from `ic` on, is surely inside between
// `ir` and `rc`, and is out at `rr`; an insertion or a removal that has not returned has no such moment.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "check/part.hpp"

namespace plumb {

// Later than every event. A value that stays has rc = kStays and rr = kGone; one that a pending removal takes has
// rr = kTaken: it leaves after all that is recorded, but before the values that stay.
inline constexpr std::uint32_t kTaken = 0xFFFF'FFFDU;
inline constexpr std::uint32_t kStays = 0xFFFF'FFFEU;
inline constexpr std::uint32_t kGone = 0xFFFF'FFFFU;

struct Lifetime {
  static constexpr OperationId kNoOperation = ~OperationId{0};
  enum Moment : std::uint8_t { kInsertCall, kInsertReturn, kRemoveCall, kRemoveReturn };

  std::array<OperationId, 2> operation = {kNoOperation, kNoOperation};
  std::array<std::uint32_t, 4> moment = {kGone, kGone, kStays, kGone};

  [[nodiscard]] OperationId insertion() const { return operation[0]; }
  [[nodiscard]] OperationId removal() const { return operation[1]; }
  [[nodiscard]] std::uint32_t ic() const { return moment[kInsertCall]; }
  [[nodiscard]] std::uint32_t ir() const { return moment[kInsertReturn]; }
  [[nodiscard]] std::uint32_t rc() const { return moment[kRemoveCall]; }
  [[nodiscard]] std::uint32_t rr() const { return moment[kRemoveReturn]; }

  [[nodiscard]] bool stays() const { return rr() == kGone; }
  // An insertion takes effect before its removal returns, and a removal after its insertion is called.
  [[nodiscard]] std::uint32_t in_by() const { return ir() < rr() ? ir() : rr(); }
  [[nodiscard]] std::uint32_t out_from() const { return rc() > ic() ? rc() : ic(); }
  // It need not be inside at any moment: insertion and removal can take effect one right after the other.
  [[nodiscard]] bool may_be_momentary() const { return out_from() < in_by(); }

  void give_removal(OperationId removal, std::uint32_t call, std::uint32_t ret) {
    operation[1] = removal;
    moment[kRemoveCall] = call;
    moment[kRemoveReturn] = ret;
  }
};

struct EmptyRemoval {
  OperationId operation;
  std::uint32_t call;
  std::uint32_t ret;
};

struct PendingRemoval {
  OperationId operation;
  std::uint32_t call;
};

struct Lifetimes {
  std::vector<Lifetime> values;         // without those whose pending insertion nobody saw
  std::vector<EmptyRemoval> empties;    // in the order of the input
  std::vector<PendingRemoval> pending;  // by call
  std::string unsuitable;               // not empty: why no monitor can judge this part
  std::vector<OperationId> impossible;  // not empty: a core that concerns one value only

  // By operation, in the part's scratch: twice the number of its value, and one more for a removal; or, from kEmpty on,
  // which of the empty removals it is; or kNobody for a pending removal and for what was left out.
  std::span<std::uint32_t> who;

  static constexpr std::uint32_t kEmpty = 0x8000'0000U;
  static constexpr std::uint32_t kNobody = ~std::uint32_t{0};
  // Which moment of its value an event is: of those below kEmpty.
  static Lifetime::Moment moment(std::uint32_t who, Event event) {
    return static_cast<Lifetime::Moment>(2 * (who & 1U) + (event.is_return() ? 1U : 0U));
  }

  // For who does not look them up any more: which one is found blocked first does not depend on the order of the input.
  std::span<const EmptyRemoval> empties_by_return() {
    std::ranges::sort(empties, {}, &EmptyRemoval::ret);
    return empties;
  }

  [[nodiscard]] static Lifetimes of(const Part& part);
};

}  // namespace plumb
