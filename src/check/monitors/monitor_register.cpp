// The register monitor: O(n log n) for reads and writes where no value is written twice (Gibbons and Korach, 1997).
//
// A value and the operations on it form a cluster: its write and its reads. Let f be the first return and s the last
// call in a cluster. If f < s, the register surely holds the value from f to s: a forward zone. Otherwise all its
// operations can take effect at one moment between s and f: a backward zone. A violation is a read of a value never
// written, a read that returns before its write is called, two forward zones that overlap, or a backward zone inside a
// forward one; without these, zones one after the other give the order. The initial value is a write before all else.
// A pending write that nobody read may as well not have happened. A map of which only get and put were used is, for
// each key, a register.
#include <algorithm>

#include <absl/container/flat_hash_map.h>

#include "check/monitors/monitor.hpp"
#include "check/monitors/timeline.hpp"

namespace plumb {
namespace {

// Moments are positions of events + 1; the initial write is called and returns at 0.
struct Cluster {
  static constexpr OperationId kInitial = ~OperationId{0};
  static constexpr OperationId kUnwritten = kInitial - 1;
  OperationId write = kUnwritten;
  std::uint32_t write_call = 0;
  std::uint32_t f = ~std::uint32_t{0};
  std::uint32_t s = 0;
  OperationId first_to_return = kInitial;
  OperationId last_to_call = kInitial;
  std::uint32_t gap = 0;                  // of the first operation
  std::vector<std::uint32_t> reads = {};  // positions of their calls

  [[nodiscard]] bool is_forward() const { return f < s; }
  void see_call(OperationId op, std::uint32_t moment) {
    if (moment < s) return;
    s = moment;
    last_to_call = op;
  }
  void see_return(OperationId op, std::uint32_t moment) {
    if (moment >= f) return;
    f = moment;
    first_to_return = op;
  }
};

class RegisterMonitor {
 public:
  // `value_argument`: which argument of a write is the value.
  RegisterMonitor(const Part& part, std::size_t value_argument)
      : part_(part), history_(part.history->history()), value_argument_(value_argument) {}

  MonitorVerdict run() {
    if (auto why = collect(); !why.empty()) return MonitorVerdict::not_applicable(std::move(why));
    if (auto core = find_unwritten(); !core.empty()) return MonitorVerdict::violation(std::move(core));
    drop_unseen();
    if (auto core = find_conflict(); !core.empty()) return MonitorVerdict::violation(std::move(core));
    return MonitorVerdict::linearizable(place());
  }

 private:
  std::string collect() {
    Cluster& initial = cluster(part_.history->initial());
    initial.write = Cluster::kInitial;
    initial.f = 0;
    for (std::uint32_t at = 0; at < part_.events.size(); ++at) {
      const Event event = part_.events[at];
      const OperationId op = event.operation();
      const Role role = part_.history->role(op);
      if (role != Role::kRead && role != Role::kWrite) return "it has operations other than reads and writes";
      if (role == Role::kRead && history_.is_pending(op)) continue;
      Cluster& c = cluster(role == Role::kRead ? history_.result(op) : history_.args(op)[value_argument_]);
      if (event.is_return()) {
        c.see_return(op, at + 1);
        continue;
      }
      c.see_call(op, at + 1);
      if (role == Role::kRead) {
        c.reads.push_back(at);
      } else if (c.write != Cluster::kUnwritten) {
        return "a value is written twice";
      } else {
        c.write = op;
        c.write_call = at + 1;
      }
    }
    return {};
  }

  Cluster& cluster(Value value) {
    const auto [it, is_new] = numbers_.try_emplace(value, static_cast<std::uint32_t>(clusters_.size()));
    if (is_new) clusters_.emplace_back();
    return clusters_[it->second];
  }

  [[nodiscard]] std::vector<OperationId> find_unwritten() const {
    for (const Cluster& c : clusters_) {
      if (c.write == Cluster::kUnwritten) return {part_.events[c.reads[0]].operation()};
      if (c.f < c.write_call) return {c.write, c.first_to_return};
    }
    return {};
  }

  void drop_unseen() {
    std::erase_if(clusters_, [&](const Cluster& c) {
      return c.reads.empty() && (c.write == Cluster::kInitial || history_.is_pending(c.write));
    });
  }

  // Sorts the forward zones by time, and the others to moments outside of them.
  std::vector<OperationId> find_conflict() {
    std::vector<Cluster*> forward;
    for (Cluster& c : clusters_) {
      if (c.is_forward()) forward.push_back(&c);
    }
    std::ranges::sort(forward, {}, &Cluster::f);
    for (std::size_t i = 1; i < forward.size(); ++i) {
      if (forward[i]->f < forward[i - 1]->s) return core_of(*forward[i - 1], *forward[i]);
    }
    for (Cluster& c : clusters_) {
      c.gap = c.is_forward() ? (c.f == 0 ? 0 : c.f - 1) : c.s;
      if (c.is_forward()) continue;
      // The zone that begins last before the operations of this one are all open.
      const auto after = std::ranges::upper_bound(forward, c.s, {}, &Cluster::f);
      if (after == forward.begin()) continue;
      const Cluster& zone = **std::prev(after);
      if (zone.s < c.s) continue;
      if (c.f < zone.s) return core_of(zone, c);
      c.gap = zone.s;
    }
    return {};
  }

  static std::vector<OperationId> core_of(const Cluster& a, const Cluster& b) {
    std::vector<OperationId> core;
    for (const OperationId op :
         {a.write, a.first_to_return, a.last_to_call, b.write, b.first_to_return, b.last_to_call}) {
      if (op < Cluster::kUnwritten) core.push_back(op);
    }
    return core;
  }

  // Cluster by cluster; in a forward zone, each operation as soon as the zone has begun and it is called.
  [[nodiscard]] std::vector<Point> place() {
    std::ranges::sort(clusters_, [](const Cluster& a, const Cluster& b) {
      return a.gap != b.gap ? a.gap < b.gap : (!a.is_forward() && b.is_forward());
    });
    std::vector<Point> points;
    for (const Cluster& c : clusters_) {
      if (c.write != Cluster::kInitial) points.push_back({c.write, c.gap});
      for (const std::uint32_t call : c.reads) {
        points.push_back({part_.events[call].operation(), std::max(c.gap, call + 1)});
      }
    }
    return points;
  }

  const Part& part_;
  const History& history_;
  std::size_t value_argument_;
  absl::flat_hash_map<Value, std::uint32_t> numbers_;
  std::vector<Cluster> clusters_;
};

}  // namespace

MonitorVerdict monitor_register(const Part& part) { return RegisterMonitor(part, 0).run(); }

MonitorVerdict monitor_map(const Part& part) {
  const History& history = part.history->history();
  if (!part.history->initial().is_null()) return MonitorVerdict::not_applicable("it does not begin empty");
  for (const Event event : part.events) {
    if (history.args(event.operation())[0] != history.args(part.events[0].operation())[0]) {
      return MonitorVerdict::not_applicable("several keys in one part");
    }
  }
  return RegisterMonitor(part, 1).run();
}

}  // namespace plumb
