// The queue monitor: linear time for histories in which no value is inserted twice.
//
// A violation is one of (papers: LiMo, section 4; ALGORITHMS.md)
//   - a value removed twice, never inserted, or out before it went in (Lifetimes finds these);
//   - two values a, b: a was in before b was inserted, yet b was out before the removal of a began;
//   - a removal that found the queue empty although at each of its moments some value was surely inside.
// Without one, an order of the values exists that respects both when they were inserted and when they were removed, and
// a moment for each operation follows from it: insertions as late as that order allows, removals as early.
//
// A pending removal may have taken a value that nobody else removed. Only a value that stays although a later one left
// has to be taken, before that one left; such values are given to the pending removals by deadline, the earliest call
// first, which fails only if every way of giving fails. Where empty removals are blocked by values that pending
// removals might take, nothing is proven, and the search decides.
#include <algorithm>

#include "check/empties.hpp"
#include "check/lifetimes.hpp"
#include "check/monitor.hpp"
#include "check/timeline.hpp"

namespace plumb {
namespace {

class QueueMonitor {
 public:
  explicit QueueMonitor(const Part& part)
      : part_(part), lives_(Lifetimes::of(part, 0, 1)), values_(lives_.values) {}

  MonitorVerdict run() {
    if (!lives_.unsuitable.empty()) return MonitorVerdict::not_applicable(lives_.unsuitable);
    if (!lives_.impossible.empty()) return MonitorVerdict::violation(lives_.impossible);
    if (auto core = give_to_pending_removals(); !core.empty())
      return MonitorVerdict::violation(std::move(core));
    if (auto core = find_overtaking(); !core.empty()) return MonitorVerdict::violation(std::move(core));
    if (const EmptyRemoval* blocked = place_empties(lives_.empties, values_, part_.events.size(), empties_)) {
      return blocked_empty(*blocked);
    }
    if (!order_values()) return MonitorVerdict::not_applicable("no order of the values was found");
    return MonitorVerdict::linearizable(place_operations());
  }

 private:
  // Values that stay although one inserted after them left must have been taken by a pending removal before that.
  std::vector<OperationId> give_to_pending_removals() {
    if (lives_.pending.empty()) return {};
    struct Needy {
      std::uint32_t deadline;
      std::uint32_t value;
      std::uint32_t later;  // the value that left
    };
    std::vector<Needy> needy;
    std::uint32_t first_out = kGone;  // of the values inserted after this moment
    std::uint32_t later = Lifetimes::kNobody;
    for (std::size_t at = part_.events.size(); at-- > 0;) {
      const std::uint32_t v = lives_.value_at[at];
      if (v == Lifetimes::kNobody) continue;
      if (values_[v].ic == at && values_[v].rr < first_out) {
        first_out = values_[v].rr;
        later = v;
      }
      if (values_[v].ir == at && values_[v].stays() && first_out != kGone)
        needy.push_back({first_out, v, later});
    }
    std::ranges::sort(needy, {}, &Needy::deadline);
    for (std::size_t i = 0; i < needy.size(); ++i) {
      if (i < lives_.pending.size() && lives_.pending[i].call < needy[i].deadline) continue;
      std::vector<OperationId> core;
      for (const Needy& n : std::span(needy).first(i + 1)) {
        append(core, values_[n.value]);
        append(core, values_[n.later]);
      }
      for (const PendingRemoval& p : lives_.pending) core.push_back(p.operation);
      return core;
    }
    for (std::size_t i = 0; i < needy.size(); ++i) {
      Lifetime& l = values_[needy[i].value];
      l.removal = lives_.pending[i].operation;
      l.rc = lives_.pending[i].call;
      l.rr = kTaken;
      lives_.value_at[l.rc] = needy[i].value;
    }
    return {};
  }

  // One sweep with the latest removal call among the values that are in.
  [[nodiscard]] std::vector<OperationId> find_overtaking() const {
    std::uint32_t latest = 0;
    std::uint32_t whose = Lifetimes::kNobody;
    for (std::uint32_t at = 0; at < part_.events.size(); ++at) {
      const std::uint32_t v = lives_.value_at[at];
      if (v == Lifetimes::kNobody) continue;
      const Lifetime& l = values_[v];
      if (l.ic == at && whose != Lifetimes::kNobody && l.rr < latest) {
        std::vector<OperationId> core;
        append(core, values_[whose]);
        append(core, l);
        return core;
      }
      if (l.in_by() == at && (whose == Lifetimes::kNobody || l.out_from() > latest)) {
        latest = l.out_from();
        whose = v;
      }
    }
    return {};
  }

  [[nodiscard]] MonitorVerdict blocked_empty(const EmptyRemoval& e) const {
    std::vector<OperationId> core = {e.operation};
    for (const std::uint32_t v : values_that_block(e, values_)) {
      append(core, values_[v]);
      if (values_[v].rr >= kTaken && !lives_.pending.empty()) {
        return MonitorVerdict::not_applicable("pending removals may have emptied the queue");
      }
    }
    return MonitorVerdict::violation(std::move(core));
  }

