// Any model, watched: the set of all configurations that the run so far can have led to, by the just-in-time search
// (just_in_time.hpp) where a result is not known before the return.
//
// A configuration is a state and which of the open operations have taken effect, each with the result it will have to
// return. Executions that do not change the state (reads, failed attempts) are not chosen at all: an operation remembers the
// states it has seen while it was open, and what it returns must fit one of them.
//
// Operations that are lost need not take effect: of two configurations that differ only in these and in the states seen,
// the one that used fewer and saw more can do whatever the other can.
//
// Its size is bounded by what is open, but exponentially; beyond a limit this monitor gives up. Values that are not
// inline (strings, say) would have to be in the table of the states from the start: it gives up at those too.
#include <algorithm>

#include <absl/container/flat_hash_set.h>
#include <fmt/format.h>

#include "watch/just_in_time.hpp"

namespace plumb {
namespace {

struct OpenConfiguration {
  StateId state = 0;
  // By slot, sorted: an operation that took effect with its result, or a state seen by one that did not.
  std::vector<std::pair<std::uint32_t, Value>> done;
  std::vector<std::pair<std::uint32_t, StateId>> seen;

  friend bool operator==(const OpenConfiguration&, const OpenConfiguration&) = default;
  template <class H>
  friend H AbslHashValue(H h, const OpenConfiguration& c) {
    return H::combine(std::move(h), c.state, c.done, c.seen);
  }
};

template <class T>
void insert_sorted(std::vector<std::pair<std::uint32_t, T>>& list, std::pair<std::uint32_t, T> entry) {
  const auto less = [](const auto& a, const auto& b) {
    if constexpr (std::is_same_v<T, Value>) {
      return a.first < b.first;
    } else {
      return a < b;
    }
  };
  const auto at = std::lower_bound(list.begin(), list.end(), entry, less);
  if (at == list.end() || *at != entry) list.insert(at, entry);
}

class OnlineConfigurations final : public OnlineMonitor {
 public:
  using Configuration = OpenConfiguration;
  using Place = Configuration;

  explicit OnlineConfigurations(const OnlineSetting& setting)
      : model_(*setting.model), values_(setting.values) {
    frozen_ = std::make_unique<Values>();
    const Value initial = frozen_->import(*values_, setting.initial);
    states_ = std::move(model_.states(*frozen_, initial).value());
    if (states_->items(states_->initial())) most_ = kMostLists;
    configurations_ = {{states_->initial(), {}, {}}};
  }

  OnlineAnswer call(const OnlineOp& op, Moment now) override {
    (void)now;
    if (!std::ranges::all_of(op.args, is_inline) || (model_.depends_on_process() && !is_inline(op.process)))
      return cannot_judge("values other than numbers");
    if (states_->count() >= look_at_ && !forget_states()) return cannot_judge("too many states");
    std::uint32_t slot = 0;
    while (slot < slots_.size() && slots_[slot].used) ++slot;
    if (slot == slots_.size()) slots_.emplace_back();
    slots_[slot] = {true, false, op};
    if (!has_silent_results(op)) return OnlineAnswer::kFine;
    for (Configuration& c : configurations_) insert_sorted<StateId>(c.seen, {slot, c.state});
    return OnlineAnswer::kFine;
  }

  OnlineAnswer ret(const OnlineOp& op, Value result, Moment now) override {
    (void)now;
    if (!is_inline(result)) return cannot_judge("values other than numbers");
    const std::uint32_t slot = slot_of(op);
    auto next = JustInTime<OnlineConfigurations>::past_return(*this, configurations_, {slot, result});
    if (!next) return cannot_judge("too many configurations are possible");
    slots_[slot].used = false;
    if (next->empty()) return stuck(op, slot, result);
    keep(std::move(*next));
    return OnlineAnswer::kFine;
  }

  OnlineAnswer fail(const OnlineOp& op, Moment now) override {
    (void)now;
    const std::uint32_t slot = slot_of(op);
    Found next;
    for (const Configuration& c : configurations_) {
      if (done(c, slot) == nullptr) add_without(c, slot, next);
    }
    slots_[slot].used = false;
    if (!next.empty()) return keep(next), OnlineAnswer::kFine;
    for (const Configuration& c : configurations_) add_without(c, slot, next);
    keep(next);
    return violation(fmt::format("{} has failed, but what others returned needs it", text(op, "")),
                     {op.name});
  }

