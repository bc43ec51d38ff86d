// The priority queue monitor: O(n log n) for histories in which no value is inserted twice.
//
// From the smallest value up, each is given the least presence it can have: it appears at the last moment, when its
// insertion returns, and goes at the first moment at which its removal may take effect and no smaller value is present.
// Less presence of the smaller values only helps the larger ones, so the greedy choice is exact; a value that has no
// such moment before its removal returns is a violation. A removal of empty needs a moment when nothing is present.
// "The next moment that nothing covers" is a union-find over the gaps between the events. (Mostly there is an order, and
// values are numbers: then it is found faster from the first event to the last, see priority_order.cpp.)
//
// A pending removal may have taken a value that nobody else removed. A linearization without that is one all the same;
// a violation in which no such value takes part stands; otherwise the search decides.
#include <algorithm>
#include <numeric>
#include <utility>

#include "base/huge_pages.hpp"
#include "check/monitors/lifetimes.hpp"
#include "check/monitors/monitor.hpp"
#include "check/monitors/priority_order.hpp"
#include "check/monitors/timeline.hpp"

namespace plumb {
namespace {

// Gaps, some of them covered for good: which is the next one that is not.
class FreeGaps {
 public:
  explicit FreeGaps(std::size_t gaps) : next_(large_vector<std::uint32_t>(gaps + 1)) {
    std::iota(next_.begin(), next_.end(), 0U);
  }

  void prefetch(std::uint32_t gap) const { __builtin_prefetch(next_.data() + gap, 1); }

  // The first free gap at or after this one; the number of gaps if there is none.
  std::uint32_t find(std::uint32_t gap) {
    std::uint32_t free = gap;
    while (next_[free] != free) free = next_[free];
    while (next_[gap] != free) gap = std::exchange(next_[gap], free);
    return free;
  }
  // Gaps first … last; those that were free are visited.
  template <class Visit>
  void cover(std::uint32_t first, std::uint32_t last, Visit&& visit) {
    for (std::uint32_t gap = find(first); gap <= last;) {
      visit(gap);
      const std::uint32_t next = find(gap + 1);
      next_[gap] = last + 1;  // further than the next gap: so the ways stay short
      gap = next;
    }
  }

 private:
  std::vector<std::uint32_t> next_;
};

class PriorityQueueMonitor {
 public:
  explicit PriorityQueueMonitor(const Part& part)
      : part_(part),
        lives_(Lifetimes::of(part)),
        gaps_(static_cast<std::uint32_t>(part.events.size() + 1)),
        free_(gaps_) {}

  MonitorVerdict run() {
    if (!lives_.unsuitable.empty()) return MonitorVerdict::not_applicable(lives_.unsuitable);
    if (!lives_.impossible.empty()) return MonitorVerdict::violation(lives_.impossible);
    sort_values();
    for (std::uint32_t v = 0; v < values_.size(); ++v) {
      prefetch(v + kAhead);
      if (!give_presence(v))
        return core_of({values_[v].insertion(), values_[v].removal()}, values_[v].out_from(),
                       values_[v].rr());
    }
    for (const EmptyRemoval& e : lives_.empties_by_return()) {
      const std::uint32_t gap = free_.find(e.call + 1);
      if (gap > e.ret) return core_of({e.operation}, e.call, e.ret);
      placed_.push_back({gap, kEmptyRank, e.operation});
    }
    free_ = FreeGaps(0);  // large, and not needed any more
    return MonitorVerdict::linearizable(sort_placed(part_, placed_));
  }

 private:
  // Within a gap: removals by value, each after its own insertion if that is there too; then removals of empty; then
  // the insertions of what stays for a while.
  static constexpr std::uint32_t kEmptyRank = 0xFFFF'FFF0U;
  static constexpr std::uint32_t kInsertionRank = 0xFFFF'FFF1U;

  // The values are in no order in time: their gaps are fetched before they are needed.
  static constexpr std::uint32_t kAhead = 16;
  void prefetch(std::uint32_t v) const {
    if (v >= values_.size()) return;
    free_.prefetch(std::min(values_[v].out_from(), gaps_ - 2) + 1);
    free_.prefetch(std::min(values_[v].in_by(), gaps_ - 2) + 1);
  }

  struct Presence {
    std::uint32_t appears;  // gap of the insertion
    std::uint32_t gone;     // gap of the removal
  };

