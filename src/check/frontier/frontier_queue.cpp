#include "check/frontier/frontier_queue.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>
#include <absl/hash/hash.h>

namespace plumb {
namespace {

// Two orders that can be merged, merged. Removals come as soon as what they need is in.
std::vector<QueueStep> merge(const FrontierOrder& insertions, std::span<const std::uint32_t> in,
                             const FrontierOrder& removals, std::span<const std::uint32_t> out) {
  std::vector<std::uint32_t> first_return(in.size() + 1, FrontierOp::kNever);  // from there on
  for (std::size_t i = in.size(); i-- > 0;)
    first_return[i] = std::min(first_return[i + 1], insertions[in[i]].ret);
  std::vector<QueueStep> order;
  order.reserve(in.size() + out.size());
  std::size_t came = 0;
  std::size_t left = 0;
  const auto bring_in = [&] { order.push_back({false, in[came++]}); };
  for (const std::uint32_t op : out) {
    const FrontierOp& removal = removals[op];
    const bool finds_nothing = removal.value == FrontierOp::kNothing;
    while (first_return[came] < removal.call || (came == left && !finds_nothing)) bring_in();
    order.push_back({true, op});
    left += finds_nothing || removal.keeps ? 0 : 1;
  }
  while (came < in.size()) bring_in();
  return order;
}

// Are there removals of which it is not known what they took?
bool loses_some(std::span<const FrontierOp> removals) {
  return std::ranges::find(removals, FrontierOp::kAnything, &FrontierOp::value) != removals.end();
}

class QueueSearch {
 public:
  QueueSearch(std::span<const FrontierOp> insertions, std::span<const FrontierOp> removals,
              const SearchLimits& limits)
      : limits_(limits),
        gauge_(*limits.budget, limits.rank),
        in_({insertions.begin(), insertions.end()}),
        out_({removals.begin(), removals.end()}),
        has_looks_(std::ranges::any_of(removals, &FrontierOp::keeps)),
        met_(0, Hash{&states_}, Equal{&states_}) {
    if (loses_some(removals)) count_spare();
    note_unseen();
  }

  QueueAnswer run() {
    meet({});
    QueueAnswer answer;
    answer.outcome = explore(out_.returns());
    answer.spent = gauge_.reason();
    answer.order = merge(in_, insertions_of(best_, answer.outcome), out_, removals_of(best_));
    if (answer.outcome != Outcome::kHolds) answer.stuck = out_.returning(covered_);
    answer.states = states_.size();
    return answer;
  }
  // So many returns of removals are explained, of so many.
  [[nodiscard]] std::uint32_t covered() const { return covered_; }
  [[nodiscard]] std::uint32_t goal() const { return out_.returns(); }