  OnlineAnswer lose(const OnlineOp& op, Moment now) override {
    (void)now;
    const std::uint32_t slot = slot_of(op);
    slots_[slot].lost = true;
    const bool reads = model_.operations()[op.operation].effect == Effect::kNeverChanges;
    slots_[slot].used = !reads;
    Found next;
    for (Configuration& c : configurations_) {
      std::erase_if(c.seen, [&](const auto& s) { return s.first == slot; });
      for (auto& d : c.done) d.second = d.first == slot ? kNull : d.second;
      next.insert(std::move(c));
    }
    keep(next);
    return OnlineAnswer::kFine;
  }

  [[nodiscard]] bool is_fresh() const override {
    return configurations_.size() == 1 && configurations_[0].state == states_->initial() && is_quiet();
  }

  // What the search asks: see just_in_time.hpp.
  [[nodiscard]] States& states() { return *states_; }
  [[nodiscard]] static const Configuration& configuration(const Place& c) { return c; }
  [[nodiscard]] Standing standing(const Configuration& c, const JustInTimeReturn& returning) {
    if (const Value* promised = done(c, returning.slot))
      return *promised == returning.result ? Standing::kPast : Standing::kOtherwise;
    return was_silent(c, returning.slot, returning.result) ? Standing::kPast : Standing::kOpen;
  }
  template <class Take>
  void each_move(const Configuration& c, const JustInTimeReturn& returning, Take take) {
    take(JustInTimeMove{returning.slot, &slots_[returning.slot].op, returning.result});
    for (std::uint32_t slot = 0; slot < slots_.size(); ++slot) {
      if (slot == returning.slot || !slots_[slot].used || done(c, slot) != nullptr) continue;
      const OnlineOp& op = slots_[slot].op;
      const Effect effect = model_.operations()[op.operation].effect;
      for (const Value result : states_->results(c.state, op.call())) {
        if (!leaves_state(effect, result)) take(JustInTimeMove{slot, &op, result});
      }
    }
  }
  // The others see the new state.
  [[nodiscard]] Configuration moved(const Configuration& c, const JustInTimeMove& move, StateId state) const {
    Configuration after = c;
    after.state = state;
    std::erase_if(after.seen, [&](const auto& s) { return s.first == move.slot; });
    insert_sorted<Value>(after.done, {move.slot, slots_[move.slot].lost ? kNull : move.result});
    for (std::uint32_t other = 0; other < slots_.size(); ++other) {
      if (slots_[other].used && !slots_[other].lost && has_silent_results(slots_[other].op) &&
          done(after, other) == nullptr)
        insert_sorted<StateId>(after.seen, {other, state});
    }
    return after;
  }
  [[nodiscard]] static Configuration without(Configuration c, const JustInTimeReturn& returning) {
    std::erase_if(c.done, [&](const auto& d) { return d.first == returning.slot; });
    std::erase_if(c.seen, [&](const auto& s) { return s.first == returning.slot; });
    return c;
  }
  [[nodiscard]] static Configuration past(const Configuration& /*from*/, const Configuration& c) { return c; }
  [[nodiscard]] bool is_spent(std::size_t visited) const { return visited > most_; }

 private:
  using Found = absl::flat_hash_set<Configuration>;
  struct Slot {
    bool used = false;
    bool lost = false;
    OnlineOp op = {};
  };

  static bool is_inline(Value v) { return v.is_null() || v.is_bool() || v.is_small(); }

  [[nodiscard]] bool is_quiet() const { return std::ranges::none_of(slots_, &Slot::used); }
  [[nodiscard]] bool has_silent_results(const OnlineOp& op) const {
    return model_.operations()[op.operation].effect != Effect::kMayChange;
  }
  [[nodiscard]] std::uint32_t slot_of(const OnlineOp& op) const {
    std::uint32_t slot = 0;
    while (!slots_[slot].used || slots_[slot].lost || slots_[slot].op.called != op.called) ++slot;
    return slot;
  }

  static const Value* done(const Configuration& c, std::uint32_t slot) {
    const auto it = std::ranges::find(c.done, slot, &std::pair<std::uint32_t, Value>::first);
    return it == c.done.end() ? nullptr : &it->second;
  }

  static void add_without(const Configuration& c, std::uint32_t slot, Found& next) {
    next.insert(without(c, {slot, kNull}));
  }

  bool was_silent(const Configuration& c, std::uint32_t slot, Value result) {
    const OnlineOp& op = slots_[slot].op;
    if (!leaves_state(model_.operations()[op.operation].effect, result)) return false;
    return std::ranges::any_of(c.seen, [&](const auto& s) {
      if (s.first != slot) return false;
      reached_.clear();
      states_->step(s.second, op.call(), result, reached_);
      return !reached_.empty();
    });
  }

