// The monitors of a set, all keys at once, and of one key of a multiset: linear time, any values, failing operations
// too.
//
// Set: keys do not affect each other. Of each, what is known is whether it is inside. The state changes only when an operation that returns needs it, and
// then by the operation of the needed kind, open at that moment, that returns first. A change satisfies every open
// query for the new state: a failed add is a query for present, a failed remove one for absent. (LiMo, section 6.2. Its
// text counts operations; that is not enough: one that is called after the change must not stand in for the one that
// made it.) A pending add or remove is one that returns last and need not be used.
//
// The core of a violation may leave out, beyond what is called later, only what keeps a linearizable history so:
//   - queries: they change nothing. Which of them are needed is tried out, halving, each trial by the monitor itself.
//   - what lies before a moment at which no change is open. The state is certain there: if the key is absent, all that
//     came before can go; if it is present, all but one successful add, which every order has before that moment.
// Where changes are open all the time nothing more is proven, and the core is long: a change that is left out changes
// what every later operation should have seen.
//
// Multiset, where every remove succeeded and nothing was asked: adds take effect when they are called, removes when
// they return; it is linearizable exactly if at every moment no more removes have returned than adds were called.
#include <algorithm>
#include <array>
#include <queue>

#include "base/huge_pages.hpp"
#include "check/monitors/monitor.hpp"
#include "check/monitors/value_numbers.hpp"

namespace plumb {
namespace {

// What an operation with this result needs and does.
struct Deed {
  bool changes;
  bool to_present;  // a change: the new state; a query: the state it needs
};

// A pending query does nothing; it counts as one for absent.
Deed deed_of(const BoundHistory& history, OperationId op) {
  const Role role = history.role(op);
  const auto result = history.result(op);
  if (role == Role::kContains) return {false, result && result->is_true()};
  const bool add = role == Role::kInsert;
  return !result || result->is_true() ? Deed{true, add} : Deed{false, add};
}

// What is known of one key at some moment.
struct Key {
  static constexpr OperationId kNobody = ~OperationId{0};
  using ByReturn = std::pair<Time, OperationId>;
  using Changes = std::priority_queue<ByReturn, std::vector<ByReturn>, std::greater<>>;

  bool present = false;
  std::array<Changes, 2> changes;    // open ones, by new state; some have taken effect
  std::vector<OperationId> queries;  // open ones for the state that is not
  std::size_t open_changes = 0;
  std::uint32_t cut = 0;  // the last moment at which the state was certain
  OperationId last_add = kNobody;
  OperationId before_cut = kNobody;  // the add that stands for all before it
};

class SetMonitor {
 public:
  explicit SetMonitor(const Part& part) : part_(part), history_(part.history->history()) { expect_keys(); }

  MonitorVerdict run() {
    for (std::uint32_t at = 0; at < part_.events.size(); ++at) {
      const Event event = part_.events[at];
      const OperationId op = event.operation();
      Key& key = key_of(op);
      if (!event.is_return()) {
        see_call(key, op, at);
      } else if (see_return(key, op, at)) {
        cut_if_certain(key, op, at);
      } else {
        violated_at_ = at;
        MonitorVerdict verdict = MonitorVerdict::violation(core_before(key, history_.args(op)[0], at));
        verdict.parts = count_keys();
        verdict.late = op;
        verdict.late_is_first = true;  // nothing of what comes later was looked at
        return verdict;
      }
    }
    MonitorVerdict verdict = MonitorVerdict::linearizable(std::move(order_));
    verdict.parts = keys_.size();
    return verdict;
  }

  // The return that no order explains.
  [[nodiscard]] std::uint32_t violated_at() const { return violated_at_; }

 private:
  // What the scratch says of an operation, from its call on.
  enum Note : std::uint32_t { kInEffect = 1, kChanges = 2, kToPresent = 4 };

