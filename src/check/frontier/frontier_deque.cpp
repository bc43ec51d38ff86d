#include "check/frontier/frontier_deque.hpp"

#include <algorithm>
#include <deque>
#include <tuple>
#include <utility>

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include "check/frontier/frontier_order.hpp"
#include "check/frontier/word_ends.hpp"
#include "check/frontier/word_sets.hpp"

namespace plumb {
namespace {

using Kind = ListStep::Kind;
using Set = WordSets::Set;

// Values by number. Those that no operation has found have one number together, the first.
class Letters {
 public:
  static constexpr std::uint32_t kOther = 0;

  explicit Letters(std::span<const DequeOp> operations) : values_(1) {
    for (const DequeOp& op : operations) {
      if (op.step.kind != Kind::kPop && op.step.kind != Kind::kPeek) continue;
      if (numbers_.try_emplace(op.step.value, static_cast<std::uint32_t>(values_.size())).second)
        values_.push_back(op.step.value);
    }
  }
  [[nodiscard]] std::uint32_t of(const ListStep& step) const {
    const bool has_value = step.kind == Kind::kPush || step.kind == Kind::kPop || step.kind == Kind::kPeek;
    const auto it = has_value ? numbers_.find(step.value) : numbers_.end();
    return it == numbers_.end() ? kOther : it->second;
  }
  [[nodiscard]] Value value(std::uint32_t letter) const { return values_[letter]; }
  [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(values_.size()); }

 private:
  std::vector<Value> values_;
  absl::flat_hash_map<Value, std::uint32_t> numbers_;
};

class DequeSearch {
 public:
  DequeSearch(std::span<const DequeOp> operations, std::int64_t capacity, const SearchLimits& limits)
      : letters_(operations),
        capacity_(capacity),
        limits_(limits),
        gauge_(*limits.budget, limits.rank),
        words_(gauge_),
        ends_(words_) {
    std::vector<FrontierOp> by_call;
    for (const auto& [call, ret, step] : operations) {
      operations_.push_back({letters_.of(step), step.kind, step.at_back, step.count, step.asks});
      by_call.push_back({call, ret, label(operations_.back())});
    }
    if (FrontierOrder::slots_for(by_call) > FrontierOrder::kMostOpen) {
      gauge_.spend(StopReason::kTooLarge);
      return;
    }
    order_ = FrontierOrder(std::move(by_call));
    groups_.resize(order_.returns() + std::size_t{1});
  }

  DequeAnswer run() {
    DequeAnswer answer;
    answer.spent = gauge_.reason();
    if (answer.spent == StopReason::kTooLarge) return answer;
    reach({}, WordSets::kEmptyWord, 0, {kNone, kNone});
    for (std::uint32_t group = 0; group < order_.returns() && !is_spent(); ++group) expand(group);
    answer.spent = gauge_.reason();
    answer.frontiers = met_;
    if (answer.spent == StopReason::kNothing)
      answer.outcome = covered_ == order_.returns() ? Outcome::kHolds : Outcome::kViolation;
    if (answer.outcome != Outcome::kHolds) answer.stuck = order_.returning(covered_);
    answer.order = trace();
    if (gauge_.reason() == StopReason::kInternalError) {
      answer.outcome = Outcome::kUnknown;
      answer.spent = gauge_.reason();
    }
    if (answer.outcome == Outcome::kViolation) find_allowed(answer);
    return answer;
  }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Operation {
    std::uint32_t letter;
    Kind kind;
    bool at_back;
    std::int64_t count;
    Kind asks;
  };
  // How contents have come to a frontier.
  struct Move {
    std::uint32_t from;  // frontier
    std::uint32_t op;
  };
  struct Node {
    Frontier frontier;
    Set words;
    std::int64_t length;  // of the words
    std::vector<Move> moves;
  };