  void keep(const Found& next) { keep(std::vector<Configuration>(next.begin(), next.end())); }
  void keep(std::vector<Configuration> next) {
    configurations_ = std::move(next);
    if (configurations_.size() > 1 && configurations_.size() <= kMostCompared) drop_dominated();
  }

  // Of configurations with the same state, those that used more lost operations and saw less than another go.
  void drop_dominated() {
    struct Rest {
      std::vector<std::uint32_t> lost;
      std::vector<std::pair<std::uint32_t, StateId>> seen;
    };
    std::ranges::sort(configurations_, [](const Configuration& a, const Configuration& b) {
      return a.done.size() != b.done.size() ? a.done.size() < b.done.size() : a.seen.size() > b.seen.size();
    });
    const auto split = [&](const Configuration& c) {
      Configuration common = c;
      Rest rest{{}, std::move(common.seen)};
      common.seen.clear();
      std::erase_if(common.done, [&](const auto& d) {
        if (slots_[d.first].lost) rest.lost.push_back(d.first);
        return slots_[d.first].lost;
      });
      return std::pair(std::move(common), std::move(rest));
    };
    drop_covered(configurations_, split, [](const Rest& a, const Rest& b) {
      return std::ranges::includes(b.lost, a.lost) && std::ranges::includes(a.seen, b.seen);
    });
  }

  // Many states have been met: those that are not needed any more go. False: there are too many, still.
  bool forget_states() {
    look_at_ = states_->count() + kSome;
    if (states_->count() <= kMostStates && states_->memory() <= kMostMemory) return true;
    std::vector<StateId*> needed;
    for (Configuration& c : configurations_) {
      needed.push_back(&c.state);
      for (auto& seen : c.seen) needed.push_back(&seen.second);
    }
    if (!states_->keep_only(needed)) return false;
    for (Configuration& c : configurations_) std::ranges::sort(c.seen);
    look_at_ = states_->count() + kSome;
    return states_->count() <= kMostStates / 2 && states_->memory() <= kMostMemory / 2;
  }

  OnlineAnswer stuck(const OnlineOp& op, std::uint32_t slot, Value result) {
    std::vector<WatchedOperation> operations = {op.name};
    for (const Slot& s : slots_) {
      if (s.used) operations.push_back(s.op.name);
    }
    std::string states;
    std::vector<std::string> shown;
    for (const Configuration& c : configurations_) {
      const std::string state = states_->describe(c.state);
      if (std::ranges::find(shown, state) != shown.end()) continue;
      if (shown.size() == kShown) break;
      shown.push_back(state);
      states += (states.empty() ? "" : " or ") + state;
    }
    auto answer = violation(
        fmt::format(
            "{} is impossible: before it the {} was {}, and no open operation can have changed that to fit",
            text(op, model_.operations()[op.operation].returns == Returns::kNothing
                         ? ""
                         : " → " + values_->to_json(result)),
            model_.name(), states),
        std::move(operations));
    Found next;  // to go on, as if the operation had not been there
    for (const Configuration& c : configurations_) add_without(c, slot, next);
    keep(next);
    return answer;
  }

  [[nodiscard]] std::string text(const OnlineOp& op, const std::string& result) const {
    std::string args;
    for (const Value arg : op.args) args += (args.empty() ? "" : ", ") + values_->to_json(arg);
    return fmt::format("`{}{}{}` by process {}", model_.operations()[op.operation].name,
                       args.empty() ? "" : "(" + args + ")", result, values_->to_json(op.process));
  }

  static constexpr std::size_t kMostConfigurations = 20'000;
  static constexpr std::size_t kMostLists = 1'000;  // where every state is a list, which may be long
  static constexpr std::size_t kMostCompared = 2'000;
  static constexpr std::size_t kMostStates = 100'000;
  static constexpr std::size_t kMostMemory = std::size_t{64} << 20U;  // of the states
  static constexpr std::size_t kSome = 1'000;  // states, before they are looked at again
  static constexpr std::size_t kShown = 3;

  const Model& model_;
  std::shared_ptr<Values> values_;
  std::unique_ptr<Values> frozen_;  // under the states: must not grow
  std::unique_ptr<States> states_;
  std::vector<Configuration> configurations_;
  std::vector<Slot> slots_;
  std::size_t most_ = kMostConfigurations;
  std::size_t look_at_ = kSome;  // so many states
  std::vector<StateId> reached_;
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_configurations(const OnlineSetting& setting) {
  return std::make_unique<OnlineConfigurations>(setting);
}

}  // namespace plumb