  void expect_keys() {
    if (part_.is_whole()) {
      for (const Value value : history_.columns(0, history_.size()).arguments) numbers_.expect(value);
    } else {
      for (const Event event : part_.events) numbers_.expect(history_.args(event.operation())[0]);
    }
    numbers_.begin();
  }
  Key& key_of(OperationId op) {
    const std::uint32_t number = numbers_.number(history_.args(op)[0]);
    if (number == keys_.size()) keys_.emplace_back();
    return keys_[number];
  }

  std::size_t count_keys() {
    for (const Event event : part_.events) numbers_.number(history_.args(event.operation())[0]);
    return numbers_.size();
  }

  void note_deed(OperationId op, Deed r) {
    part_.scratch[op] = (r.changes ? kChanges : 0U) | (r.to_present ? kToPresent : 0U);
  }
  [[nodiscard]] bool is_in_effect(OperationId op) const { return (part_.scratch[op] & kInEffect) != 0; }
  [[nodiscard]] bool changes(OperationId op) const { return (part_.scratch[op] & kChanges) != 0; }

  void see_call(Key& key, OperationId op, std::uint32_t at) {
    const Deed r = deed_of(*part_.history, op);
    note_deed(op, r);
    if (history_.is_pending(op) && part_.history->role(op) == Role::kContains) return;
    if (r.changes) {
      ++key.open_changes;
      key.changes[r.to_present ? 1 : 0].push({history_.ret(op), op});
    } else if (r.to_present == key.present) {
      take_effect(op, at + 1);
    } else {
      key.queries.push_back(op);
    }
  }

  // By now the operation must have taken effect; if it has not, everything it needs happens here.
  bool see_return(Key& key, OperationId op, std::uint32_t at) {
    if (is_in_effect(op)) return true;
    const bool present = (part_.scratch[op] & kToPresent) != 0;
    if (changes(op) && key.present == present && !change_to(key, !present, at)) return false;
    return change_to(key, present, at);  // a change: the one that returns first is this one
  }

  bool change_to(Key& key, bool present, std::uint32_t gap) {
    Key::Changes& open = key.changes[present ? 1 : 0];
    while (!open.empty() && is_in_effect(open.top().second)) open.pop();
    if (open.empty()) return false;
    const OperationId op = open.top().second;
    open.pop();
    key.present = present;
    if (present) key.last_add = op;
    take_effect(op, gap);
    for (const OperationId query : key.queries)
      take_effect(query, gap);  // all of them wait for the state that has come
    key.queries.clear();
    return true;
  }

  void take_effect(OperationId op, std::uint32_t gap) {
    part_.scratch[op] |= kInEffect;
    order_.add(op, gap);
  }

  // After the return of a change. No query waits either, so nothing of what is called later hangs on what came before.
  void cut_if_certain(Key& key, OperationId returned, std::uint32_t at) const {
    if (!changes(returned) || --key.open_changes != 0 || !key.queries.empty()) return;
    key.cut = at + 1;
    key.before_cut = key.present ? key.last_add : Key::kNobody;
  }

  [[nodiscard]] std::vector<OperationId> core_before(const Key& key, Value value, std::uint32_t end) const {
    std::vector<OperationId> core;
    if (key.before_cut != Key::kNobody) core.push_back(key.before_cut);
    for (const Event event : part_.events.subspan(key.cut, end - key.cut)) {
      if (!event.is_return() && history_.args(event.operation())[0] == value)
        core.push_back(event.operation());
    }
    return core;
  }

  const Part& part_;
  const History& history_;
  ValueNumbers numbers_;
  std::vector<Key> keys_;
  Linearization order_ = part_.new_linearization();
  std::uint32_t violated_at_ = 0;
};

// Leaves out queries of a core as long as it stays a violation; the work is a few times that of the monitor. Only events
// up to the violation count: what is open then need not return, since what it waits for may be called later.
class CoreOfSet {
 public:
  CoreOfSet(const Part& part, std::vector<OperationId> core, std::uint32_t violated_at)
      : part_(part), core_(std::move(core)) {
    take_over(part.events.first(violated_at + 1));
  }

