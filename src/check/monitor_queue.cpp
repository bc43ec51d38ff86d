// The queue monitor: linear time for histories in which no value is inserted twice.
//
// A violation is one of (papers: LiMo, section 4; ALGORITHMS.md)
//   - a value removed twice, never inserted, or out before it went in (Lifetimes finds these);
//   - two values a, b: a was in before b was inserted, yet b was out before the removal of a began;
//   - a removal that found the queue empty although at each of its moments some value was surely inside.
// Without one, one sweep through the events puts the operations in order. A value goes in at the last moment, when its
// insertion returns (or its removal does); just before it go the values still on their way that have to come out before
// it, because their removals return before its own is called, the first to come out first. (Such a value u never
// had to wait for one that goes in later: w, if it is on its way too and comes out before u, comes out before v and goes
// in with u; if it is called only after v is in, and comes out before u, then it overtakes v.) A removal takes
// effect as soon as it is called and its value is first. So the queue is empty whenever no value is surely inside: u is
// out before v is, and a value that waits to be first waits for one that is inside.
//
// A pending removal may have taken a value that nobody else removed. Only a value that stays although a later one left
// has to be taken, before that one left; such values are given to the pending removals by deadline, the earliest call
// first, which fails only if every way of giving fails. Where empty removals are blocked by values that pending
// removals might take, nothing is proven, and the search decides.
#include <algorithm>
#include <array>
#include <utility>

#include <absl/container/btree_set.h>

#include "base/huge_pages.hpp"
#include "check/empties.hpp"
#include "check/lifetimes.hpp"
#include "check/monitor.hpp"

namespace plumb {
namespace {

// The values that are called and not in yet, by the return of their removal. Mostly these are few: then they stand in
// two arrays of fixed size, in no order, that are gone through without a branch.
class OnTheirWay {
 public:
  struct Entry {
    std::uint32_t rr;  // return of the removal
    std::uint32_t value;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.rr != b.rr ? a.rr < b.rr : a.value < b.value;
    }
  };

  OnTheirWay() { clear_few(); }

  void insert(Entry entry) {
    if (size_ == kFew) {
      for (std::size_t i = 0; i < kFew; ++i) many_.insert(few(i));
      clear_few();
    }
    if (many_.empty()) {
      put(size_++, entry);
    } else {
      many_.insert(entry);
    }
  }
  // False if it was not there any more.
  bool erase(Entry entry) {
    if (!many_.empty()) return many_.erase(entry) != 0;
    std::size_t at = kFew;
    for (std::size_t i = 0; i < kFew; ++i) at = value_[i] == entry.value ? i : at;
    if (at == kFew) return false;
    put(at, few(--size_));
    put(size_, kNone);
    return true;
  }
  // Whether the removal of one of them returns before this moment.
  [[nodiscard]] bool has_before(std::uint32_t moment) const {
    if (!many_.empty()) return many_.begin()->rr < moment;
    bool found = false;
    for (const std::int32_t rr : rr_) found |= rr < as_signed(moment);
    return found;
  }
  // Whose removal returns first.
  [[nodiscard]] Entry first() const {
    if (!many_.empty()) return *many_.begin();
    Entry least = kNone;
    for (std::size_t i = 0; i < size_; ++i) least = std::min(least, few(i));
    return least;
  }

 private:
  static constexpr std::size_t kFew = 16;
  static constexpr Entry kNone = {kGone, Lifetimes::kNobody};

