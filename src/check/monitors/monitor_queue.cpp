// The queue monitor: linear time for histories in which no value is inserted twice.
//
// A violation is one of (LiMo, section 4)
//   - a value removed twice, never inserted, or out before it went in (Lifetimes tells which);
//   - two values a, b: a was in before b was inserted, yet b was out before the removal of a began;
//   - a removal that found the queue empty although at each of its moments some value was surely inside.
// Without one, one sweep through the events of the insertions puts the operations in order. A value goes in at the last
// moment, when its insertion returns (or its removal does); just before it go the values still on their way that have to
// come out before it, because their removals return before its own is called, the first to come out first. (Such a value u
// never had to wait for one that goes in later: w, if it is on its way too and comes out before u, comes out before v and
// goes in with u; if it is called only after v is in, and comes out before u, then it overtakes v.) A removal takes
// effect as soon as it is called and its value is first; as nothing else happens before the next value goes in, it is
// soon enough to look for that then. So the queue is empty whenever no value is surely inside: u is out before v is, and a
// value that waits to be first waits for one that is inside.
//
// A pending removal may have taken a value that nobody else removed. Only a value that stays although a later one left
// has to be taken, before that one left; such values are given to the pending removals by deadline, the earliest call
// first, which fails only if every way of giving fails. Where empty removals are blocked by values that pending
// removals might take, nothing is proven, and the search decides.
//
// A history of millions of operations is paid for by the bytes that are touched: so the sweep has no table of its own,
// only who took out what, and looks up times in the history. Only which of a call and a return comes first counts, and
// times say that as well as positions among the events do.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include <absl/container/btree_set.h>

#include "check/monitors/earliest_queue.hpp"
#include "check/monitors/empties.hpp"
#include "check/monitors/lifetimes.hpp"
#include "check/monitors/monitor.hpp"
#include "check/monitors/partners.hpp"
#include "check/monitors/timeline.hpp"

namespace plumb {
namespace {

// Later than every return that is recorded: a value that a pending removal takes leaves before those that stay.
constexpr Time kTakenAt = kNever - 1;

// The values that are called and not in yet, each by its insertion, with the return of its removal. Mostly these are
// few: then they stand in two arrays, in no order, that are gone through eight at a time, without a branch.
class OpenInsertions {
 public:
  struct Entry {
    Time rr;  // return of the removal
    OperationId insertion;
    friend bool operator<(const Entry& a, const Entry& b) {
      return a.rr != b.rr ? a.rr < b.rr : a.insertion < b.insertion;
    }
  };

  OpenInsertions() { clear_few(); }

