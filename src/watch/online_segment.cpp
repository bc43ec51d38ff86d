// All states in which the linearizations of a segment can end: the just-in-time search (just_in_time.hpp) where every result
// is known, also those that come later.
//
// A configuration is a state, which of the open operations have taken effect, and which of the lost ones. An operation
// whose result says that it left the state as it was is taken wherever it fits: nothing is lost by that.
//
// Lost operations may take effect at any time from their call on, or never. Of two ends in the same state, the one that
// used fewer of them can do whatever the other can.
#include "watch/online_segment.hpp"

#include <algorithm>
#include <array>
#include <bit>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "watch/just_in_time.hpp"

namespace plumb {
namespace {

constexpr std::size_t kMostEnds = 64;          // each is a start of its own for every check that follows
constexpr std::size_t kMostItems = 1'000'000;  // in all ends, where they are lists
constexpr std::size_t kMostNodes = 50'000;
constexpr std::size_t kMostMemory = std::size_t{16} << 20U;  // of the states
constexpr std::size_t kMostAtOnce = 64;                      // operations that are open, and lost ones
constexpr std::uint32_t kFirstLost = kMostAtOnce;            // as a slot: those that were lost follow
constexpr std::uint32_t kNone = ~std::uint32_t{0};

struct SegmentConfiguration {
  StateId state = 0;
  std::uint64_t done = 0;  // by slot
  std::uint64_t used = 0;  // of the lost ones

  friend bool operator==(const SegmentConfiguration&, const SegmentConfiguration&) = default;
  template <class H>
  friend H AbslHashValue(H h, const SegmentConfiguration& c) {
    return H::combine(std::move(h), c.state, c.done, c.used);
  }
};

// How a configuration was reached.
struct Node {
  SegmentConfiguration configuration;
  std::uint32_t before = kNone;
  const OnlineOp* op = nullptr;  // what was executed; none: a start, or an operation has returned
  Value result;
  std::uint32_t start = kNone;  // the number of the start, where there is nothing before
};

constexpr std::uint64_t bit(std::size_t i) { return std::uint64_t{1} << i; }

class Segment {
 public:
  using Configuration = SegmentConfiguration;
  using Place = std::uint32_t;  // a node

  Segment(const OnlineSetting& setting, std::span<const OnlineEvent> events, const PossibleStates& starts)
      : setting_(setting),
        events_(events),
        starts_(starts),
        ground_(setting, starts),
        states_(*ground_.states) {}

  Reached search() {
    for (const OnlineOp& op : starts_.lost) lost_.push_back(&op);
    for (const OnlineEvent& e : events_) {
      if (e.kind != OnlineEvent::kCall) ends_[e.op.called] = &e;
    }
    begin();
    for (const OnlineEvent& e : events_) {
      const bool stays = e.kind == OnlineEvent::kCall ? call(e.op) : e.kind != OnlineEvent::kReturn || ret(e);
      if (!stays || is_too_much_) return is_too_much_ ? Reached::kTooMuch : Reached::kNothing;
    }
    drop_dominated();
    return now_.size() > kMostEnds ? Reached::kTooMuch : Reached::kSome;
  }

  // The ends as starts. False: they are too large.
  bool take(PossibleStates& starts) {
    PossibleStates next;
    next.all.clear();
    for (const OnlineOp* op : lost_) next.lost.push_back(*op);
    const auto operation = appending_operation(setting_);
    if (operation && !take_lists(*operation, next)) return false;
    if (!operation) take_paths(next);
    next.is_initial = operation ? is_initial(*next.base) : !next.value || is_initial(*next.value);
    drop_used(next);
    next.is_initial =
        next.is_initial && next.all.size() == 1 && next.lost.empty() && next.all[0].path.empty();
    if (next.is_initial) next = PossibleStates();
    starts = std::move(next);
    return true;
  }