  void sort_values() {
    const History& history = part_.history->history();
    values_ = std::move(lives_.values);
    const auto value = [&](const Lifetime& l) { return history.args(l.insertion())[0]; };
    if (std::ranges::all_of(values_, [&](const Lifetime& l) { return value(l).is_small(); })) {
      sort_by_small_value();
    } else {
      std::ranges::sort(values_, [&](const Lifetime& a, const Lifetime& b) {
        return history.values().compare(value(a), value(b)) < 0;
      });
    }
    reserve_large(placed_, 2 * values_.size() + lives_.empties.size());
    reserve_large(presence_, values_.size());
  }

  // The values stand beside their places while they are sorted: nothing is looked up, and what is moved is small.
  void sort_by_small_value() {
    constexpr std::uint32_t kSign = 0x8000'0000U;
    auto order = large_vector<std::uint64_t>(values_.size());
    for (std::uint32_t i = 0; i < values_.size(); ++i) {
      const Value value = part_.history->history().args(values_[i].insertion())[0];
      order[i] = std::uint64_t{static_cast<std::uint32_t>(value.small_integer()) ^ kSign} << 32U | i;
    }
    std::ranges::sort(order);
    std::vector<Lifetime> sorted;
    reserve_large(sorted, values_.size());
    for (const std::uint64_t o : order) sorted.push_back(values_[static_cast<std::uint32_t>(o)]);
    values_ = std::move(sorted);
  }

  bool give_presence(std::uint32_t v) {
    const Lifetime& l = values_[v];
    const std::uint32_t gone = l.stays() ? gaps_ : free_.find(l.out_from() + 1);
    if (!l.stays() && gone > l.rr()) return false;
    const std::uint32_t appears = std::min(l.in_by(), gone);
    presence_.push_back({appears, gone});
    if (appears + 1 < gone) free_.cover(appears + 1, gone - 1, [](std::uint32_t) {});
    placed_.push_back({appears, appears == gone ? 2 * v : kInsertionRank, l.insertion()});
    if (!l.stays()) placed_.push_back({gone, 2 * v + 1, l.removal()});
    return true;
  }

  // What covers every gap between two events: a chain of values, and for each of them that had to wait to be removed,
  // the chain that made it wait.
  [[nodiscard]] MonitorVerdict core_of(std::vector<OperationId> core, std::uint32_t from, std::uint32_t to) {
    const std::vector<std::uint32_t> covered_by = who_covers();
    std::vector<bool> taken(values_.size());
    std::vector<std::pair<std::uint32_t, std::uint32_t>> waits = {{from + 1, to}};
    while (!waits.empty()) {
      auto [gap, last] = waits.back();
      waits.pop_back();
      while (gap <= last) {
        const std::uint32_t v = covered_by[gap];
        gap = presence_[v].gone;
        if (taken[v]) continue;
        taken[v] = true;
        core.push_back(values_[v].insertion());
        if (values_[v].stays()) {
          if (lives_.pending.empty()) continue;
          return MonitorVerdict::not_applicable(
              "pending removals may have taken values that no other removed");
        }
        core.push_back(values_[v].removal());
        waits.emplace_back(values_[v].out_from() + 1, presence_[v].gone - 1);
      }
    }
    return MonitorVerdict::violation(std::move(core));
  }

  // By gap, the value that was the first to cover it: not noted on the way, since it is needed only here.
  [[nodiscard]] std::vector<std::uint32_t> who_covers() {
    std::vector<std::uint32_t> by(gaps_);
    free_ = FreeGaps(gaps_);
    for (std::uint32_t v = 0; v < presence_.size(); ++v) {
      if (presence_[v].appears + 1 < presence_[v].gone)
        free_.cover(presence_[v].appears + 1, presence_[v].gone - 1, [&](std::uint32_t gap) { by[gap] = v; });
    }
    return by;
  }

  const Part& part_;
  Lifetimes lives_;
  std::uint32_t gaps_;
  FreeGaps free_;
  std::vector<Lifetime> values_;  // smallest first
  std::vector<Presence> presence_;
  std::vector<Placed> placed_;
};

}  // namespace

MonitorVerdict monitor_priority_queue(const Part& part) {
  if (auto order = find_priority_order(part))
    return MonitorVerdict::linearizable(place_early(part, std::move(*order)));
  return PriorityQueueMonitor(part).run();
}

}  // namespace plumb