  // Equal for operations that do the same. Whoever counts does the same at both ends.
  std::uint32_t label(const Operation& op) {
    const bool has_end =
        op.kind == Kind::kPush || op.kind == Kind::kPop || op.kind == Kind::kPopAny || op.kind == Kind::kPeek;
    const std::int64_t number = op.kind == Kind::kCount ? op.count : op.letter;
    const auto next = static_cast<std::uint32_t>(labels_.size());
    return labels_.try_emplace({number, op.kind, has_end && op.at_back}, next).first->second;
  }
  static bool changes(Kind kind) {
    return kind == Kind::kPush || kind == Kind::kPop || kind == Kind::kPopAny;
  }

  bool is_spent() {
    const std::size_t bytes = words_.bytes() + ends_.bytes() + nodes_.size() * 2 * sizeof(Node);
    if (bytes > limits_.memory) gauge_.spend(StopReason::kMemory);
    if (met_ > limits_.configurations) gauge_.spend(StopReason::kRound);
    return gauge_.spent();
  }

  // Those that have passed so many returns. On the way they become more, with more operations taken.
  void expand(std::uint32_t group) {
    std::size_t left = groups_[group].size();
    for (std::uint32_t taken = 0; left > 0; ++taken) {
      for (std::size_t i = 0; i < groups_[group].size() && !is_spent(); ++i) {
        const std::uint32_t node = groups_[group][i];
        if (order_.open_taken(nodes_[node].frontier) != taken) continue;
        const std::size_t before = groups_[group].size();
        go_on(node);
        left += groups_[group].size() - before;
        --left;
      }
      if (is_spent()) return;
    }
  }
  void go_on(std::uint32_t node) {
    const Frontier frontier = nodes_[node].frontier;
    const Set words = nodes_[node].words;
    const std::int64_t length = nodes_[node].length;
    std::uint32_t unchanging = kNone;
    enabled_.clear();
    order_.each_enabled(frontier, [&](std::uint32_t op) {
      const bool is_sure = !changes(operations_[op].kind) && after(words, length, op) == words;
      if (is_sure) unchanging = std::min(unchanging, op);
      if (!order_.has_better(frontier, op)) enabled_.push_back(op);
    });
    if (unchanging != kNone) enabled_.assign(1, unchanging);
    for (const std::uint32_t op : enabled_) {
      const Set next = after(words, length, op);
      if (next != WordSets::kNone)
        reach(order_.take(frontier, op), next, length + growth(operations_[op].kind), {node, op});
    }
  }
  static std::int64_t growth(Kind kind) { return kind == Kind::kPush ? 1 : changes(kind) ? -1 : 0; }
  // Of words of this length, those in which the operation can be next, as it leaves them.
  [[nodiscard]] Set after(Set words, std::int64_t length, std::uint32_t op) {
    const Operation& operation = operations_[op];
    const auto [letter, at_back] = std::pair(operation.letter, operation.at_back);
    switch (operation.kind) {
      case Kind::kPush:
        if (length >= capacity_) return WordSets::kNone;
        return at_back ? ends_.put(words, letter) : words_.put(words, letter);
      case Kind::kPop:
        return at_back ? ends_.before(words, letter) : words_.after(words, letter);
      case Kind::kPopAny:
        return at_back ? ends_.before_any(words) : words_.after_any(words);
      case Kind::kPeek:
        return at_back ? ends_.put(ends_.before(words, letter), letter)
                       : words_.put(words_.after(words, letter), letter);
      case Kind::kCount:
        return length == operation.count ? words : WordSets::kNone;
      case Kind::kSome:
        return length > 0 ? words : WordSets::kNone;
      case Kind::kNothing:
        break;
    }
    return words;
  }
  void reach(Frontier frontier, Set words, std::int64_t length, Move move) {
    const auto next = static_cast<std::uint32_t>(nodes_.size());
    const auto [it, is_new] = numbers_.try_emplace(frontier, next);
    if (is_new) {
      ++met_;
      nodes_.push_back({frontier, words, length, {}});
      groups_[frontier.returned].push_back(next);
      note(next);
    } else {
      nodes_[it->second].words = words_.unite(nodes_[it->second].words, words);
    }
    if (move.from != kNone) nodes_[it->second].moves.push_back(move);
  }

