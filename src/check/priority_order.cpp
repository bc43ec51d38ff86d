// An order for a priority queue, in one sweep through the events: it finds what the greedy choice of the monitor finds
// (monitor_priority_queue.cpp), from the first event to the last instead of from the smallest value to the largest. So it
// touches what is inside and not all there is, which for millions of operations is what counts.
//
// A value appears when its insertion returns. It goes at the first moment at which its removal is called and no smaller
// value is present: of those present only the smallest can be the next to go. A value whose removal is called before its
// insertion has returned can go without having been present, as soon as all that is present is larger.
#include "check/priority_order.hpp"

#include <algorithm>

#include <absl/container/btree_set.h>

#include "base/huge_pages.hpp"
#include "base/wide_heap.hpp"
#include "check/partners.hpp"

namespace plumb {
namespace {

class PriorityOrder {
 public:
  PriorityOrder(const Part& part, std::uint32_t remove)
      : part_(part), history_(part.history->history()), partners_(part, remove) {}

  std::optional<std::vector<OperationId>> run() {
    if (!partners_.are_clear()) return std::nullopt;
    state_ = large_vector<std::uint8_t>(history_.size());
    reserve_large(order_, part_.events.size() / 2 + partners_.pending().size());
    for (const Event event : part_.events) {
      if (!pass(event)) return std::nullopt;
    }
    return std::move(order_);
  }

 private:
  // Of a value, by its insertion; of a removal that found nothing, by itself.
  enum State : std::uint8_t { kInsertCalled = 1, kRemoveCalled = 2, kPresent = 4, kGone = 8 };

  // A value, above the number of its insertion: compared as one number.
  using Key = std::uint64_t;
  static OperationId insertion(Key key) { return static_cast<OperationId>(key); }

  [[nodiscard]] Value value(OperationId op) const { return history_.args(op)[0]; }
  [[nodiscard]] Key key(OperationId op) const {
    constexpr std::uint32_t kSign = 0x8000'0000U;
    return Key{static_cast<std::uint32_t>(value(op).small_integer()) ^ kSign} << 32U | op;
  }

  // False: there is no order, or none that is found here.
  bool pass(Event event) {
    const OperationId op = event.operation();
    const OperationId partner = partners_.of(op);
    if (!partners_.is_removal(op)) return event.is_return() ? appear(op) : call_insertion(op);
    if (partner == Partners::kNobody) return event.is_return() ? is_gone(op) : call_empty(op);
    if (event.is_return()) return is_gone(partner);
    state_[partner] |= kRemoveCalled;
    if ((state_[partner] & kPresent) == 0) return wait(partner);
    if (insertion(present_.top()) == partner) let_go();
    return true;
  }

  bool call_insertion(OperationId op) {
    state_[op] |= kInsertCalled;
    return value(op).is_small() && wait(op);
  }
  // Insertion and removal are called, and it is not present.
  bool wait(OperationId op) {
    if ((state_[op] & kInsertCalled) == 0 || (state_[op] & kRemoveCalled) == 0) return true;
    waiting_.insert(key(op));
    let_go();
    return true;
  }
  bool appear(OperationId op) {
    if ((state_[op] & kGone) != 0) return true;
    state_[op] |= kPresent;
    if ((state_[op] & kRemoveCalled) != 0) waiting_.erase(key(op));
    order_.push_back(op);
    present_.push(key(op));
    return true;
  }
  [[nodiscard]] bool is_gone(OperationId op) const { return (state_[op] & kGone) != 0; }

  bool call_empty(OperationId op) {
    if (history_.is_pending(op)) return true;
    empties_.push_back(op);
    let_go();
    return true;
  }

  // All that can go at this moment.
  void let_go() {
    for (;;) {
      while (!waiting_.empty() && (present_.empty() || *waiting_.begin() < present_.top())) {
        order_.push_back(insertion(*waiting_.begin()));
        go(insertion(*waiting_.begin()));
        waiting_.erase(waiting_.begin());
      }
      if (present_.empty() || (state_[insertion(present_.top())] & kRemoveCalled) == 0) break;
      go(insertion(present_.top()));
      present_.pop();
    }
    if (!present_.empty()) return;
    for (const OperationId op : empties_) state_[op] = kGone;
    order_.insert(order_.end(), empties_.begin(), empties_.end());
    empties_.clear();
  }
  void go(OperationId op) {
    state_[op] |= kGone;
    order_.push_back(partners_.of(op));
  }

  const Part& part_;
  const History& history_;
  Partners partners_;
  std::vector<std::uint8_t> state_;  // by operation
  WideHeap<Key, std::less<>> present_{std::less<>()};
  absl::btree_set<Key> waiting_;      // they can go without having been present
  std::vector<OperationId> empties_;  // removals that are to find nothing
  std::vector<OperationId> order_;
};

}  // namespace

std::optional<std::vector<OperationId>> find_priority_order(const Part& part, std::uint32_t remove) {
  return PriorityOrder(part, remove).run();
}

}  // namespace plumb
