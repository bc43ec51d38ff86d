// Who took out what: for each insertion into a collection the removal of its value, and the other way round. Together with
// the times of the history that is all a monitor needs that goes through the events in order.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/part.hpp"

namespace plumb {

// Every value that is inserted: what does not remove, inserts.
template <class Visit>
void visit_inserted(const Part& part, Visit&& visit) {
  const History& history = part.history->history();
  if (part.is_whole()) {  // only insertions have arguments
    for (const Value value : history.columns(0, history.size()).arguments) visit(value);
    return;
  }
  for (const Event event : part.events) {
    const OperationId op = event.operation();
    if (!event.is_return() && part.history->role(op) != Role::kRemove) visit(history.args(op)[0]);
  }
}

class Partners {
 public:
  static constexpr OperationId kNobody = 0x7FFF'FFFFU;  // no operation has this number

  explicit Partners(const Part& part);

  // False: a value is inserted or removed twice, or never inserted, or there is null or something else inside.
  [[nodiscard]] bool are_clear() const { return clear_; }
  [[nodiscard]] bool is_removal(OperationId op) const { return (who_[op] & 1U) != 0; }
  // kNobody: it stays; or, of a removal, it found nothing or is pending.
  [[nodiscard]] OperationId of(OperationId op) const { return who_[op] >> 1U; }
  // Both at once: twice the partner, and one more for a removal.
  [[nodiscard]] std::uint32_t bits(OperationId op) const { return who_[op]; }
  // Removals that are pending, by call.
  [[nodiscard]] std::span<const OperationId> pending() const { return pending_; }

  void give(OperationId insertion, OperationId removal) {
    who_[insertion] = removal << 1U;
    who_[removal] = insertion << 1U | 1U;
  }

 private:
  void pair_all(const Part& part);

  std::span<std::uint32_t> who_;  // bits, in the part's scratch
  std::vector<OperationId> pending_;
  bool clear_ = true;
};

}  // namespace plumb