  // All that returned by some moment is taken, and nothing that was called later. Of the moments, the last is kept.
  void note(std::uint32_t node) {
    const Frontier frontier = nodes_[node].frontier;
    if (frontier.returned <= covered_) return;
    const std::uint32_t until = order_[order_.returning(frontier.returned - 1)].ret;
    bool is_late = false;
    order_.each_between({.returned = frontier.returned}, frontier,
                        [&](std::uint32_t op) { is_late = is_late || order_[op].call > until; });
    if (is_late) return;
    covered_ = frontier.returned;
    best_ = node;
  }

  // Back from the best frontier, with one of its words: one of the moves has brought it there.
  std::vector<std::uint32_t> trace() {
    std::vector<std::uint32_t> back;
    std::deque<std::uint32_t> word;
    std::uint32_t node = best_;
    for (Set set = nodes_[node].words; set != WordSets::kEmptyWord; set = words_.branches(set)[0].rest)
      word.push_back(words_.branches(set)[0].letter);
    while (!nodes_[node].moves.empty()) {
      const auto move =
          std::ranges::find_if(nodes_[node].moves, [&](const Move& m) { return came_by(m, word); });
      if (move == nodes_[node].moves.end()) {
        gauge_.spend(StopReason::kInternalError);
        return {};
      }
      back.push_back(move->op);
      node = move->from;
    }
    std::ranges::reverse(back);
    return back;
  }
  // If so, the word is from now on what it was before.
  [[nodiscard]] bool came_by(const Move& move, std::deque<std::uint32_t>& word) const {
    const auto [letter, kind, at_back, count, asks] = operations_[move.op];
    const Set before = nodes_[move.from].words;
    if (kind == Kind::kPeek && (word.empty() || (at_back ? word.back() : word.front()) != letter))
      return false;
    if (!changes(kind)) return is_in(before, word);
    if (kind == Kind::kPush) {
      if (word.empty() || (at_back ? word.back() : word.front()) != letter) return false;
      take(word, at_back);
      if (is_in(before, word)) return true;
      put(word, letter, at_back);
      return false;
    }
    const std::uint32_t first = kind == Kind::kPop ? letter : 0;
    const std::uint32_t last = kind == Kind::kPop ? letter : letters_.size() - 1;
    for (std::uint32_t popped = first; popped <= last; ++popped) {
      put(word, popped, at_back);
      if (is_in(before, word)) return true;
      take(word, at_back);
    }
    return false;
  }
  static void put(std::deque<std::uint32_t>& word, std::uint32_t letter, bool at_back) {
    at_back ? word.push_back(letter) : word.push_front(letter);
  }
  static void take(std::deque<std::uint32_t>& word, bool at_back) {
    at_back ? word.pop_back() : word.pop_front();
  }
  [[nodiscard]] bool is_in(Set set, const std::deque<std::uint32_t>& word) const {
    for (const std::uint32_t letter : word) {
      if (set <= WordSets::kEmptyWord) return false;
      set = words_.after(set, letter);
    }
    return set == WordSets::kEmptyWord;
  }