  // Values by their four moments, each list sorted, which costs one sweep.
  struct ByMoment {
    std::vector<std::uint32_t> ic;
    std::vector<std::uint32_t> in_by;
    std::vector<std::uint32_t> out_from;
    std::vector<std::uint32_t> rr;
  };
  [[nodiscard]] ByMoment sort_by_moment() const {
    ByMoment by;
    for (std::uint32_t at = 0; at < part_.events.size(); ++at) {
      const std::uint32_t v = lives_.value_at[at];
      if (v == Lifetimes::kNobody) continue;
      if (values_[v].ic == at) by.ic.push_back(v);
      if (values_[v].in_by() == at) by.in_by.push_back(v);
      if (values_[v].out_from() == at) by.out_from.push_back(v);
      if (values_[v].rr == at) by.rr.push_back(v);
    }
    for (const std::uint32_t late : {kTaken, kGone}) {
      for (std::uint32_t v = 0; v < values_.size(); ++v) {
        if (values_[v].rr == late) by.rr.push_back(v);
      }
    }
    for (std::uint32_t v = 0; v < values_.size(); ++v) {
      if (values_[v].stays()) by.out_from.push_back(v);
    }
    return by;
  }

  // By value: how many of the gaps of empty removals it comes after.
  [[nodiscard]] std::vector<std::uint32_t> stretches(const ByMoment& by) const {
    std::vector<std::uint32_t> stretch(values_.size());
    std::uint32_t passed = 0;
    for (const std::uint32_t v : by.in_by) {
      while (passed < empties_.size() && empties_[passed].gap <= values_[v].in_by()) ++passed;
      stretch[v] = passed;
    }
    return stretch;
  }

  // An order in which a comes before b if a was in before b was inserted, or a was out before b's removal began, or an
  // empty removal lies between them. Kahn's algorithm; what may come next is found by pointers that only move forward.
  bool order_values() {
    const ByMoment by = sort_by_moment();
    const std::vector<std::uint32_t> stretch = stretches(by);
    const std::size_t count = values_.size();
    std::vector<std::size_t> left(empties_.size() + 1);
    for (const std::uint32_t s : stretch) ++left[s];
    std::vector<std::vector<std::uint32_t>> ready(left.size());
    std::vector<std::uint8_t> reasons(count);  // to wait no longer: both must be there
    std::vector<bool> done(count);
    const auto admit = [&](std::uint32_t v) {
      if (++reasons[v] == 2) ready[stretch[v]].push_back(v);
    };
    std::size_t first_in = 0;
    std::size_t first_out = 0;
    std::size_t inserted = 0;
    std::size_t removed = 0;
    std::size_t now = 0;
    while (order_.size() < count) {
      while (left[now] == 0) ++now;
      while (done[by.in_by[first_in]]) ++first_in;
      while (done[by.rr[first_out]]) ++first_out;
      const std::uint32_t in_limit = values_[by.in_by[first_in]].in_by();
      const std::uint32_t out_limit = values_[by.rr[first_out]].rr;
      while (inserted < count && values_[by.ic[inserted]].ic < in_limit) admit(by.ic[inserted++]);
      while (removed < count && values_[by.out_from[removed]].out_from() < out_limit)
        admit(by.out_from[removed++]);
      if (ready[now].empty()) return false;
      const std::uint32_t v = ready[now].back();
      ready[now].pop_back();
      done[v] = true;
      --left[now];
      order_.push_back(v);
    }
    return true;
  }

  // Insertions as late as the order allows, removals as early, but not before their insertion.
  [[nodiscard]] std::vector<Point> place_operations() const {
    const auto count = static_cast<std::uint32_t>(order_.size());
    std::vector<Placed> insertions(count);
    std::uint32_t latest = kGone;
    for (std::uint32_t i = count; i-- > 0;) {
      latest = std::min(latest, values_[order_[i]].in_by());
      insertions[i] = {latest, 4 * i + 1, values_[order_[i]].insertion};
    }
    std::vector<Placed> removals;
    std::uint32_t earliest = 0;
    for (std::uint32_t i = 0; i < count && !values_[order_[i]].stays(); ++i) {
      earliest = std::max(earliest, values_[order_[i]].out_from() + 1);
      removals.push_back({std::max(earliest, insertions[i].gap), 4 * i + 2, values_[order_[i]].removal});
    }
    std::vector<Placed> empties;
    std::uint32_t before = 0;  // how many values come before this empty removal
    for (const Placed& e : empties_) {
      while (before < count && insertions[before].gap < e.gap) ++before;
      empties.push_back({e.gap, 4 * before, e.operation});
    }
    return merge_placed(std::vector{std::move(insertions), std::move(removals), std::move(empties)});
  }

  static void append(std::vector<OperationId>& core, const Lifetime& l) {
    core.push_back(l.insertion);
    if (l.removal != Lifetime::kNoOperation) core.push_back(l.removal);
  }

  const Part& part_;
  Lifetimes lives_;
  std::vector<Lifetime>& values_;
  std::vector<Placed> empties_;  // ranks are given at the end
  std::vector<std::uint32_t> order_;
};

}  // namespace

MonitorVerdict monitor_queue(const Part& part) { return QueueMonitor(part).run(); }

}  // namespace plumb
