// The monitors of one key of a set, and of one key of a multiset: linear time, any values, failing operations too.
//
// Set: what is known is whether the key is inside. The state changes only when an operation that returns needs it, and
// then by the operation of the needed kind, open at that moment, that returns first. A change satisfies every open
// query for the new state: a failed add is a query for present, a failed remove one for absent. (LiMo, section 6.2. Its
// text counts operations; that is not enough: one that is called after the change must not stand in for the one that
// made it.) A pending add or remove is one that returns last and need not be used.
//
// Multiset, where every remove succeeded and nothing was asked: adds take effect when they are called, removes when
// they return; it is linearizable exactly if at every moment no more removes have returned than adds were called.
#include <algorithm>
#include <array>
#include <queue>

#include "check/monitor.hpp"

namespace plumb {
namespace {

enum Operation : std::uint32_t { kAdd, kRemove, kContains };  // the numbers of both models

class SetMonitor {
 public:
  SetMonitor(const Part& part, bool present) : part_(part), present_(present) {}

  MonitorVerdict run() {
    find_returns();
    for (std::uint32_t at = 0; at < part_.events.size(); ++at) {
      const Event event = part_.events[at];
      if (!event.is_return()) {
        see_call(event.operation(), at);
      } else if (!see_return(event.operation(), at)) {
        return MonitorVerdict::violation(called_before(at));
      }
    }
    return MonitorVerdict::linearizable(std::move(points_));
  }

 private:
  static constexpr std::uint32_t kDone = ~std::uint32_t{0};

  // What an operation with this result needs and does.
  struct Role {
    bool changes;
    bool to_present;  // a change: the new state; a query: the state it needs
  };
  [[nodiscard]] Role role(OperationId op) const {
    const std::uint32_t operation = part_.history->operation(op);
    const auto result = part_.history->result(op);
    if (operation == kContains) return {false, result->is_true()};
    const bool add = operation == kAdd;
    return !result || result->is_true() ? Role{true, add} : Role{false, add};
  }

  // scratch: where the operation returns, until it has taken effect.
  void find_returns() {
    const auto end = static_cast<std::uint32_t>(part_.events.size());
    for (const Event event : part_.events) part_.scratch[event.operation()] = end;
    for (std::uint32_t at = 0; at < end; ++at) {
      if (part_.events[at].is_return()) part_.scratch[part_.events[at].operation()] = at;
    }
  }

  void see_call(OperationId op, std::uint32_t at) {
    const bool pending = part_.history->history().is_pending(op);
    if (pending && part_.history->operation(op) == kContains) return;
    const Role r = role(op);
    if (r.changes) {
      changes_[r.to_present ? 1 : 0].push({part_.scratch[op], op});
    } else if (r.to_present == present_) {
      take_effect(op, at + 1);
    } else {
      queries_.push_back(op);
    }
  }

  // By now the operation must have taken effect; if it has not, everything it needs happens here.
  bool see_return(OperationId op, std::uint32_t at) {
    if (part_.scratch[op] == kDone) return true;
    const Role r = role(op);
    if (!r.changes) return change_to(r.to_present, at);
    if (present_ == r.to_present && !change_to(!r.to_present, at)) return false;
    return change_to(r.to_present, at);  // the one that returns first is this one
  }

  bool change_to(bool present, std::uint32_t gap) {
    auto& open = changes_[present ? 1 : 0];
    while (!open.empty() && part_.scratch[open.top().second] == kDone) open.pop();
    if (open.empty()) return false;
    const OperationId op = open.top().second;
    open.pop();
    present_ = present;
    take_effect(op, gap);
    for (const OperationId query : queries_)
      take_effect(query, gap);  // all of them wait for the state that has come
    queries_.clear();
    return true;
  }

  void take_effect(OperationId op, std::uint32_t gap) {
    part_.scratch[op] = kDone;
    points_.push_back({op, gap});
  }

  [[nodiscard]] std::vector<OperationId> called_before(std::uint32_t end) const {
    std::vector<OperationId> core;
    for (const Event event : part_.events.first(end)) {
      if (!event.is_return()) core.push_back(event.operation());
    }
    return core;
  }

  using ByReturn = std::pair<std::uint32_t, OperationId>;
  const Part& part_;
  bool present_;
  std::array<std::priority_queue<ByReturn, std::vector<ByReturn>, std::greater<>>, 2>
      changes_;                       // by new state
  std::vector<OperationId> queries_;  // open ones for the state that is not
  std::vector<Point> points_;
};

bool has_one_key(const Part& part) {
  const History& history = part.history->history();
  return std::ranges::all_of(part.events, [&](Event e) {
    return history.args(e.operation())[0] == history.args(part.events[0].operation())[0];
  });
}

}  // namespace

MonitorVerdict monitor_set(const Part& part) {
  if (!has_one_key(part)) return MonitorVerdict::not_applicable("several keys in one part");
  if (!part.history->history().initial().is_null())
    return MonitorVerdict::not_applicable("it does not begin empty");
  return SetMonitor(part, false).run();
}

MonitorVerdict monitor_multiset(const Part& part) {
  const BoundHistory& bound = *part.history;
  if (!has_one_key(part)) return MonitorVerdict::not_applicable("several keys in one part");
  if (!bound.history().initial().is_null()) return MonitorVerdict::not_applicable("it does not begin empty");
  std::vector<Point> points;
  std::vector<OperationId> so_far;
  std::size_t inside = 0;
  for (std::uint32_t at = 0; at < part.events.size(); ++at) {
    const OperationId op = part.events[at].operation();
    const bool pending = bound.history().is_pending(op);
    if (bound.operation(op) == kAdd) {
      if (part.events[at].is_return()) continue;
      ++inside;
      points.push_back({op, at + 1});
      so_far.push_back(op);
    } else if (!pending && !(bound.operation(op) == kRemove && bound.result(op)->is_true())) {
      return MonitorVerdict::not_applicable("it has failed removes or queries");
    } else if (part.events[at].is_return()) {
      so_far.push_back(op);
      if (inside == 0) return MonitorVerdict::violation(std::move(so_far));
      --inside;
      points.push_back({op, at});
    }
  }
  return MonitorVerdict::linearizable(std::move(points));
}

}  // namespace plumb