  void insert(Entry entry) {
    if (size_ == kFew) {
      for (std::size_t i = 0; i < kFew; ++i) many_.insert(few(i));
      clear_few();
    }
    if (!many_.empty()) {
      many_.insert(entry);
      return;
    }
    if (size_ == width_) width_ += kStep;
    put(size_++, entry);
  }
  // False if it was not there any more. `rr` is asked for only where there are many.
  template <class Rr>
  bool erase(OperationId insertion, Rr&& rr) {
    if (!many_.empty()) return many_.erase({rr(), insertion}) != 0;
    std::uint64_t found = 0;
    each([&](std::size_t i) { found |= std::uint64_t{insertion_[i] == insertion} << i; });
    if (found == 0) return false;
    put(static_cast<std::size_t>(std::countr_zero(found)), few(--size_));
    put(size_, kNone);
    return true;
  }
  // Whether the removal of one of them returns before this moment.
  [[nodiscard]] bool has_before(Time moment) const {
    if (!many_.empty()) return many_.begin()->rr < moment;
    bool found = false;
    each([&](std::size_t i) { found |= rr_[i] < moment; });
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
  static constexpr std::size_t kFew = 64;
  static constexpr std::size_t kStep = 8;
  static constexpr Entry kNone = {kNever, Partners::kNobody};

  [[nodiscard]] Entry few(std::size_t i) const { return {rr_[i], insertion_[i]}; }
  void put(std::size_t i, Entry entry) {
    rr_[i] = entry.rr;
    insertion_[i] = entry.insertion;
  }
  void clear_few() {
    for (std::size_t i = 0; i < kFew; ++i) put(i, kNone);
    size_ = 0;
  }
  template <class Visit>
  void each(Visit&& visit) const {
    for (std::size_t i = 0; i < width_; i += kStep) {
      for (std::size_t k = 0; k < kStep; ++k) visit(i + k);
    }
  }

  std::array<Time, kFew> rr_;
  std::array<OperationId, kFew> insertion_;
  std::size_t size_ = 0;       // of the arrays; none as long as there are many
  std::size_t width_ = kStep;  // so many were in use at some time, or a few more
  absl::btree_set<Entry> many_;
};

// The removals of the values inside, the first first, each with its call. What has left goes now and then.
class RemovalQueue {
 public:
  struct Entry {
    Time rc;
    OperationId removal;
  };
  [[nodiscard]] bool empty() const { return first_ == entries_.size(); }
  [[nodiscard]] const Entry& front() const { return entries_[first_]; }
  void push(Entry entry) { entries_.push_back(entry); }
  void pop() {
    ++left_;
    if (++first_ < kRoom || 2 * first_ < entries_.size()) return;
    entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  [[nodiscard]] std::size_t left() const { return left_; }
  [[nodiscard]] std::size_t came() const { return left_ + entries_.size() - first_; }

 private:
  static constexpr std::size_t kRoom = 4096;
  std::vector<Entry> entries_;
  std::size_t first_ = 0;
  std::size_t left_ = 0;
};

class QueueMonitor {
 public:
  explicit QueueMonitor(const Part& part) : part_(part), history_(part.history->history()), partners_(part) {}

  MonitorVerdict run() {
    if (!partners_.are_clear()) return judge_by_value();
    if (auto core = give_to_pending_removals(); !core.empty())
      return MonitorVerdict::violation(std::move(core));
    reserve_large(order_, part_.events.size() / 2 + partners_.pending().size());
    for (std::size_t at = 0; at < part_.events.size(); at += kChunk) {
      look_up(part_.events.subspan(at, std::min(kChunk, part_.events.size() - at)));
      for (const Moment& m : std::span(moments_).first(found_)) {
        if (auto verdict = pass(m)) return std::move(*verdict);
      }
    }
    catch_up(kNever);
    let_out(kNever);
    if (inside_.left() < must_leave_)
      return MonitorVerdict::not_applicable("no order of the values was found");
    return MonitorVerdict::linearizable(place_early(part_, std::move(order_)));
  }

 private:
  // An event of an insertion, or of a removal that has no partner, with all that is to be looked up for it.
  struct Moment {
    Time now;
    Time out;  // of an insertion's removal: its return when the insertion is called, its call when it returns
    Event event;
    std::uint32_t partner;  // bits

    [[nodiscard]] OperationId operation() const { return event.operation(); }
    [[nodiscard]] bool has_partner() const { return partner >> 1U != Partners::kNobody; }
  };

  // Many at a time, because what kind an event is and what it needs is far away and as good as random. Those of removals
  // that have a partner are left out.
  void look_up(std::span<const Event> events) {
    std::size_t found = 0;
    for (const Event event : events) {
      const std::uint32_t partner = partners_.bits(event.operation());
      moments_[found].event = event;
      moments_[found].partner = partner;
      found += static_cast<std::size_t>((~partner & 1U) | (partner >> 1U == Partners::kNobody ? 1U : 0U));
    }
    found_ = found;
    const std::array<const Time*, 2> times = {history_.columns(0, history_.size()).call.data(),
                                              history_.columns(0, history_.size()).ret.data()};
    for (Moment& m : std::span(moments_).first(found_)) {
      const std::size_t is_return = m.event.is_return() ? 1 : 0;
      m.now = times[is_return][m.operation()];
      m.out = m.has_partner() ? times[1 - is_return][m.partner >> 1U] : kNever;
    }
  }

