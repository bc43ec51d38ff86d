// The stack that holds a value twice, watched: each frontier with all stacks that it can have
// (check/frontier/frontier_stack.hpp), event by event.
//
// The stacks of a frontier have the same height, as that follows from what was pushed and taken; so they are words of one
// length, kept together as a small diagram (word_sets.hpp). At the return of x, of all orders only those are looked at that
// rules (3), (4) and (5) of frontier_stack.hpp leave, which hold for pops of results that are not known yet, too:
//
//   before the push x come some takings, then some pushes, of other values than that of x (a push of that value that returns
//   later can change places with x), and none that is lost;
//   before the pop x come takings of other values than that of x (as one of that value can change places with x); or a
//   single push, of what x pops.
//
// Whenever the stack is empty, the open pops may find nothing.
#include <array>
#include <map>

#include <absl/container/flat_hash_map.h>

#include "check/frontier/word_sets.hpp"
#include "watch/just_in_time.hpp"
#include "watch/online_frontiers.hpp"
#include "watch/open_insertions.hpp"
#include "watch/takings.hpp"

namespace plumb {
namespace {

class StackFrontiers {
 public:
  explicit StackFrontiers(const OnlineSetting& setting)
      : budget_(std::nullopt, setting.stop), gauge_(budget_, 0), words_(gauge_) {
    WordSets::Set initial = WordSets::kEmptyWord;
    if (!setting.initial.is_null()) {
      for (const Value item : setting.values->as_array(setting.initial))
        initial = words_.put(initial, item.bits());
    }
    states_[{}] = initial;
  }

  bool insertion_called(Value value, Moment now) {
    return in_.open(value, now, [&] { forget_lost(); });
  }
  Passed insertion_returned(Moment called, Moment /*now*/) {
    const OpenInsertions::One x = in_.find(called);
    begin();
    for (const auto& [frontier, words] : states_) {
      if ((frontier.pushed & x.bit) != 0) {
        add(passed_, {frontier.pushed & ~x.bit, frontier.out}, words);
      } else {
        add(popping_[frontier.out.size()], frontier, words);
      }
    }
    take_all(out_.size(), kNull);
    push_all(x);
    if (is_too_much()) return Passed::kTooMany;
    in_.close(x.bit);
    return keep();
  }
  Passed insertion_failed(Moment called) {
    const std::uint64_t bit = in_.find(called).bit;
    begin();
    for (const auto& [frontier, words] : states_) {
      if ((frontier.pushed & bit) == 0) add(passed_, frontier, words);
    }
    const Passed passed = keep();
    if (passed == Passed::kSome) in_.close(bit);
    return passed;
  }
  void insertion_lost(Moment called) { in_.lose(called); }

  void removal_called(Moment now) {
    out_.open(now);
    begin();
    for (const auto& [frontier, words] : states_) reach(passed_, frontier, words, out_.size());
    (void)keep();
  }
  Passed removal_returned(Moment called, Value result) {
    Passed passed = pass(called, result);
    if (passed == Passed::kSome) passed = keep();
    if (passed == Passed::kSome) out_.end(out_.before(called));
    return passed;
  }
  Passed removal_failed(Moment called) {
    const std::uint32_t place = out_.before(called);
    begin();
    for (const auto& [frontier, words] : states_) close(frontier, words, place);
    const Passed passed = keep();
    if (passed == Passed::kSome) out_.end(place);
    return passed;
  }

  bool is_possible(Moment called, Value result) { return pass(called, result) == Passed::kSome; }
  std::vector<Value> candidates(Moment called) {
    std::vector<Value> values;
    (void)pass(called, kNull);  // which tries all takings
    for (const auto& level : popping_) {
      for (const auto& [frontier, words] : level) {
        for (const Taking& taking : frontier.out) values.push_back(taking.value);
        for (const auto& branch : words_.branches(words)) values.push_back(Value::from_bits(branch.letter));
      }
    }
    for (const auto& insertion : in_) values.push_back(insertion.value);
    return values;
  }
  [[nodiscard]] bool is_surely_empty() const {
    return out_.size() == 0 && in_.empty() && states_.begin()->second == WordSets::kEmptyWord;
  }

 private:
  struct Frontier {
    std::uint64_t pushed = 0;  // of the open pushes
    Takings out = {};
    friend bool operator==(const Frontier&, const Frontier&) = default;
    template <class H>
    friend H AbslHashValue(H h, const Frontier& f) {
      return H::combine(std::move(h), f.pushed, f.out);
    }
  };
  using Stacks = absl::flat_hash_map<Frontier, WordSets::Set>;
  static constexpr std::size_t kMostMet = 50'000;                      // at a return
  static constexpr std::size_t kMostMemory = std::size_t{512} << 20U;  // of the diagrams
  static constexpr std::size_t kSomeSets = 10'000;                     // before they are looked at again

  void begin() {
    passed_.clear();
    popping_.assign(out_.size() + 1, {});
    met_ = 0;
  }
  [[nodiscard]] bool is_too_much() {
    return met_ + passed_.size() > kMostMet || words_.bytes() > kMostMemory || gauge_.spent();
  }
  Passed keep() {
    if (passed_.empty()) return Passed::kNone;
    drop_covered_stacks();
    if (words_.size() > look_at_) forget_words();
    return Passed::kSome;
  }
  // What is covered by others is not needed.
  void drop_covered_stacks() {
    std::vector<std::pair<Frontier, WordSets::Set>> sorted(passed_.begin(), passed_.end());
    std::ranges::sort(sorted, std::greater(), [](const auto& state) { return state.first.out.largeness(); });
    drop_covered(
        sorted,
        [](const auto& state) {
          return std::pair(std::pair(state.first.pushed, state.second), state.first.out);
        },
        [](const Takings& a, const Takings& b) { return a.covers(b); });
    states_.clear();
    states_.insert(sorted.begin(), sorted.end());
  }
  void forget_words() {
    std::vector<WordSets::Set*> needed;
    for (auto& [frontier, words] : states_) needed.push_back(&words);
    words_.keep_only(needed);
    look_at_ = 2 * words_.size() + kSomeSets;
  }

