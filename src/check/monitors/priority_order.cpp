// An order for a priority queue, in one sweep through the events: it finds what the greedy choice of the monitor finds
// (monitor_priority_queue.cpp), from the first event to the last instead of from the smallest value to the largest. So it
// touches what is inside and not all there is, which for millions of operations is what counts.
//
// A value appears when its insertion returns. It goes at the first moment at which its removal is called and no smaller
// value is present: of those present only the smallest can be the next to go. A value whose removal is called before its
// insertion has returned can go without having been present, as soon as all that is present is larger.
#include "check/monitors/priority_order.hpp"

#include <algorithm>
#include <functional>
#include <utility>

#include <absl/container/btree_set.h>

#include "base/huge_pages.hpp"
#include "base/number_set.hpp"
#include "base/wide_heap.hpp"
#include "check/monitors/partners.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kSign = 0x8000'0000U;
// Of a small integer, in the same order.
std::uint32_t number(Value value) { return static_cast<std::uint32_t>(value.small_integer()) ^ kSign; }

// A value, above the operation that inserts it: compared as one number.
using Key = std::uint64_t;
Key key(Value value, OperationId insertion) { return Key{number(value)} << 32U | insertion; }
OperationId insertion(Key key) { return static_cast<OperationId>(key); }

// What is present, and for every value a slot to note things in. Values that lie close together have their slots in their
// own order: then those that go one after another are found side by side.
class CloseTogether {
 public:
  CloseTogether(std::uint32_t first, std::uint32_t last)
      : first_(first), removals_(large_vector<OperationId>(std::size_t{last} - first + 1)) {
    numbers_.cover(first, last);
  }

  [[nodiscard]] std::size_t slots() const { return removals_.size(); }
  [[nodiscard]] std::uint32_t slot(Value value, OperationId) const { return number(value) - first_; }

  [[nodiscard]] bool empty() const { return numbers_.empty(); }
  [[nodiscard]] bool begins_above(Key waiting) const { return Key{numbers_.least()} << 32U > waiting; }
  [[nodiscard]] std::uint32_t least() const { return numbers_.least() - first_; }
  void insert(Key key, OperationId removal) {
    numbers_.insert(static_cast<std::uint32_t>(key >> 32U));
    removals_[(key >> 32U) - first_] = removal;
  }
  // The removal that takes the least.
  OperationId take() {
    const OperationId removal = removals_[least()];
    numbers_.erase_least();
    return removal;
  }

 private:
  std::uint32_t first_;
  NumberSet numbers_;
  std::vector<OperationId> removals_;  // by slot
};

// Others have the slot of their insertion.
class FarApart {
 public:
  explicit FarApart(const Partners& partners, std::size_t operations)
      : partners_(partners), operations_(operations) {}

  [[nodiscard]] std::size_t slots() const { return operations_; }
  [[nodiscard]] std::uint32_t slot(Value, OperationId insertion) const { return insertion; }

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] bool begins_above(Key waiting) const { return heap_.top() > waiting; }
  [[nodiscard]] std::uint32_t least() const { return insertion(heap_.top()); }
  void insert(Key key, OperationId) { heap_.push(key); }
  OperationId take() {
    const OperationId removal = partners_.of(insertion(heap_.top()));
    heap_.pop();
    return removal;
  }

 private:
  const Partners& partners_;
  std::size_t operations_;
  WideHeap<Key, std::less<>> heap_{std::less<>()};
};

template <class Present>
class PriorityOrder {
 public:
  PriorityOrder(const Part& part, const Partners& partners, Present present)
      : part_(part), history_(part.history->history()), partners_(partners), present_(std::move(present)) {}

  std::optional<std::vector<OperationId>> run() {
    state_ = large_vector<std::uint8_t>(present_.slots());
    reserve_large(order_, part_.events.size() / 2 + partners_.pending().size());
    for (const Event event : part_.events) {
      if (!pass(event)) return std::nullopt;
    }
    return std::move(order_);
  }

 private:
  // Of a value.
  enum State : std::uint8_t { kInsertCalled = 1, kRemoveCalled = 2, kPresent = 4, kGone = 8 };