  // What has to happen before it and can happen right after it; a verdict, where there is one already.
  std::optional<MonitorVerdict> pass(const Moment& m) {
    if ((m.partner & 1U) != 0) return m.event.is_return() ? return_empty(m) : call_empty(m);
    if (m.event.is_return()) {
      bring_in(m);
      return std::nullopt;
    }
    return call_insertion(m);
  }

  // Something concerns one value alone, or no monitor can judge it.
  [[nodiscard]] MonitorVerdict judge_by_value() const {
    const Lifetimes lives = Lifetimes::of(part_);
    if (!lives.unsuitable.empty()) return MonitorVerdict::not_applicable(lives.unsuitable);
    return MonitorVerdict::violation(lives.impossible);
  }

  // Values that stay although one inserted after them left must have been taken by a pending removal before that.
  std::vector<OperationId> give_to_pending_removals() {
    const auto pending = partners_.pending();
    if (pending.empty()) return {};
    struct MissingRemoval {
      Time deadline;
      OperationId insertion;
      OperationId later;  // the insertion of the value that left
    };
    std::vector<MissingRemoval> missing;
    Time first_out = kNever;  // of the values inserted after this moment
    OperationId later = Partners::kNobody;
    for (std::size_t at = part_.events.size(); at-- > 0;) {
      const Event event = part_.events[at];
      const OperationId op = event.operation();
      if (partners_.is_removal(op)) continue;
      if (!event.is_return() && ret_of_removal(op) < first_out) {
        first_out = ret_of_removal(op);
        later = op;
      }
      if (event.is_return() && stays(op) && first_out != kNever) missing.push_back({first_out, op, later});
    }
    std::ranges::sort(
        missing, [](const MissingRemoval& a, const MissingRemoval& b) { return a.deadline < b.deadline; });
    for (std::size_t i = 0; i < missing.size(); ++i) {
      if (i < pending.size() && history_.call(pending[i]) <= missing[i].deadline) continue;
      std::vector<OperationId> core(pending.begin(), pending.end());
      for (const MissingRemoval& n : std::span(missing).first(i + 1)) {
        append(core, n.insertion);
        append(core, n.later);
      }
      return core;
    }
    for (std::size_t i = 0; i < missing.size(); ++i) {
      partners_.give(missing[i].insertion, pending[i]);
      given_.emplace_back(missing[i].insertion, pending[i]);
    }
    return {};
  }

  [[nodiscard]] bool stays(OperationId insertion) const {
    return partners_.of(insertion) == Partners::kNobody;
  }
  [[nodiscard]] Time ret_of_removal(OperationId insertion) const {
    return stays(insertion) ? kNever : std::min(history_.ret(partners_.of(insertion)), kTakenAt);
  }
  [[nodiscard]] Time call_of_removal(OperationId insertion) const {
    return stays(insertion) ? kNever : history_.call(partners_.of(insertion));
  }

  // It overtakes if it is out before the removal of a value is called that was in before it was called itself.
  std::optional<MonitorVerdict> call_insertion(const Moment& m) {
    const OperationId op = m.operation();
    const Time rr = m.has_partner() ? std::min(m.out, kTakenAt) : kNever;
    if (rr < m.now) return MonitorVerdict::violation({op, partners_.of(op)});
    if (rr < latest_out_) return overtaking(op);
    // A pending insertion of a value that nobody removed may as well not have happened.
    if (m.has_partner() || !history_.is_pending(op)) open_.insert({rr, op});
    return std::nullopt;
  }
  [[nodiscard]] MonitorVerdict overtaking(OperationId insertion) const {
    std::vector<OperationId> core;
    append(core, latest_);
    append(core, insertion);
    return MonitorVerdict::violation(std::move(core));
  }

  std::nullopt_t call_empty(const Moment& m) {
    if (history_.is_pending(m.operation())) return std::nullopt;
    catch_up(m.now);
    let_out(m.now);
    waiting_.push_back(m.operation());
    return std::nullopt;
  }
  std::optional<MonitorVerdict> return_empty(const Moment& m) {
    catch_up(m.now);
    let_out(m.now);
    if (std::ranges::find(waiting_, m.operation()) != waiting_.end()) return blocked_empty(m.operation());
    return std::nullopt;
  }

