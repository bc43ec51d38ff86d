#include "proof/sweep.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

namespace plumb {
namespace {

using Mask = std::uint64_t;  // open operations, by slot
constexpr std::size_t kMostOpen = 64;
constexpr std::size_t kNone = ~std::size_t{0};

constexpr Mask bit(std::size_t slot) { return Mask{1} << slot; }

struct Configuration {
  Mask done = 0;
  StateId state = 0;
  friend bool operator==(const Configuration&, const Configuration&) = default;
  template <class H>
  friend H AbslHashValue(H h, const Configuration& c) {
    return H::combine(std::move(h), c.done, c.state);
  }
};

// Where the object appends (OperationSpec::extends), a state that the next read cannot have come from is a
// dead end. This says, for a moment, which read that is; only if nothing overwrites on the way, and never the
// last event: a search that looks_ahead the impossible return would not get there.
class NextReads {
 public:
  NextReads(const BoundHistory& history, std::span<const Event> events) {
    if (std::ranges::none_of(history.model().operations(), &OperationSpec::extends)) return;
    const std::size_t end = events.size();
    absl::flat_hash_map<OperationId, std::size_t> returned;
    for (std::size_t at = 0; at < end; ++at) {
      if (events[at].is_return()) returned[events[at].operation()] = at;
    }
    next_.assign(end + 1, kNone);
    for (std::size_t at = end; at-- > 0;) {
      const bool read = events[at].is_return() && history.leaves_state(events[at].operation());
      next_[at] = read && at + 1 < end ? at : next_[at + 1];
    }
    std::size_t latest = 0;  // by when all that overwrites and was called has returned
    for (const Event event : events) {
      const OperationId id = event.operation();
      if (!event.is_return() && !history.leaves_state(id) && !history.spec(id).extends) {
        const auto it = returned.find(id);
        latest = it == returned.end() ? end : std::max(latest, it->second + 1);
      }
      overwritten_until_.push_back(latest);
    }
  }
  // The next read to return at or after the event `at`; none where that tells nothing.
  [[nodiscard]] std::size_t after(std::size_t at) const { return at < next_.size() ? next_[at] : kNone; }
  [[nodiscard]] bool tells(std::size_t read, std::size_t at) const { return overwritten_until_[read] <= at; }

 private:
  std::vector<std::size_t> next_;
  std::vector<std::size_t> overwritten_until_;
};

class Sweeper {
 public:
  Sweeper(const BoundHistory& history, std::span<const Event> events, States& states,
          const SweepLimits& limits, const Probe* probe)
      : history_(history),
        events_(events),
        states_(states),
        limits_(limits),
        probe_(probe),
        reads_(history, events) {
    if (limits.budget != nullptr) gauge_.emplace(*limits.budget, 0U);
    for (const Event event : events) {
      if (event.is_return()) returns_.insert(event.operation());
    }
  }

  Swept run() {
    frontier_ = {{0, states_.initial()}};
    ask_probe(states_.initial());
    for (at_ = 0; at_ < events_.size(); ++at_) {
      const OperationId id = events_[at_].operation();
      const bool passed = events_[at_].is_return() ? on_return(id) : on_call(id);
      if (!passed) return std::move(result_);
    }
    result_.kind = Swept::Kind::kPassed;
    return std::move(result_);
  }

 private:
  struct Open {
    OperationId id = 0;
    Call call;
    std::optional<Value> result;
    bool leaves_state = false;
    Mask twins = 0;  // optional ones that are the same in every respect, to be used first
  };

  bool on_call(OperationId id) {
    const bool required = returns_.contains(id);
    const bool leaves_state = history_.leaves_state(id);
    if (!required && leaves_state) return true;  // never of use
    if (used_ == ~Mask{0}) return give_up();
    const auto slot = static_cast<std::size_t>(std::countr_one(used_));
    used_ |= bit(slot);
    slot_of_[id] = slot;
    Open& open = open_[slot];
    open = {id, history_.call(id), history_.result(id), leaves_state, 0};
    if (leaves_state) unchanging_ |= bit(slot);
    if (!required) {
      open.twins = twins_of(slot);
      optional_ |= bit(slot);
    }
    if (leaves_state) {
      for (Configuration& c : frontier_) settle(c);
    }
    return true;
  }

  // Which of two equal operations that need not happen takes effect makes no difference: the earlier one goes
  // first.
  [[nodiscard]] Mask twins_of(std::size_t slot) const {
    Mask twins = 0;
    for (Mask rest = optional_; rest != 0; rest &= rest - 1) {
      const auto other = static_cast<std::size_t>(std::countr_zero(rest));
      const Open& a = open_[slot];
      const Open& b = open_[other];
      const bool same = a.call.operation == b.call.operation && a.result == b.result &&
                        std::ranges::equal(a.call.args, b.call.args) &&
                        (!history_.model().depends_on_process() || a.call.process == b.call.process);
      if (same) twins |= bit(other);
    }
    return twins;
  }

  bool on_return(OperationId id) {
    const std::size_t slot = slot_of_[id];
    if (!extend_until(slot)) return give_up();
    if (arrived_.empty()) {
      result_.kind = Swept::Kind::kStuck;
      result_.position = at_;
      for (const Configuration& c : met_) result_.states.push_back(c.state);
      std::ranges::sort(result_.states);
      result_.states.erase(std::unique(result_.states.begin(), result_.states.end()), result_.states.end());
      return false;
    }
    used_ &= ~bit(slot);
    unchanging_ &= ~bit(slot);
    frontier_.assign(arrived_.begin(), arrived_.end());
    for (Configuration& c : frontier_) c.done &= ~bit(slot);
    drop_dominated();
    return true;
  }