  // In the same order, and of the kind that processors compare many of at a time.
  static std::int32_t as_signed(std::uint32_t moment) {
    return static_cast<std::int32_t>(moment ^ 0x8000'0000U);
  }

  [[nodiscard]] Entry few(std::size_t i) const {
    return {static_cast<std::uint32_t>(rr_[i]) ^ 0x8000'0000U, value_[i]};
  }
  void put(std::size_t i, Entry entry) {
    rr_[i] = as_signed(entry.rr);
    value_[i] = entry.value;
  }
  void clear_few() {
    for (std::size_t i = 0; i < kFew; ++i) put(i, kNone);
    size_ = 0;
  }

  std::array<std::int32_t, kFew> rr_;
  std::array<std::uint32_t, kFew> value_;
  std::size_t size_ = 0;  // of the arrays; none as long as there are many
  absl::btree_set<Entry> many_;
};

class QueueMonitor {
 public:
  explicit QueueMonitor(const Part& part)
      : part_(part), lives_(Lifetimes::of(part, 0, 1)), values_(lives_.values) {}

  MonitorVerdict run() {
    if (!lives_.unsuitable.empty()) return MonitorVerdict::not_applicable(lives_.unsuitable);
    if (!lives_.impossible.empty()) return MonitorVerdict::violation(lives_.impossible);
    if (auto core = give_to_pending_removals(); !core.empty())
      return MonitorVerdict::violation(std::move(core));
    reserve_large(points_, part_.events.size() / 2 + 1);
    reserve_large(order_, values_.size());
    for (std::uint32_t at = 0; at < part_.events.size(); ++at) {
      const Event event = part_.events[at];
      const std::uint32_t who = lives_.who[event.operation()];
      if (who < Lifetimes::kEmpty) {
        if (!pass(who / 2, Lifetimes::moment(who, event), at))
          return MonitorVerdict::violation(overtaking(who / 2));
      } else if (who == Lifetimes::kNobody) {
        continue;
      } else if (!event.is_return()) {
        waiting_.push_back(event.operation());
        let_out(at + 1);
      } else if (std::ranges::find(waiting_, event.operation()) != waiting_.end()) {
        return blocked_empty(lives_.empties[who - Lifetimes::kEmpty]);
      }
    }
    if (first_ < must_leave_) return MonitorVerdict::not_applicable("no order of the values was found");
    return MonitorVerdict::linearizable(std::move(points_));
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
      const std::uint32_t who = lives_.who[part_.events[at].operation()];
      if (who >= Lifetimes::kEmpty) continue;
      const std::uint32_t v = who / 2;
      if (values_[v].ic() == at && values_[v].rr() < first_out) {
        first_out = values_[v].rr();
        later = v;
      }
      if (values_[v].ir() == at && values_[v].stays() && first_out != kGone)
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
      const PendingRemoval& taker = lives_.pending[i];
      values_[needy[i].value].give_removal(taker.operation, taker.call, kTaken);
      lives_.who[taker.operation] = 2 * needy[i].value + 1;
    }
    return {};
  }

  // An event of a value: what has to happen before it and can happen right after it. False if it overtakes: it is out
  // before the removal of a value is called that was in before it was called itself.
  bool pass(std::uint32_t v, Lifetime::Moment moment, std::uint32_t at) {
    const Lifetime& l = values_[v];
    switch (moment) {
      case Lifetime::kInsertCall:
        if (l.rr() < latest_out_) return false;
        on_their_way_.insert({l.rr(), v});
        break;
      case Lifetime::kInsertReturn:
        if (l.ir() < l.rr()) bring_in(v, at);
        break;
      case Lifetime::kRemoveCall:
        let_out(at + 1);
        break;
      case Lifetime::kRemoveReturn:
        if (l.rr() < l.ir()) bring_in(v, at);
        break;
    }
    return true;
  }
  [[nodiscard]] std::vector<OperationId> overtaking(std::uint32_t v) const {
    std::vector<OperationId> core;
    append(core, values_[latest_]);
    append(core, values_[v]);
    return core;
  }

  // Now at the latest, if it did not have to go in with another.
  void bring_in(std::uint32_t v, std::uint32_t gap) {
    const Lifetime& l = values_[v];
    if (l.out_from() > latest_out_) {
      latest_out_ = l.out_from();
      latest_ = v;
    }
    if (!on_their_way_.erase({l.rr(), v})) return;
    while (on_their_way_.has_before(l.rc())) {
      const OnTheirWay::Entry earlier = on_their_way_.first();
      on_their_way_.erase(earlier);
      append_to_queue(earlier.value, gap);
    }
    append_to_queue(v, gap);
    let_out(gap);
  }
  void append_to_queue(std::uint32_t v, std::uint32_t gap) {
    order_.push_back(v);
    points_.push_back({values_[v].insertion(), gap});
    if (!values_[v].stays()) must_leave_ = order_.size();
  }

  // The removals that are called, as long as their values are first; then those that find it empty.
  void let_out(std::uint32_t gap) {
    for (; first_ < order_.size() && values_[order_[first_]].rc() < gap; ++first_) {
      points_.push_back({values_[order_[first_]].removal(), gap});
    }
    if (first_ < order_.size()) return;
    for (const OperationId op : waiting_) points_.push_back({op, gap});
    waiting_.clear();
  }

  [[nodiscard]] MonitorVerdict blocked_empty(const EmptyRemoval& e) const {
    const std::vector<std::uint32_t> chain = values_that_block(e, values_);
    if (chain.empty()) return MonitorVerdict::not_applicable("no order of the values was found");
    std::vector<OperationId> core = {e.operation};
    for (const std::uint32_t v : chain) {
      append(core, values_[v]);
      if (values_[v].rr() >= kTaken && !lives_.pending.empty()) {
        return MonitorVerdict::not_applicable("pending removals may have emptied the queue");
      }
    }
    return MonitorVerdict::violation(std::move(core));
  }

  static void append(std::vector<OperationId>& core, const Lifetime& l) {
    core.push_back(l.insertion());
    if (l.removal() != Lifetime::kNoOperation) core.push_back(l.removal());
  }

  const Part& part_;
  Lifetimes lives_;
  std::vector<Lifetime>& values_;
  OnTheirWay on_their_way_;
  std::vector<std::uint32_t> order_;  // of the values that went in
  std::size_t first_ = 0;             // of these is the first inside
  std::size_t must_leave_ = 0;        // so many of these
  std::vector<OperationId> waiting_;  // removals that are to find it empty
  // Of the values that had to be in, the one whose removal may take effect last, and from when.
  std::uint32_t latest_ = Lifetimes::kNobody;
  std::uint32_t latest_out_ = 0;
  std::vector<Point> points_;
};

}  // namespace

MonitorVerdict monitor_queue(const Part& part) { return QueueMonitor(part).run(); }

}  // namespace plumb