  void add(Stacks& to, const Frontier& frontier, WordSets::Set words) {
    const auto [it, is_new] = to.try_emplace(frontier, words);
    if (!is_new) it->second = words_.unite(it->second, words);
    met_ += is_new ? 1 : 0;
  }
  // If it is empty, so many of the open pops may have found nothing.
  void reach(Stacks& to, Frontier frontier, WordSets::Set words, std::uint32_t by) {
    if (words == WordSets::kEmptyWord) frontier.out.found_empty(by);
    add(to, frontier, words);
  }
  void close(Frontier frontier, WordSets::Set words, std::uint32_t place) {
    if (frontier.out.close(place)) reach(passed_, std::move(frontier), words, out_.size() - 1);
  }

  // Takings before a return, of other values than this one: up to so many in all. By their number, so that what leads to a
  // frontier is complete before the frontier is gone on from.
  void take_all(std::uint32_t most, Value except) {
    for (std::uint32_t count = 0; count < most; ++count) {
      for (const auto& [frontier, words] : popping_[count]) {
        if (is_too_much()) return;
        for (std::size_t i = 0; i < words_.branches(words).size(); ++i) {
          const auto [letter, rest] = words_.branches(words)[i];
          if (!except.is_null() && letter == except.bits()) continue;
          Frontier next = frontier;
          next.out.add(Value::from_bits(letter), out_.size());
          reach(popping_[count + 1], std::move(next), rest, out_.size());
        }
      }
    }
  }

  // Other pushes before that of x, by their number; then x.
  void push_all(const OpenInsertions::One& x) {
    std::map<int, Stacks> pushing;
    for (const auto& level : popping_) {
      for (const auto& [frontier, words] : level)
        add(pushing[std::popcount(frontier.pushed)], frontier, words);
    }
    for (auto& [count, level] : pushing) {
      for (const auto& [frontier, words] : level) {
        if (is_too_much()) return;
        add(passed_, frontier, words_.put(words, x.value.bits()));
        for (const auto& one : in_) {
          if (one.lost || one.value == x.value || (frontier.pushed & one.bit) != 0) continue;
          add(pushing[count + 1], {frontier.pushed | one.bit, frontier.out},
              words_.put(words, one.value.bits()));
        }
      }
    }
  }

  // The pop returns: states after it are put into passed_.
  Passed pass(Moment called, Value result) {
    const std::uint32_t place = out_.before(called);
    begin();
    for (const auto& [frontier, words] : states_) {
      if (result.is_null() && frontier.out.may_be_empty(place)) {
        close(frontier, words, place);
        continue;
      }
      if (!result.is_null()) {
        if (Frontier before = frontier; before.out.assign(place, result))
          close(std::move(before), words, place);
        push_for(frontier, words, place, result);
      }
      add(popping_[frontier.out.size()], frontier, words);
    }
    take_all(out_.size() - 1, result);
    for (const auto& level : popping_) {
      for (const auto& [frontier, words] : level) {
        if (!result.is_null()) {
          const WordSets::Set rest = words_.after(words, result.bits());
          if (rest != WordSets::kNone) close(frontier, rest, place);
        } else if (words == WordSets::kEmptyWord) {
          close(frontier, words, place);
        }
      }
    }
    return is_too_much() ? Passed::kTooMany : passed_.empty() ? Passed::kNone : Passed::kSome;
  }
  void push_for(const Frontier& frontier, WordSets::Set words, std::uint32_t place, Value value) {
    for (const auto& one : in_) {
      if (one.value != value || (frontier.pushed & one.bit) != 0 || in_.has_substitute(one, frontier.pushed))
        continue;
      close({frontier.pushed | one.bit, frontier.out}, words, place);
    }
  }

  // Lost pushes that have taken effect in all states have returned, so to say.
  void forget_lost() {
    for (const OpenInsertions::One one : std::vector(in_.begin(), in_.end())) {
      const auto has_it = [&](const auto& state) { return (state.first.pushed & one.bit) != 0; };
      if (!one.lost || !std::ranges::all_of(states_, has_it)) continue;
      begin();
      for (const auto& [frontier, words] : states_)
        add(passed_, {frontier.pushed & ~one.bit, frontier.out}, words);
      (void)keep();
      in_.close(one.bit);
    }
  }

  Budget budget_;
  BudgetGauge gauge_;
  WordSets words_;
  OpenInsertions in_;
  OpenRemovals out_;
  Stacks states_;
  std::size_t look_at_ = kSomeSets;
  // At a return:
  Stacks passed_;
  std::vector<Stacks> popping_;  // by the number of takings
  std::size_t met_ = 0;
};

}  // namespace

std::unique_ptr<OnlineMonitor> online_frontiers_stack(const OnlineSetting& setting) {
  return std::make_unique<OnlineFrontiers<StackFrontiers>>(setting);
}

}  // namespace plumb