  // What the search asks: see just_in_time.hpp.
  [[nodiscard]] States& states() { return states_; }
  [[nodiscard]] Configuration configuration(Place node) const { return nodes_[node].configuration; }
  [[nodiscard]] static Standing standing(const Configuration& c, const JustInTimeReturn& returning) {
    return (c.done & bit(returning.slot)) == 0 ? Standing::kOpen : Standing::kPast;
  }
  template <class Take>
  void each_move(const Configuration& from, const JustInTimeReturn& /*returning*/, Take take) {
    for (std::uint64_t rest = open_ & ~from.done; rest != 0; rest &= rest - 1) {
      const auto slot = static_cast<std::uint32_t>(std::countr_zero(rest));
      if (slots_[slot].is_silent) continue;  // it did not fit, or it would be done
      take(JustInTimeMove{slot, slots_[slot].op, slots_[slot].result});
    }
    for (std::uint32_t i = 0; i < lost_.size(); ++i) {
      if ((from.used & bit(i)) != 0) continue;
      const Effect effect = setting_.model->operations()[lost_[i]->operation].effect;
      for (const Value result : states_.results(from.state, lost_[i]->call())) {
        if (!leaves_state(effect, result)) take(JustInTimeMove{kFirstLost + i, lost_[i], result});
      }
    }
  }
  [[nodiscard]] Place moved(Place node, const JustInTimeMove& move, StateId state) {
    Configuration after = nodes_[node].configuration;
    after.state = state;
    (move.slot < kFirstLost ? after.done : after.used) |= bit(move.slot % kFirstLost);
    return settle(add({after, node, move.op, move.result, kNone}));
  }
  [[nodiscard]] static Configuration without(Configuration c, const JustInTimeReturn& returning) {
    c.done &= ~bit(returning.slot);
    return c;
  }
  [[nodiscard]] Place past(Place node, const Configuration& c) {
    return add({c, node, nullptr, kNull, kNone});
  }
  [[nodiscard]] bool is_spent(std::size_t /*visited*/) const {
    return nodes_.size() > kMostNodes || states_.memory() > kMostMemory ||
           (setting_.stop != nullptr && setting_.stop->load(std::memory_order_relaxed));
  }

 private:
  struct Slot {
    const OnlineOp* op = nullptr;
    Value result;
    bool is_silent = false;
  };

  void begin() {
    absl::flat_hash_set<Configuration> met;
    for (std::uint32_t i = 0; i < starts_.all.size(); ++i) {
      for (const StateId state : run_path(states_, starts_.all[i].path)) {
        const Configuration c{state, 0, starts_.all[i].used};
        if (met.insert(c).second) now_.push_back(add({c, kNone, nullptr, kNull, i}));
      }
    }
  }

  bool call(const OnlineOp& op) {
    const OnlineEvent& end = *ends_.at(op.called);
    const Effect effect = setting_.model->operations()[op.operation].effect;
    if (end.kind == OnlineEvent::kFail) return true;
    if (end.kind == OnlineEvent::kLose) {
      if (effect != Effect::kNeverChanges) lost_.push_back(&op);
      return lost_.size() <= kMostAtOnce || too_much();
    }
    const auto slot = static_cast<std::size_t>(std::countr_one(open_));
    if (slot >= kMostAtOnce) return too_much();
    open_ |= bit(slot);
    slots_[slot] = {&op, end.result, leaves_state(effect, end.result)};
    if (!slots_[slot].is_silent) return true;
    for (std::uint32_t& node : now_) node = settle(node);
    return true;
  }

  bool ret(const OnlineEvent& e) {
    std::uint32_t slot = 0;
    while ((open_ & bit(slot)) == 0 || slots_[slot].op->called != e.op.called) ++slot;
    auto next = JustInTime<Segment>::past_return(*this, now_, {slot, e.result});
    if (!next) return too_much();
    now_ = std::move(*next);
    open_ &= ~bit(slot);
    return !now_.empty();
  }

  // Takes what leaves the state as it is, where it fits.
  std::uint32_t settle(std::uint32_t node) {
    const Configuration from = nodes_[node].configuration;
    for (std::uint64_t rest = open_ & ~from.done; rest != 0; rest &= rest - 1) {
      const Slot& slot = slots_[static_cast<std::size_t>(std::countr_zero(rest))];
      if (!slot.is_silent) continue;
      reached_.clear();
      states_.step(from.state, slot.op->call(), slot.result, reached_);
      if (reached_.empty()) continue;
      Configuration after = nodes_[node].configuration;
      after.done |= rest & -rest;
      node = add({after, node, slot.op, slot.result, kNone});
    }
    return node;
  }

  std::uint32_t add(const Node& node) {
    nodes_.push_back(node);
    return static_cast<std::uint32_t>(nodes_.size() - 1);
  }

  bool too_much() {
    is_too_much_ = true;
    return false;
  }

  void drop_dominated() {
    std::ranges::sort(now_, {}, [&](Place n) { return std::popcount(nodes_[n].configuration.used); });
    drop_covered(
        now_, [&](Place n) { return std::pair(nodes_[n].configuration.state, nodes_[n].configuration.used); },
        [](std::uint64_t less, std::uint64_t more) { return (less & ~more) == 0; });
  }