  // What the removal that is stuck could have had: it is given each value in turn, wherever it could come
  // next, as long as that is not more work than the verdict was.
  void find_allowed(QueueAnswer& answer) {
    constexpr std::size_t kWorth = 100'000;  // states
    const std::size_t known = states_.size();
    std::size_t left = known + kWorth;
    std::vector<std::uint32_t> from;
    std::vector<std::uint32_t> values = {FrontierOp::kNothing};
    for (std::uint32_t i = 0; i < known; ++i) {
      if (!can_come_soon(states_[i].out, answer.stuck)) continue;
      from.push_back(i);
      in_.each_enabled(states_[i].in, [&](std::uint32_t op) { values.push_back(in_[op].value); });
    }
    std::ranges::sort(values);
    values.erase(std::unique(values.begin(), values.end()), values.end());
    const std::uint32_t covered = covered_;
    for (const std::uint32_t value : values) {
      met_.clear();
      stack_.clear();
      states_.resize(known);
      covered_ = covered;
      most_states_ = known + left;
      const Outcome outcome = probe(from, answer.stuck, value);
      if (outcome == Outcome::kHolds) answer.allowed.push_back(Value::from_bits(value));
      if (outcome == Outcome::kUnknown) answer.allowed_complete = false;
      left -= std::min(left, states_.size() - known);
    }
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct State {
    Frontier in;                     // insertions: as many as there are removals that took something
    Frontier out;                    // removals
    std::uint32_t last_in = 0;       // the last call among these insertions
    std::uint32_t last_out = 0;      // likewise of the removals
    std::uint32_t parent = kNone;    // the state before
    std::uint32_t inserted = kNone;  // since then: the value that became the first,
    std::uint32_t removed =
        kNone;  // and what took it out, after those that only looked at it, before those that found nothing
  };
  struct Hash {
    const std::vector<State>* states;
    std::size_t operator()(std::uint32_t i) const {
      const State& s = (*states)[i];
      return absl::HashOf(s.in, s.out);
    }
  };
  struct Equal {
    const std::vector<State>* states;
    bool operator()(std::uint32_t a, std::uint32_t b) const {
      return (*states)[a].in == (*states)[b].in && (*states)[a].out == (*states)[b].out;
    }
  };

  // Is there a way to cover the first `goal` returns of removals?
  Outcome explore(std::uint32_t goal) {
    while (!stack_.empty() && covered_ < goal) {
      if (is_spent() || states_.size() > most_states_) return Outcome::kUnknown;
      const std::uint32_t number = stack_.back();
      stack_.pop_back();
      expand(State(states_[number]), number);
    }
    if (covered_ >= goal) return Outcome::kHolds;
    return is_spent() ? Outcome::kUnknown : Outcome::kViolation;  // perhaps in the last step
  }
  bool is_spent() {
    if (states_.size() > limits_.configurations) gauge_.spend(StopReason::kRound);
    if (states_.size() * (sizeof(State) + 2 * sizeof(kNone)) > limits_.memory)
      gauge_.spend(StopReason::kMemory);
    return gauge_.spent();
  }

  // Each insertion that can be next, with each removal that can take its value. What has to return first is
  // tried first.
  void expand(const State& state, std::uint32_t number) {
    next_.clear();
    in_.each_enabled(state.in, [&](std::uint32_t insertion) {
      if (in_.has_better(state.in, insertion) || is_unseen(insertion)) return;
      State with = state;
      with.in = in_.take(state.in, insertion);
      with.last_in = std::max(state.last_in, in_[insertion].call);
      with.parent = number;
      with.inserted = insertion;
      with.removed = kNone;
      if (has_looks_) {
        look(with);
      } else {
        remove(with);
      }
    });
    std::ranges::sort(next_, std::greater(),
                      [&](const State& s) { return std::pair(out_[s.removed].ret, in_[s.inserted].ret); });
    for (const State& next : next_) meet(next);
  }

  // Those that look at the first value, in the order of their calls. One that is called
  // before an insertion returns that has not come yet may as well look now. Otherwise it may have to wait for
  // another value like this one: a removal that finds nothing before that insertion could not come after it,
  // see (2). Then those wait, too, than which it is better.
  void look(const State& state) {
    looking_.assign(1, {state, 0});
    while (!looking_.empty()) {
      if ((looking_.size() + next_.size()) * sizeof(State) > limits_.memory)
        gauge_.spend(StopReason::kMemory);
      if (gauge_.spent()) return;
      const auto [now, from] = looking_.back();
      looking_.pop_back();
      const std::uint32_t next = first_look(now, from);
      if (next == kNone) {
        remove(now);
        continue;
      }
      if (out_[next].call > in_.first_return(now.in)) looking_.emplace_back(now, next + 1);
      looking_.emplace_back(note(with_removal(now, next)), next + 1);
    }
  }
  [[nodiscard]] std::uint32_t first_look(const State& state, std::uint32_t from) const {
    std::uint32_t next = kNone;
    out_.each_enabled(state.out, [&](std::uint32_t op) {
      const bool looks =
          out_[op].keeps && out_[op].value == in_[state.inserted].value && out_[op].ret > state.last_in;
      if (looks && op >= from && op < next && !out_.has_better(state.out, op)) next = op;
    });
    return next;
  }

  void remove(const State& state) {
    const std::uint32_t value = in_[state.inserted].value;
    out_.each_enabled(state.out, [&](std::uint32_t op) {
      const FrontierOp& removal = out_[op];
      const bool fits =
          removal.value == value || (removal.value == FrontierOp::kAnything && has_spare(value));
      if (!fits || removal.keeps || removal.ret < state.last_in || !is_probed(state, op)) return;
      if (out_.has_better(state.out, op)) return;
      next_.push_back(with_removal(state, op));
      next_.back().removed = op;
    });
  }

  [[nodiscard]] State with_removal(State state, std::uint32_t op) const {
    state.out = out_.take(state.out, op);
    state.last_out = std::max(state.last_out, out_[op].call);
    return state;
  }

  // Goes on from there, unless it has been there. Removals that can find nothing now do: waiting helps
  // neither them nor others.
  void meet(State state) {
    note(state);
    while (true) {
      std::uint32_t next = kNone;
      out_.each_enabled(state.out, [&](std::uint32_t op) {
        if (out_[op].value == FrontierOp::kNothing && op < next && finds_nothing(state, op)) next = op;
      });
      if (next == kNone) break;
      state = note(with_removal(state, next));
    }
    states_.push_back(state);
    if (met_.insert(static_cast<std::uint32_t>(states_.size() - 1)).second) {
      stack_.push_back(static_cast<std::uint32_t>(states_.size() - 1));
    } else {
      states_.pop_back();
    }
  }
  [[nodiscard]] bool finds_nothing(const State& state, std::uint32_t op) const {
    return out_[op].ret > state.last_in &&
           in_.first_return(state.in) > std::max(state.last_out, out_[op].call);
  }

  // All removals that returned by some moment are in it, and nothing that was called later. Of the moments,
  // the last is kept.
  const State& note(const State& state) {
    const std::uint32_t returned = state.out.returned;
    if (returned <= covered_) return state;
    if (out_[out_.returning(returned - 1)].ret < std::max(state.last_in, state.last_out)) return state;
    covered_ = returned;
    best_ = state;
    return state;
  }

  // An insertion that never returned, of a value that nobody has seen, need not take effect: if a removal of which the result
  // is not known takes it, the two can be left out together.
  void note_unseen() {
    absl::flat_hash_set<std::uint32_t> seen;
    for (std::uint32_t op = 0; op < in_.size(); ++op) {
      if (in_[op].ret != FrontierOp::kNever) continue;
      if (unseen_.empty()) {
        unseen_.resize(in_.size());
        for (std::uint32_t removal = 0; removal < out_.size(); ++removal) seen.insert(out_[removal].value);
      }
      unseen_[op] = !seen.contains(in_[op].value);
    }
  }
  // Unless the removal that is stuck is just given its value.
  [[nodiscard]] bool is_unseen(std::uint32_t insertion) const {
    if (unseen_.empty() || !unseen_[insertion]) return false;
    return !only_probed_ || out_[probed_].value != in_[insertion].value;
  }

  // Of each value, how many more are inserted than come out of removals that return: a removal of which the result is
  // not known takes one of these, or somebody who returns goes without. The last to return may be the one that is stuck, and
  // could have had something else.
  void count_spare() {
    for (std::uint32_t op = 0; op < in_.size(); ++op) ++spare_[in_[op].value];
    for (std::uint32_t ret = 0; ret + 1 < out_.returns(); ++ret) {
      const FrontierOp& removal = out_[out_.returning(ret)];
      if (!removal.keeps) --spare_[removal.value];
    }
  }
  [[nodiscard]] bool has_spare(std::uint32_t value) const {
    const auto it = spare_.find(value);
    return it != spare_.end() && it->second > 0;
  }

  // The way to a state, in order.
  [[nodiscard]] std::vector<State> way_to(const State& state) const {
    std::vector<State> way = {state};
    while (way.back().parent != kNone) way.push_back(states_[way.back().parent]);
    std::ranges::reverse(way);
    return way;
  }
  // Those of the way, then those that came and stayed: of a history that is not explained, up to where it is.
  [[nodiscard]] std::vector<std::uint32_t> insertions_of(const State& last, Outcome outcome) const {
    std::vector<std::uint32_t> order;
    std::vector<bool> taken(in_.size());
    for (const State& state : way_to(last)) {
      if (state.inserted == kNone) continue;
      order.push_back(state.inserted);
      taken[state.inserted] = true;
    }
    const std::uint32_t until =
        outcome == Outcome::kHolds ? FrontierOp::kNever : out_[out_.returning(covered_)].ret;
    for (std::uint32_t op = 0; op < in_.size(); ++op) {
      if (!taken[op] && in_[op].ret < until) order.push_back(op);
    }
    return order;
  }
  [[nodiscard]] std::vector<std::uint32_t> removals_of(const State& last) const {
    std::vector<std::uint32_t> order;
    std::vector<std::uint32_t> since;
    Frontier before;
    for (const State& state : way_to(last)) {
      since.clear();
      out_.each_between(before, state.out, [&](std::uint32_t op) { since.push_back(op); });
      std::ranges::sort(since, {}, [&](std::uint32_t op) {
        const int place = op == state.removed ? 1 : out_[op].value == FrontierOp::kNothing ? 2 : 0;
        return std::pair(place, op);
      });
      order.insert(order.end(), since.begin(), since.end());
      before = state.out;
    }
    return order;
  }

  // With looks, it may be enabled only after some of them: those that were open then.
  [[nodiscard]] bool can_come_soon(Frontier frontier, std::uint32_t op) const {
    if (!has_looks_) return out_.is_enabled(frontier, op);
    if (out_.is_taken(frontier, op)) return false;
    const std::uint32_t later = std::min(frontier.returned + FrontierOrder::kMostOpen, out_.returns() - 1);
    return out_[op].call < out_[out_.returning(later)].ret;
  }
  Outcome probe(std::span<const std::uint32_t> from, std::uint32_t removal, std::uint32_t value) {
    const std::uint32_t goal = covered_ + 1;
    out_.set_value(removal, value);
    probed_ = removal;
    for (const std::uint32_t number : from) {
      const State state = states_[number];
      only_probed_ = true;
      if (value != FrontierOp::kNothing) {
        expand(state, number);
      } else if (out_.is_enabled(state.out, removal) && finds_nothing(state, removal)) {
        meet(with_removal(state, removal));
      }
      only_probed_ = false;
      const Outcome outcome = explore(goal);
      if (outcome != Outcome::kViolation) return outcome;
    }
    return Outcome::kViolation;
  }
  // While a value is tried: the removal comes now.
  [[nodiscard]] bool is_probed(const State& state, std::uint32_t op) const {
    return !only_probed_ || op == probed_ || (out_[probed_].keeps && out_.is_taken(state.out, probed_));
  }

  SearchLimits limits_;
  BudgetGauge gauge_;
  FrontierOrder in_;
  FrontierOrder out_;
  bool has_looks_;
  absl::flat_hash_map<std::uint32_t, std::int64_t> spare_;  // by value; where it is asked for
  std::vector<bool> unseen_;                                // by insertion; empty where all return
  std::vector<State> states_;
  absl::flat_hash_set<std::uint32_t, Hash, Equal> met_;
  std::vector<std::uint32_t> stack_;
  std::vector<State> next_;
  std::vector<std::pair<State, std::uint32_t>> looking_;  // from which operation on they may still look
  std::size_t most_states_ = ~std::size_t{0};             // where it is not worth more
  std::uint32_t covered_ = 0;                             // so many returns of removals
  State best_;                                            // the state that covers them
  std::uint32_t probed_ = kNone;  // the removal that is stuck, while values are tried for it
  bool only_probed_ = false;      // it has to come next
};

// What has happened up to a return.
std::vector<FrontierOp> cut_off(std::span<const FrontierOp> operations, std::uint32_t end) {
  std::vector<FrontierOp> before;
  for (FrontierOp op : operations) {
    if (op.call > end) break;
    if (op.ret > end) op.ret = FrontierOp::kNever;
    before.push_back(op);
  }
  return before;
}

// Where some removals never returned, a search leaves out what explains the beginning of a history, but not all of it
// (has_spare()). So the first return that is impossible is looked for among cuts. Mostly it is the one at which the search of
// the whole was stuck, and is found at once.
class FirstImpossible {
 public:
  FirstImpossible(std::span<const FrontierOp> insertions, std::span<const FrontierOp> removals,
                  const SearchLimits& limits)
      : insertions_(insertions), removals_(removals), limits_(limits) {
    if (!loses_some(removals)) return;
    for (const FrontierOp& removal : removals) {
      if (removal.ret != FrontierOp::kNever) returns_.push_back(removal.ret);
    }
    std::ranges::sort(returns_);
  }

