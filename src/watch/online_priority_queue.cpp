// The priority queue, watched: never wrong, and at the latest told when the extracts that ran beside have returned.
//
// The offline greedy choice (monitor_priority_queue.cpp), from the smallest value up: a value is present from the return
// of its insertion to the first moment, from the call of its extract on, at which nothing smaller is present. An open
// extract may have taken any value, but only after its own call: so all presence before the call C of the oldest open
// extract is final. Whenever C moves on, the moments before it are settled: values that left before C and empty extracts
// that had their moment there are forgotten, what has had no moment is a violation, and everything else is carried over as
// it stands at C. What is kept are the values inside and what has happened since C.
//
// One kind of violation is told at once: more smaller values surely inside, from before its call, than open extracts could
// have taken. At the end of the input (`settle`) the rest is decided by check(), with what is open pending.
//
// An extract that is lost could take a value at any later time: then this monitor gives up.
//
// Positions are doubled: events are even, the moments between them odd.
#include <algorithm>
#include <set>

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include "watch/online.hpp"

namespace plumb {
namespace {

// Moments that are covered, as intervals [from, to), apart and ascending.
class Covered {
 public:
  void add(Moment from, Moment to) {
    if (from >= to) return;
    auto first = std::ranges::lower_bound(all_, from, {}, &Interval::to);
    auto last = first;
    for (; last != all_.end() && last->from <= to; ++last) {
      from = std::min(from, last->from);
      to = std::max(to, last->to);
    }
    all_.insert(all_.erase(first, last), {from, to});
  }
  // The first odd moment from `from` on that is not covered.
  [[nodiscard]] Moment next_free(Moment from) const {
    const auto it = std::ranges::upper_bound(all_, from, {}, &Interval::to);
    return it == all_.end() || from < it->from ? from : it->to | 1U;
  }

 private:
  struct Interval {
    Moment from;
    Moment to;
  };
  std::vector<Interval> all_;
};

class OnlinePriorityQueue final : public OnlineMonitor {
 public:
  explicit OnlinePriorityQueue(const OnlineSetting& setting)
      : setting_(setting), values_(setting.values), present_(Smaller{setting.values.get()}) {
    if (setting.initial.is_null()) return;
    for (const Value item : values_->as_array(setting.initial)) {
      differentiated_ = inside_.try_emplace(item, Life{item, 0, 0}).second && differentiated_;
      present_.insert(item);
    }
    begins_empty_ = inside_.empty();
  }

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    if (!differentiated_) return cannot_judge("a value appears twice at the start");
    if (op.role == Role::kPeek) return cannot_judge("a peek");
    if (op.role == Role::kRemove) return open_.push_back(op), OnlineAnswer::kFine;
    ++inserts_;
    Life life{op.args[0], 2 * now, kNotYet};
    life.insert = op.name;
    if (inside_.try_emplace(op.args[0], life).second) return OnlineAnswer::kFine;
    return cannot_judge(
        fmt::format("{} is inserted again while it may still be inside", values_->to_json(op.args[0])));
  }

  OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) override {
    if (op.role == Role::kInsert) return insert_returned(op, now);
    const Moment before = horizon(now);
    leave(op);
    auto answer = OnlineAnswer::kFine;
    if (result.is_null()) {
      empties_.push_back({2 * op.called, 2 * now, op});
    } else {
      answer = extracted(op, result, now);
    }
    if (answer == OnlineAnswer::kFine && horizon(now) > before) answer = settle_before(horizon(now));
    return answer;
  }

  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    if (op.role == Role::kRemove) return leave(op), settle_before(horizon(now));
    --inserts_;
    const auto it = inside_.find(op.args[0]);
    if (it != inside_.end() && it->second.ic == 2 * op.called) return inside_.erase(it), OnlineAnswer::kFine;
    return violation(fmt::format("{} was extracted, but its insert by process {} has failed",
                                 values_->to_json(op.args[0]), values_->to_json(op.process)),
                     {op.name});
  }

  OnlineAnswer lose(const OnlineOp& op, Moment now) override {
    (void)now;
    if (op.role == Role::kRemove) return cannot_judge("an extract is lost");
    return --inserts_, OnlineAnswer::kFine;
  }

  OnlineAnswer settle(Moment now) override {
    if (open_.empty()) return settle_before(2 * now + 2);
    return decide_rest();
  }

  [[nodiscard]] bool is_fresh() const override {
    return begins_empty_ && inserts_ == 0 && inside_.empty() && open_.empty() && out_.empty() &&
           empties_.empty();
  }

 private:
  struct Life {
    Value value;
    Moment ic = 0;
    Moment ir = kNotYet;
    Moment rc = kNotYet;
    Moment rr = kNotYet;
    WatchedOperation insert = {};
    WatchedOperation extract = {};
    Value process = kNull;
    [[nodiscard]] Moment in_by() const { return std::min(ir, rr); }
    [[nodiscard]] Moment out_from() const { return std::max(rc, ic); }
  };
  struct Empty {
    Moment called;
    Moment returned;
    OnlineOp op;
  };
  struct Smaller {
    const Values* values;
    bool operator()(Value a, Value b) const { return values->compare(a, b) < 0; }
  };

  // Up to here everything is final.
  [[nodiscard]] Moment horizon(Moment now) const {
    return open_.empty() ? 2 * now + 1 : 2 * open_.front().called;
  }
  void leave(const OnlineOp& op) { open_.erase(std::ranges::find(open_, op.called, &OnlineOp::called)); }

  OnlineAnswer insert_returned(const OnlineOp& op, Moment now) {
    --inserts_;
    const auto it = inside_.find(op.args[0]);
    if (it != inside_.end() && it->second.ic == 2 * op.called) {
      it->second.ir = 2 * now;
      it->second.insert.returned_line = op.name.returned_line;
      present_.insert(op.args[0]);
      return OnlineAnswer::kFine;
    }
    for (Life& life : out_) {  // extracted already
      if (life.ic == 2 * op.called) life.insert.returned_line = op.name.returned_line;
    }
    return OnlineAnswer::kFine;
  }

  OnlineAnswer extracted(const OnlineOp& op, Value value, Moment now) {
    const auto it = inside_.find(value);
    if (it == inside_.end()) {
      return violation(
          fmt::format("{} is impossible: {} is not inside; it was never inserted, or is already out",
                      text(op.process, value), values_->to_json(value)),
          {op.name});
    }
    Life life = it->second;
    life.rc = 2 * op.called;
    life.rr = 2 * now;
    life.extract = op.name;
    life.process = op.process;
    if (life.ir != kNotYet) present_.erase(value);
    inside_.erase(it);
    std::vector<WatchedOperation> names = {op.name, life.insert};
    Value smaller = kNull;
    std::size_t looked_at = 0;
    for (auto s = present_.begin(); s != present_.end() && looked_at < kMostLookedAt; ++s, ++looked_at) {
      if (values_->compare(*s, value) > 0) break;
      const Life& other = inside_.find(*s)->second;
      if (other.ir > life.rc) continue;
      if (smaller.is_null()) smaller = *s;
      names.push_back(other.insert);
      if (names.size() - 2 <= open_.size()) continue;
      return violation(fmt::format("{} is impossible: {} is smaller and was inside all the time{}",
                                   text(op.process, value), values_->to_json(smaller),
                                   open_.empty() ? "" : "; the open extracts cannot have taken all that are"),
                       std::move(names));
    }
    out_.push_back(life);
    return OnlineAnswer::kFine;
  }

  // Decides all moments before `end`.
  OnlineAnswer settle_before(Moment end) {
    if (out_.empty() && empties_.empty()) return settled_ = end, OnlineAnswer::kFine;
    std::ranges::sort(out_,
                      [&](const Life& a, const Life& b) { return values_->compare(a.value, b.value) < 0; });
    Covered covered;
    OnlineAnswer answer = OnlineAnswer::kFine;
    auto stays = present_.begin();
    Moment stays_since = kNotYet;
    std::erase_if(out_, [&](const Life& life) {
      for (; stays_since > settled_ && stays != present_.end() && values_->compare(*stays, life.value) < 0;
           ++stays) {
        const Moment ir = inside_.find(*stays)->second.ir;
        if (ir >= stays_since) continue;
        stays_since = ir;
        covered.add(ir + 1, end);
      }
      const Moment gone = covered.next_free(std::max(life.out_from(), settled_) | 1U);
      const Moment until = std::min(gone, end);
      if (life.rr < until) {
        if (answer == OnlineAnswer::kFine) answer = blocked(life);
        return true;
      }
      covered.add(life.in_by() + 1, until);
      return gone < end;
    });
    for (; stays_since > settled_ && stays != present_.end(); ++stays)
      stays_since = std::min(stays_since, inside_.find(*stays)->second.ir);
    if (stays_since != kNotYet) covered.add(stays_since + 1, end);
    std::erase_if(empties_, [&](const Empty& e) {
      const Moment free = covered.next_free(std::max(e.called, settled_) | 1U);
      if (e.returned < std::min(free, end)) {
        if (answer == OnlineAnswer::kFine) answer = never_empty(e.op);
        return true;
      }
      return free < end;
    });
    settled_ = end;
    return answer;
  }

  OnlineAnswer blocked(const Life& life) {
    return violation(
        fmt::format("{} is impossible: at each moment while it ran something smaller was surely inside",
                    text(life.process, life.value)),
        {life.extract, life.insert});
  }
  OnlineAnswer never_empty(const OnlineOp& op) {
    return violation(
        fmt::format("`extract_min → empty` by process {} is impossible: at each moment while it ran a value "
                    "was surely inside",
                    values_->to_json(op.process)),
        {op.name});
  }

  // What is not final yet as a history of its own, which begins with what is surely inside at the horizon.
  OnlineAnswer decide_rest() {
    if (out_.empty() && empties_.empty()) return OnlineAnswer::kFine;
    HistoryBuilder builder(values_);
    std::vector<Value> items;
    std::int64_t process = 0;
    std::vector<WatchedOperation> names;
    const auto add = [&](const char* f, std::span<const Value> args, Value result, Moment called,
                         Moment returned, const WatchedOperation& name) {
      const bool pending = returned == kNotYet;
      builder.add(Value::small(process++), builder.function(f), args, {result, !pending},
                  static_cast<Time>(std::max(called, settled_)),
                  pending ? kNever : static_cast<Time>(returned));
      names.push_back(name);
    };
    const auto add_insert = [&](const Life& life) {
      if (life.ir < settled_) {
        items.push_back(life.value);
      } else {
        add("insert", std::span(&life.value, 1), kNull, life.ic, life.ir, life.insert);
      }
    };
    for (const auto& [value, life] : inside_) add_insert(life);
    for (const Life& life : out_) {
      add_insert(life);
      add("extract_min", {}, life.value, life.rc, life.rr, life.extract);
    }
    for (const Empty& e : empties_) add("extract_min", {}, kNull, e.called, e.returned, e.op.name);
    for (const OnlineOp& op : open_) add("extract_min", {}, kNull, 2 * op.called, kNotYet, op.name);
    builder.set_initial(values_->array(items));
    const auto history = builder.finish();
    CheckOptions options;
    options.jobs = 1;
    options.stop = setting_.stop;
    const auto verdict = check(history.value(), *setting_.model, options);
    if (verdict->outcome == Outcome::kHolds) return OnlineAnswer::kFine;
    if (verdict->outcome == Outcome::kUnknown)
      return cannot_judge("the end could not be decided: " + verdict->why);
    std::vector<WatchedOperation> core;
    for (const OperationId i : verdict->violation->operations) core.push_back(names[i]);
    const OperationId stuck = verdict->violation->stuck;
    out_.clear();
    empties_.clear();
    return violation(
        fmt::format(
            "`extract_min → {}` is impossible: no order of the operations that ran beside it explains it",
            values_->to_json(history.value().result(stuck))),
        std::move(core));
  }

  [[nodiscard]] std::string text(Value process, Value value) const {
    return fmt::format("`extract_min → {}` by process {}", values_->to_json(value),
                       values_->to_json(process));
  }

  static constexpr std::size_t kMostLookedAt = 64;

  OnlineSetting setting_;
  std::shared_ptr<Values> values_;
  bool begins_empty_ = true;
  bool differentiated_ = true;
  absl::flat_hash_map<Value, Life> inside_;  // inserted, or being so, and not extracted
  std::set<Value, Smaller> present_;         // of these, those whose insert has returned
  std::size_t inserts_ = 0;                  // running
  std::vector<OnlineOp> open_;               // extracts, by call
  std::vector<Life> out_;                    // extracted, but their moment is not settled
  std::vector<Empty> empties_;               // likewise
  Moment settled_ = 0;
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_priority_queue(const OnlineSetting& setting) {
  return std::make_unique<OnlinePriorityQueue>(setting);
}

}  // namespace plumb