  std::vector<OperationId> shrink() {
    std::size_t work = 4 * part_.events.size() + 10'000;
    for (std::size_t chunk = queries_.size(); chunk > 0; chunk /= 2) {
      for (std::size_t first = 0; first < queries_.size();) {
        if (work < events_.size()) return std::move(core_);
        work -= events_.size();
        const OperationId next = queries_[first];
        const auto without = std::span(queries_).subspan(first, std::min(chunk, queries_.size() - first));
        first = still_violated(without) ? position_of(next) : first + chunk;
      }
    }
    return std::move(core_);
  }

 private:
  bool still_violated(std::span<const OperationId> without) {
    std::vector<Event> fewer;
    std::ranges::remove_copy_if(events_, std::back_inserter(fewer),
                                [&](Event e) { return std::ranges::binary_search(without, e.operation()); });
    const Part some = {.history = part_.history, .events = fewer, .positions = {}, .scratch = part_.scratch};
    SetMonitor monitor(some);
    MonitorVerdict verdict = monitor.run();
    if (verdict.kind != MonitorVerdict::Kind::kViolation) return false;
    core_ = std::move(verdict.core);
    take_over(std::span<const Event>(fewer).first(monitor.violated_at() + 1));
    return true;
  }

  // The events and the queries of the core, which are among these events.
  void take_over(std::span<const Event> events) {
    std::vector<Event> kept;
    std::ranges::copy_if(events, std::back_inserter(kept),
                         [&](Event e) { return std::ranges::binary_search(core_, e.operation()); });
    events_ = std::move(kept);
    queries_.clear();
    std::ranges::copy_if(core_, std::back_inserter(queries_),
                         [&](OperationId op) { return !deed_of(*part_.history, op).changes; });
  }

  [[nodiscard]] std::size_t position_of(OperationId query) const {
    return static_cast<std::size_t>(std::ranges::lower_bound(queries_, query) - queries_.begin());
  }

  const Part& part_;
  std::vector<OperationId> core_;     // ascending
  std::vector<OperationId> queries_;  // of the core, ascending
  std::vector<Event> events_;         // of the core
};

bool has_one_key(const Part& part) {
  const History& history = part.history->history();
  return std::ranges::all_of(part.events, [&](Event e) {
    return history.args(e.operation())[0] == history.args(part.events[0].operation())[0];
  });
}

}  // namespace

MonitorVerdict monitor_set(const Part& part) {
  if (!part.history->initial().is_null()) return MonitorVerdict::not_applicable("it does not begin empty");
  SetMonitor monitor(part);
  MonitorVerdict verdict = monitor.run();
  if (verdict.kind == MonitorVerdict::Kind::kViolation)
    verdict.core = CoreOfSet(part, std::move(verdict.core), monitor.violated_at()).shrink();
  return verdict;
}

MonitorVerdict monitor_multiset(const Part& part) {
  const BoundHistory& bound = *part.history;
  if (!has_one_key(part)) return MonitorVerdict::not_applicable("several keys in one part");
  if (!bound.initial().is_null()) return MonitorVerdict::not_applicable("it does not begin empty");
  std::vector<Point> points;
  std::vector<OperationId> so_far;
  std::size_t inside = 0;
  for (std::uint32_t at = 0; at < part.events.size(); ++at) {
    const OperationId op = part.events[at].operation();
    const bool pending = bound.history().is_pending(op);
    if (bound.role(op) == Role::kInsert) {
      if (part.events[at].is_return()) continue;
      ++inside;
      points.push_back({op, at + 1});
      so_far.push_back(op);
    } else if (!pending && !(bound.role(op) == Role::kRemove && bound.result(op)->is_true())) {
      return MonitorVerdict::not_applicable("it has failed removes or queries");
    } else if (part.events[at].is_return()) {
      so_far.push_back(op);
      if (inside == 0) return MonitorVerdict::violation(std::move(so_far));
      --inside;
      points.push_back({op, at});
    }
  }
  return MonitorVerdict::linearizable(points);
}

}  // namespace plumb