  // Those on their way whose removals have returned by now; this does not concern `latest_`.
  void catch_up(Time now) {
    while (open_.has_before(now)) put_in_first(now);
  }
  // Now at the latest, if it did not have to go in with another.
  void bring_in(const Moment& m) {
    const OperationId op = m.operation();
    const Time rc = m.out;
    latest_ = rc > latest_out_ ? op : latest_;
    latest_out_ = std::max(latest_out_, rc);
    if (rc < m.now) catch_up(m.now);  // otherwise that comes with what follows
    if (!open_.erase(op, [&] { return ret_of_removal(op); })) return;
    while (open_.has_before(rc)) put_in_first(m.now);
    put_in(op, rc, m.now);
  }
  void put_in_first(Time now) {
    const OpenInsertions::Entry first = open_.first();
    open_.erase(first.insertion, [&] { return first.rr; });
    put_in(first.insertion, call_of_removal(first.insertion), now);
  }
  void put_in(OperationId insertion, Time rc, Time now) {
    let_out(now);
    order_.push_back(insertion);
    inside_.push({rc, partners_.of(insertion)});
    if (rc != kNever) must_leave_ = inside_.came();
  }

  // The removals that are called by now, as long as their values are first; then those that find it empty.
  void let_out(Time now) {
    for (; !inside_.empty(); inside_.pop()) {
      if (inside_.front().rc > now || inside_.front().rc == kNever) return;
      order_.push_back(inside_.front().removal);
    }
    order_.insert(order_.end(), waiting_.begin(), waiting_.end());
    waiting_.clear();
  }

  [[nodiscard]] MonitorVerdict blocked_empty(OperationId op) {
    const auto given = std::move(given_);
    Lifetimes lives = Lifetimes::of(part_);  // the partners are gone
    for (const auto& [insertion, removal] : given) {
      const auto taker = std::ranges::find(lives.pending, removal, &PendingRemoval::operation);
      lives.values[lives.who[insertion] / 2].give_removal(removal, taker->call, kTaken);
    }
    if (!lives.impossible.empty()) return MonitorVerdict::violation(lives.impossible);
    const EmptyRemoval& e = *std::ranges::find(lives.empties, op, &EmptyRemoval::operation);
    const std::vector<std::uint32_t> chain = values_that_block(e, lives.values);
    if (chain.empty()) return MonitorVerdict::not_applicable("no order of the values was found");
    std::vector<OperationId> core = {op};
    for (const std::uint32_t v : chain) {
      const Lifetime& l = lives.values[v];
      core.push_back(l.insertion());
      if (l.removal() != Lifetime::kNoOperation) core.push_back(l.removal());
      if (l.rr() >= kTaken && !lives.pending.empty()) {
        return MonitorVerdict::not_applicable("pending removals may have emptied the queue");
      }
    }
    return MonitorVerdict::violation(std::move(core));
  }

  void append(std::vector<OperationId>& core, OperationId insertion) const {
    core.push_back(insertion);
    if (!stays(insertion)) core.push_back(partners_.of(insertion));
  }

  const Part& part_;
  const History& history_;
  Partners partners_;
  std::vector<std::pair<OperationId, OperationId>>
      given_;  // insertions, with the pending removals that took them
  OpenInsertions open_;
  RemovalQueue inside_;
  std::size_t must_leave_ = 0;        // so many of the values that came
  std::vector<OperationId> waiting_;  // removals that are to find it empty
  // Of the values that had to be in, the one whose removal may take effect last, and from when.
  OperationId latest_ = Partners::kNobody;
  Time latest_out_ = std::numeric_limits<Time>::min();
  std::vector<OperationId> order_;
  static constexpr std::size_t kChunk = 512;
  std::array<Moment, kChunk> moments_;
  std::size_t found_ = 0;  // of these
};

}  // namespace

MonitorVerdict monitor_queue(const Part& part) {
  MonitorVerdict verdict = QueueMonitor(part).run();
  if (verdict.kind != MonitorVerdict::Kind::kViolation) return verdict;
  return earliest_of_queue(part).value_or(std::move(verdict));
}

}  // namespace plumb
