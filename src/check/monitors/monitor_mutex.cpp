// The mutex monitor: linear time. A process acquires and releases in turn, so it says itself when it surely holds the
// lock: from the return of its acquisition to the call of its release. A violation is
//   - a release by a process that does not hold the lock, or an acquisition by one that does;
//   - two such holds that overlap in time;
//   - a try_acquire that fails although at none of its moments anyone can have held the lock.
// Without these, holds stand one after the other: acquired as late as possible, released as early; a failed try in
// between stretches the hold before it or the one after it.
// With pending operations the search decides, and where a process calls at the very time of its own return: the two then count as
// running at once, and its operations do not tell their order.
#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "check/monitors/monitor.hpp"

namespace plumb {
namespace {

constexpr std::uint32_t kOpen = ~std::uint32_t{0};

struct Hold {
  OperationId acquire;
  OperationId release = ~OperationId{0};
  std::uint32_t ac;  // acquisition: call and return
  std::uint32_t ar;
  std::uint32_t rc = kOpen;  // release: call and return
  std::uint32_t rr = kOpen;
};

struct FailedTry {
  OperationId operation;
  std::uint32_t call;
  std::uint32_t ret;
};

class MutexMonitor {
 public:
  explicit MutexMonitor(const Part& part) : part_(part), bound_(*part.history), history_(bound_.history()) {}

  MonitorVerdict run() {
    if (history_.pending() != 0) return MonitorVerdict::not_applicable("an operation is pending");
    if (!bound_.initial().is_null()) return MonitorVerdict::not_applicable("it does not begin free");
    if (one_calls_twice()) return MonitorVerdict::not_applicable("a process calls when it returns");
    if (auto core = collect(); !core.empty()) return MonitorVerdict::violation(std::move(core));
    std::ranges::sort(holds_, {}, &Hold::ar);
    for (std::size_t i = 1; i < holds_.size(); ++i) {
      if (holds_[i].ar < holds_[i - 1].rc) return violation(std::span(holds_).subspan(i - 1, 2));
    }
    return place();
  }

 private:
  // Equal times: of events at one time, calls come first.
  [[nodiscard]] bool one_calls_twice() const {
    absl::flat_hash_map<Value, bool> running;
    for (const Event event : part_.events) {
      bool& runs = running[history_.process(event.operation())];
      if (runs && !event.is_return()) return true;
      runs = !event.is_return();
    }
    return false;
  }

  // Pairs acquisitions with releases, process by process.
  std::vector<OperationId> collect() {
    absl::flat_hash_map<Value, std::size_t> held;  // by process: its hold
    for (std::uint32_t at = 0; at < part_.events.size(); ++at) {
      const OperationId op = part_.events[at].operation();
      if (!part_.events[at].is_return()) {
        part_.scratch[op] = at;
        continue;
      }
      const std::uint32_t call = part_.scratch[op];
      const auto it = held.find(history_.process(op));
      if (bound_.role(op) == Role::kRelease) {
        if (it == held.end()) return of_process(op, at);
        holds_[it->second].release = op;
        holds_[it->second].rc = call;
        holds_[it->second].rr = at;
        held.erase(it);
      } else if (bound_.role(op) == Role::kTryAcquire && !bound_.result(op)->is_true()) {
        tries_.push_back({op, call, at});
      } else {
        if (it != held.end()) return of_process(op, at);
        held.emplace(history_.process(op), holds_.size());
        holds_.push_back({.acquire = op, .ac = call, .ar = at});
      }
    }
    return {};
  }

  // What one process did up to here already contradicts itself; not what it tried in vain, which is about others.
  [[nodiscard]] std::vector<OperationId> of_process(OperationId last, std::uint32_t at) const {
    std::vector<OperationId> core;
    for (const Event event : part_.events.first(at)) {
      const OperationId op = event.operation();
      const bool in_vain = bound_.role(op) == Role::kTryAcquire && !bound_.result(op)->is_true();
      if (!event.is_return() && !in_vain && history_.process(op) == history_.process(last))
        core.push_back(op);
    }
    return core;
  }

  [[nodiscard]] static MonitorVerdict violation(std::span<const Hold> holds) {
    std::vector<OperationId> core;
    for (const Hold& hold : holds) {
      core.push_back(hold.acquire);
      if (hold.rc != kOpen) core.push_back(hold.release);
    }
    return MonitorVerdict::violation(std::move(core));
  }

  // Each hold stretched as far as it can be, so that every failed try that can find the lock held does.
  [[nodiscard]] MonitorVerdict place() const {
    const auto end = static_cast<std::uint32_t>(part_.events.size());
    std::vector<std::uint32_t> acquired(holds_.size());
    std::vector<std::uint32_t> released(holds_.size());
    for (std::size_t i = 0; i < holds_.size(); ++i) {
      acquired[i] = std::max(holds_[i].ac + 1, i == 0 ? 0 : released[i - 1]);
      released[i] = std::min({holds_[i].rr, i + 1 == holds_.size() ? end : holds_[i + 1].ar, end});
    }
    std::vector<std::vector<Point>> tries(holds_.size());
    for (const FailedTry& t : tries_) {
      const auto hold =
          static_cast<std::size_t>(std::ranges::lower_bound(released, t.call + 1) - released.begin());
      const std::uint32_t gap = hold == holds_.size() ? kOpen : std::max(t.call + 1, acquired[hold]);
      if (gap > t.ret) return lock_was_free(t, hold);
      tries[hold].push_back({t.operation, gap});
    }
    std::vector<Point> points;
    for (std::size_t i = 0; i < holds_.size(); ++i) {
      points.push_back({holds_[i].acquire, acquired[i]});
      std::ranges::sort(tries[i], {}, &Point::position);
      points.insert(points.end(), tries[i].begin(), tries[i].end());
      if (holds_[i].rc != kOpen) points.push_back({holds_[i].release, released[i]});
    }
    return MonitorVerdict::linearizable(points);
  }

  // A failed try between two holds. Others that could have been during the try stay in the core, since one without them
  // would prove nothing; the two tell that they came before or after it.
  [[nodiscard]] MonitorVerdict lock_was_free(const FailedTry& t, std::size_t next) const {
    std::vector<Hold> holds;
    for (std::size_t i = 0; i < holds_.size(); ++i) {
      const bool meets = holds_[i].ac < t.ret && t.call < holds_[i].rr;
      if (meets || i == next || i + 1 == next) holds.push_back(holds_[i]);
    }
    MonitorVerdict verdict = violation(holds);
    verdict.core.insert(std::ranges::lower_bound(verdict.core, t.operation), t.operation);
    return verdict;
  }

  const Part& part_;
  const BoundHistory& bound_;
  const History& history_;
  std::vector<Hold> holds_;  // by return of acquisition
  std::vector<FailedTry> tries_;
};

}  // namespace

MonitorVerdict monitor_mutex(const Part& part) { return MutexMonitor(part).run(); }

}  // namespace plumb