  // False: there is no order.
  bool pass(Event event) {
    const OperationId op = event.operation();
    const OperationId partner = partners_.of(op);
    if (partners_.is_removal(op)) {
      if (partner == Partners::kNobody) return event.is_return() ? has_found_nothing(op) : call_empty(op);
      const Value value = history_.result(op);
      std::uint8_t& state = state_[present_.slot(value, partner)];
      return event.is_return() ? (state & kGone) != 0 : call_removal(value, partner, state);
    }
    const Value value = history_.args(op)[0];
    std::uint8_t& state = state_[present_.slot(value, op)];
    return event.is_return() ? appear(value, op, state) : call_insertion(value, op, state);
  }

  bool call_insertion(Value value, OperationId op, std::uint8_t& state) {
    state |= kInsertCalled;
    if ((state & kRemoveCalled) != 0) wait(key(value, op));
    return true;
  }
  bool call_removal(Value value, OperationId insertion, std::uint8_t& state) {
    state |= kRemoveCalled;
    if ((state & kPresent) != 0) {
      if (present_.least() == present_.slot(value, insertion)) let_go();
    } else if ((state & kInsertCalled) != 0) {
      wait(key(value, insertion));
    }
    return true;
  }
  // Insertion and removal are called, and it is not present.
  void wait(Key key) {
    waiting_.insert(key);
    let_go();
  }
  bool appear(Value value, OperationId op, std::uint8_t& state) {
    if ((state & kGone) != 0) return true;
    state |= kPresent;
    if ((state & kRemoveCalled) != 0) waiting_.erase(key(value, op));
    order_.push_back(op);
    present_.insert(key(value, op), partners_.of(op));
    return true;
  }

  bool call_empty(OperationId op) {
    if (history_.is_pending(op)) return true;
    empties_.push_back(op);
    let_go();
    return true;
  }
  [[nodiscard]] bool has_found_nothing(OperationId op) const {
    return std::ranges::find(empties_, op) == empties_.end();
  }

  // All that can go at this moment.
  void let_go() {
    for (;;) {
      while (!waiting_.empty() && (present_.empty() || present_.begins_above(*waiting_.begin()))) {
        const OperationId op = insertion(*waiting_.begin());
        waiting_.erase(waiting_.begin());
        state_[present_.slot(history_.args(op)[0], op)] |= kGone;
        order_.push_back(op);
        order_.push_back(partners_.of(op));
      }
      if (present_.empty() || (state_[present_.least()] & kRemoveCalled) == 0) break;
      state_[present_.least()] |= kGone;
      order_.push_back(present_.take());
    }
    if (!present_.empty()) return;
    order_.insert(order_.end(), empties_.begin(), empties_.end());
    empties_.clear();
  }

  const Part& part_;
  const History& history_;
  const Partners& partners_;
  Present present_;
  std::vector<std::uint8_t> state_;   // by slot
  absl::btree_set<Key> waiting_;      // they can go without having been present
  std::vector<OperationId> empties_;  // removals that are to find nothing
  std::vector<OperationId> order_;
};

// How many values are inside at most.
std::size_t most_inside(const Part& part, const Partners& partners) {
  std::size_t inside = 0;
  std::size_t most = 0;
  for (const Event event : part.events) {
    if (!event.is_return()) continue;
    const OperationId op = event.operation();
    const bool removes = partners.is_removal(op);
    if (removes && partners.of(op) == Partners::kNobody) continue;
    inside = removes ? inside - std::min<std::size_t>(inside, 1) : inside + 1;
    most = std::max(most, inside);
  }
  return most;
}

}  // namespace

std::optional<std::vector<OperationId>> find_priority_order(const Part& part) {
  const Partners partners(part);
  if (!partners.are_clear()) return std::nullopt;
  std::uint32_t first = ~std::uint32_t{0};
  std::uint32_t last = 0;
  std::size_t values = 0;
  bool all_small = true;
  visit_inserted(part, [&](Value value) {
    all_small = all_small && value.is_small();
    first = std::min(first, number(value));
    last = std::max(last, number(value));
    ++values;
  });
  if (!all_small) return std::nullopt;
  constexpr std::size_t kSparse = 8;
  // A few among many are better found where they were inserted lately than by their order.
  constexpr std::size_t kFew = 16;
  if (values != 0 && last - first < kSparse * values && most_inside(part, partners) >= values / kFew)
    return PriorityOrder(part, partners, CloseTogether(first, last)).run();
  return PriorityOrder(part, partners, FarApart(partners, part.history->history().size())).run();
}

}  // namespace plumb