  QueueAnswer run() {
    if (!judge(insertions_, removals_)) return std::move(answer_);
    std::uint32_t step = 1;
    while (possible_ + 1 < impossible_) {
      const std::uint32_t tried = std::min(possible_ + step, impossible_ - 1);
      const std::uint32_t end = returns_[tried - 1];
      if (judge(cut_off(insertions_, end), cut_off(removals_, end))) {
        step = 1;
      } else if (answer_.outcome == Outcome::kUnknown) {
        return std::move(answer_);
      } else {
        step *= 2;
      }
    }
    search_->find_allowed(*violation_);
    violation_->states = states_;
    return std::move(*violation_);
  }

 private:
  // True: it is impossible; then that is kept.
  bool judge(std::span<const FrontierOp> insertions, std::span<const FrontierOp> removals) {
    SearchLimits rest = limits_;
    if (rest.configurations != SearchLimits::kNoLimit)
      rest.configurations -= std::min(rest.configurations, states_);
    auto search = std::make_unique<QueueSearch>(insertions, removals, rest);
    answer_ = search->run();
    answer_.states += states_;
    states_ = answer_.states;
    if (answer_.outcome == Outcome::kUnknown) return false;
    possible_ = std::max(possible_, search->covered());
    if (answer_.outcome == Outcome::kHolds) return false;
    impossible_ = returns_.empty() ? search->covered() + 1 : search->goal();
    violation_ = std::move(answer_);
    search_ = std::move(search);
    return true;
  }

  std::span<const FrontierOp> insertions_;
  std::span<const FrontierOp> removals_;
  const SearchLimits& limits_;
  std::vector<std::uint32_t> returns_;  // of removals; empty where the first search tells
  std::uint32_t possible_ = 0;          // so many of them can be explained
  std::uint32_t impossible_ = 0;        // and so many cannot
  QueueAnswer answer_;                  // of the last search
  std::optional<QueueAnswer> violation_;
  std::unique_ptr<QueueSearch> search_;  // that found it
  std::uint64_t states_ = 0;
};

}  // namespace

QueueAnswer decide_queue(std::span<const FrontierOp> insertions, std::span<const FrontierOp> removals,
                         const SearchLimits& limits) {
  return FirstImpossible(insertions, removals, limits).run();
}

}  // namespace plumb