  // Every order of open operations up to the one in `slot`.
  bool extend_until(std::size_t slot) {
    met_.clear();
    arrived_.clear();
    std::vector<Configuration> waiting;
    const auto meet = [&](Configuration c) {
      settle(c);
      if (is_dead_end(c)) return;
      ask_probe(c.state);
      if ((c.done & bit(slot)) != 0) {
        arrived_.insert(c);
      } else if (met_.insert(c).second) {
        waiting.push_back(c);
      }
    };
    for (const Configuration c : frontier_) meet(c);
    std::vector<StateId> next;
    while (!waiting.empty()) {
      const Configuration c = waiting.back();
      waiting.pop_back();
      for (Mask rest = used_ & ~c.done & ~unchanging_; rest != 0; rest &= rest - 1) {
        const auto i = static_cast<std::size_t>(std::countr_zero(rest));
        if ((open_[i].twins & ~c.done) != 0) continue;
        next.clear();
        states_.step(c.state, open_[i].call, open_[i].result, next);
        for (const StateId state : next) meet({c.done | bit(i), state});
      }
      if (is_spent()) return false;
    }
    if (is_spent()) return false;
    result_.configurations += met_.size() + arrived_.size();
    return true;
  }

  bool is_spent() {
    const std::size_t alive = met_.size() + arrived_.size();
    return result_.configurations + alive > limits_.configurations || (gauge_ && gauge_->spent()) ||
           states_.memory() + 2 * alive * sizeof(Configuration) > limits_.memory;
  }

  void ask_probe(StateId state) {
    if (probe_ == nullptr || at_ >= probe_->until || result_.probed == at_) return;
    scratch_.clear();
    states_.step(state, probe_->call, probe_->result, scratch_);
    if (!scratch_.empty()) result_.probed = at_;
  }

  // What does not change the state takes effect as soon as it can: that is never too early.
  void settle(Configuration& c) {
    for (Mask rest = unchanging_ & ~c.done; rest != 0; rest &= rest - 1) {
      const auto i = static_cast<std::size_t>(std::countr_zero(rest));
      scratch_.clear();
      states_.step(c.state, open_[i].call, open_[i].result, scratch_);
      if (!scratch_.empty()) c.done |= bit(i);
    }
  }

  [[nodiscard]] bool is_dead_end(const Configuration& c) const {
    std::size_t read = reads_.after(at_);
    while (read != kNone && has_taken_effect(events_[read].operation(), c)) read = reads_.after(read + 1);
    if (read == kNone || !reads_.tells(read, at_)) return false;
    const OperationId id = events_[read].operation();
    return !states_.may_lead_to(c.state, history_.call(id), *history_.result(id));
  }
  [[nodiscard]] bool has_taken_effect(OperationId id, const Configuration& c) const {
    const auto it = slot_of_.find(id);
    return it != slot_of_.end() && (c.done & bit(it->second)) != 0;
  }

  // A configuration that needed more of the optional operations than another, for the same, is of no use.
  void drop_dominated() {
    if (optional_ == 0 || frontier_.size() < 2) return;
    std::ranges::sort(frontier_, [&](const Configuration& a, const Configuration& b) {
      const auto key = [&](const Configuration& c) {
        return std::tuple(c.state, c.done & ~optional_, std::popcount(c.done), c.done);
      };
      return key(a) < key(b);
    });
    std::vector<Configuration> kept;
    std::size_t group = 0;  // where the present state and required ones begin in `kept`
    for (const Configuration& c : frontier_) {
      const auto same_group = [&](const Configuration& k) {
        return k.state == c.state && ((k.done ^ c.done) & ~optional_) == 0;
      };
      if (group < kept.size() && !same_group(kept[group])) group = kept.size();
      const bool dominated = std::any_of(kept.begin() + static_cast<std::ptrdiff_t>(group), kept.end(),
                                         [&](const Configuration& k) { return (k.done & ~c.done) == 0; });
      if (!dominated) kept.push_back(c);
    }
    frontier_ = std::move(kept);
  }

  bool give_up() {
    result_.kind = Swept::Kind::kGaveUp;
    return false;
  }

  const BoundHistory& history_;
  std::span<const Event> events_;
  States& states_;
  SweepLimits limits_;
  std::optional<BudgetGauge> gauge_;
  const Probe* probe_;
  NextReads reads_;
  absl::flat_hash_set<OperationId> returns_;
  absl::flat_hash_map<OperationId, std::size_t> slot_of_;
  Open open_[kMostOpen];
  Mask used_ = 0;
  Mask optional_ = 0;
  Mask unchanging_ = 0;
  std::size_t at_ = 0;
  std::vector<Configuration> frontier_;
  absl::flat_hash_set<Configuration> met_;      // while a return is awaited: it has not taken effect
  absl::flat_hash_set<Configuration> arrived_;  // it has
  std::vector<StateId> scratch_;
  Swept result_;
};

}  // namespace

Swept sweep(const BoundHistory& history, std::span<const Event> events, States& states,
            const SweepLimits& limits, const Probe* probe) {
  return Sweeper(history, events, states, limits, probe).run();
}

Swept sweep_to_dead_end(const BoundHistory& history, std::span<const Event> events, States& states,
                        const SweepLimits& limits) {
  const OperationId last = events.back().operation();
  const auto called = std::ranges::find(events, Event::call(last)) - events.begin();
  const Probe probe{history.call(last), history.result(last), static_cast<std::size_t>(called) + 1};
  return sweep(history, events, states, limits, &probe);
}

}  // namespace plumb