  bool take_lists(std::uint32_t operation, PossibleStates& next) {
    std::vector<std::vector<Value>> lists;
    std::size_t items = 0;
    for (const std::uint32_t node : now_) {
      lists.push_back(*states_.items(nodes_[node].configuration.state));
      items += lists.back().size();
    }
    if (items > kMostItems) return false;
    std::size_t common = lists[0].size();
    for (const auto& list : lists) {
      const auto differs = std::ranges::mismatch(list, lists[0]).in1;
      common = std::min(common, static_cast<std::size_t>(differs - list.begin()));
    }
    for (std::size_t i = 0; i < lists.size(); ++i) {
      StatePath& start = next.all.emplace_back();
      start.used = nodes_[now_[i]].configuration.used;
      for (std::size_t k = common; k < lists[i].size(); ++k)
        start.path.push_back(append(operation, lists[i][k]));
    }
    lists[0].resize(common);
    next.base = std::move(lists[0]);
    return true;
  }

  // What is the same in every end, and can be said without a path.
  bool take_value(PossibleStates& next) {
    if (now_.size() != 1 || !lost_.empty()) return false;
    const auto value = state_value(setting_, states_, nodes_[now_[0]].configuration.state);
    if (!value) return false;
    Values between;  // see import_results
    const Value passed = between.import(states_.values(), *value);
    next.value = setting_.values->import(between, passed);
    next.all = {StatePath{}};
    return true;
  }

  void take_paths(PossibleStates& next) {
    if (take_value(next)) return;
    next.base = starts_.base;
    next.value = starts_.value;
    for (const std::uint32_t node : now_) {
      StatePath& start = next.all.emplace_back();
      start.used = nodes_[node].configuration.used;
      std::uint32_t at = node;
      for (; nodes_[at].before != kNone; at = nodes_[at].before) {
        const Node& n = nodes_[at];
        if (n.op != nullptr) start.path.push_back({*n.op, n.result});
      }
      std::ranges::reverse(start.path);
      const auto& first = starts_.all[nodes_[at].start].path;
      start.path.insert(start.path.begin(), first.begin(), first.end());
      shorten_path(states_, nodes_[node].configuration.state, start.path);
    }
    if (!lost_.empty()) import_results(next);
  }

  // What a lost operation would return may be known to the states only. Their table stands on that of the setting, which must
  // not grow as long as the states are in use: the detour.
  void import_results(PossibleStates& next) const {
    Values between;
    for (StatePath& start : next.all) {
      for (Executed& step : start.path) step.result = between.import(states_.values(), step.result);
    }
    for (StatePath& start : next.all) {
      for (Executed& step : start.path) step.result = setting_.values->import(between, step.result);
    }
  }

  [[nodiscard]] std::unique_ptr<States> home() const {
    return std::move(setting_.model->states(*setting_.values, setting_.initial).value());
  }
  [[nodiscard]] bool is_initial(const std::vector<Value>& items) const {
    const auto states = home();
    return *states->items(states->initial()) == items;
  }
  [[nodiscard]] bool is_initial(Value value) const {
    const auto states = home();
    return state_value(setting_, *states, states->initial()) == value;
  }

  // What has taken effect in every case is nothing that may still happen.
  static void drop_used(PossibleStates& starts) {
    for (std::size_t i = starts.lost.size(); i-- > 0;) {
      if (!std::ranges::all_of(starts.all, [&](const StatePath& s) { return (s.used & bit(i)) != 0; }))
        continue;
      starts.lost.erase(starts.lost.begin() + static_cast<std::ptrdiff_t>(i));
      for (StatePath& s : starts.all) s.used = (s.used & (bit(i) - 1)) | ((s.used >> 1U) & ~(bit(i) - 1));
    }
  }

  const OnlineSetting& setting_;
  std::span<const OnlineEvent> events_;
  const PossibleStates& starts_;
  BaseState ground_;
  States& states_;
  absl::flat_hash_map<Moment, const OnlineEvent*> ends_;  // by the moment of the call
  std::vector<const OnlineOp*> lost_;
  std::array<Slot, kMostAtOnce> slots_;
  std::uint64_t open_ = 0;
  std::vector<Node> nodes_;
  std::vector<Place> now_;
  std::vector<StateId> reached_;
  bool is_too_much_ = false;
};

}  // namespace

Reached advance(const OnlineSetting& setting, std::span<const OnlineEvent> events, PossibleStates& starts) {
  Segment segment(setting, events, starts);
  const Reached reached = segment.search();
  if (reached != Reached::kSome) return reached;
  return segment.take(starts) ? Reached::kSome : Reached::kTooMuch;
}

}  // namespace plumb