  // What the operation that is stuck could have returned: it is given each value in turn, and the frontiers from before its
  // call are gone on from once more. Which of the values that no pop has returned it could be is not known.
  void find_allowed(DequeAnswer& answer) {
    constexpr std::size_t kMostTries = 32;
    const std::uint32_t stuck = answer.stuck;
    std::uint32_t called = 0;
    while (order_[order_.returning(called)].ret < order_[stuck].call) ++called;
    const std::uint32_t goal = covered_ + 1;
    const auto with = [&](std::uint32_t letter, Kind kind) {
      operations_[stuck].letter = letter;
      operations_[stuck].kind = kind;
      return go_again(called, goal);
    };
    const Kind asks = operations_[stuck].asks;
    if (asks == Kind::kNothing) {
      answer.allowed_complete = false;
      return;
    }
    order_.set_value(stuck, kNone);  // like no other
    with(letters_.size(), asks);     // what it never finds: so all that comes without it is met
    const std::vector<std::uint32_t> candidates = letters_for(stuck, called);
    answer.allowed_complete = candidates.size() <= kMostTries;
    operations_[stuck].count = 0;
    if (with(0, Kind::kCount) == Outcome::kHolds) answer.allowed.push_back(kNull);
    for (std::size_t i = 0; i < std::min(candidates.size(), kMostTries); ++i) {
      if (with(candidates[i], asks) != Outcome::kHolds) continue;
      if (candidates[i] == Letters::kOther) {
        answer.allowed_complete = false;
      } else {
        answer.allowed.push_back(letters_.value(candidates[i]));
      }
    }
    if (gauge_.spent()) answer.allowed_complete = false;
  }
  // What lies at its end, wherever it could come next.
  [[nodiscard]] std::vector<std::uint32_t> letters_for(std::uint32_t stuck, std::uint32_t called) const {
    absl::flat_hash_set<std::uint32_t> letters;
    absl::flat_hash_set<Set> seen;
    std::vector<Set> pile;
    for (std::size_t group = called; group < groups_.size(); ++group) {
      for (const std::uint32_t node : groups_[group]) {
        if (order_.is_enabled(nodes_[node].frontier, stuck)) pile.push_back(nodes_[node].words);
      }
    }
    while (!pile.empty()) {
      const Set set = pile.back();
      pile.pop_back();
      if (!seen.insert(set).second) continue;
      for (const auto& [letter, rest] : words_.branches(set)) {
        if (!operations_[stuck].at_back || rest == WordSets::kEmptyWord) letters.insert(letter);
        if (operations_[stuck].at_back) pile.push_back(rest);
      }
    }
    std::vector<std::uint32_t> sorted(letters.begin(), letters.end());
    std::ranges::sort(sorted);
    return sorted;
  }
  // From the frontiers that have not passed the first `from` returns: does one get past the goal?
  Outcome go_again(std::uint32_t from, std::uint32_t goal) {
    covered_ = goal - 1;
    for (std::uint32_t group = from; group < groups_.size(); ++group) {
      for (const std::uint32_t node : groups_[group]) {
        numbers_.erase(nodes_[node].frontier);
      }
      groups_[group].clear();
    }
    if (from == 0) reach({}, WordSets::kEmptyWord, 0, {kNone, kNone});
    std::uint32_t group = from - std::min(from, FrontierOrder::kMostOpen);
    for (; group < goal && covered_ < goal && !is_spent(); ++group) expand(group);
    if (covered_ >= goal) return Outcome::kHolds;
    return gauge_.spent() ? Outcome::kUnknown : Outcome::kViolation;
  }

  Letters letters_;
  std::int64_t capacity_;
  absl::flat_hash_map<std::tuple<std::int64_t, Kind, bool>, std::uint32_t> labels_;
  const SearchLimits& limits_;
  BudgetGauge gauge_;
  WordSets words_;
  WordEnds ends_;
  FrontierOrder order_;
  std::vector<Operation> operations_;
  std::vector<Node> nodes_;
  std::vector<std::vector<std::uint32_t>> groups_;  // frontiers by how many returns they have passed
  absl::flat_hash_map<Frontier, std::uint32_t> numbers_;
  std::vector<std::uint32_t> enabled_;
  std::uint64_t met_ = 0;
  std::uint32_t covered_ = 0;  // so many returns
  std::uint32_t best_ = 0;     // the frontier that covers them
};

}  // namespace

DequeAnswer decide_deque(std::span<const DequeOp> operations, std::int64_t capacity,
                         const SearchLimits& limits) {
  return DequeSearch(operations, capacity, limits).run();
}

}  // namespace plumb
