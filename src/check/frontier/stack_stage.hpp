// One return of a stack's history: from the frontiers before it to those after it, by the rules of
// frontier_stack.hpp.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "check/frontier/stack_window.hpp"
#include "check/frontier/word_sets.hpp"

namespace plumb {

// A frontier between two returns: what it has of the open operations, and the stacks that it can have.
struct StackFrontier {
  std::uint64_t taken;
  WordSets::Set words;
};

class StackStage {
 public:
  // Before x, pops come before pushes: the stacks that only pops have led to are kept apart from the others.
  enum Phase : std::uint8_t { kPopping, kPushing };
  static constexpr std::array kPhases = {kPopping, kPushing};

  struct Entry {
    std::uint64_t taken;
    std::array<WordSets::Set, 2> words;  // by phase
  };
  // How stacks have come to an entry.
  struct Move {
    enum Kind : std::uint8_t {
      kBegin,  // they were there before this return; `from` is one of the frontiers given
      kPair,   // the same, with a push and x, which pops what it pushed
      kStep,   // one operation; `from` is an entry
    };
    Kind kind;
    Phase phase;  // of the entry they have come to
    std::uint32_t from;
    std::uint32_t op;
    std::uint32_t to;
  };

  // Of the limits, it keeps to the configurations (here: entries) and the memory.
  StackStage(const std::vector<StackOp>& ops, const StackWindow& window, WordSets& words, BudgetGauge& gauge,
             const SearchLimits& limits)
      : ops_(ops),
        window_(window),
        words_(words),
        gauge_(gauge),
        limits_(limits),
        buckets_(StackOp::kMostOpen + 1) {}

  // Up to `floor` elements from the bottom stay for good. Of pops of unknown result, at most so many are
  // taken.
  void run(std::span<const StackFrontier> before, std::uint32_t returns, std::int64_t floor,
           std::uint32_t most_anythings);
  // Notes the moves, too.
  void run_noting(std::span<const StackFrontier> before, std::uint32_t returns, std::int64_t floor,
                  std::uint32_t most_anythings) {
    notes_ = true;
    run(before, returns, floor, most_anythings);
    notes_ = false;
  }

  // Frontiers that have taken x: these are entries in the first phase.
  [[nodiscard]] std::span<const std::uint32_t> after() const { return after_; }
  [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
  [[nodiscard]] const std::vector<Move>& moves() const { return moves_; }
  // Entry of that frontier.
  [[nodiscard]] std::uint32_t entry(std::uint64_t taken) const { return slots_[slot_of(taken)] - 1; }
  // Some run has taken no more pops of unknown result, as these were too many.
  [[nodiscard]] bool held_back() const { return held_back_; }

 private:
  [[nodiscard]] bool is_spent();
  void reset(std::size_t expected);
  void begin(std::span<const StackFrontier> before);
  void go_on(std::uint32_t from);
  void take_other(std::uint32_t from, std::uint32_t op, std::uint64_t bit, WordSets::Set both);
  void reach(std::uint64_t taken, WordSets::Set words, Move move);
  [[nodiscard]] std::size_t slot_of(std::uint64_t taken) const;
  std::uint32_t find_or_add(std::uint64_t taken);
  [[nodiscard]] bool has_x(std::uint64_t taken) const { return (taken & window_.bit(x_)) != 0; }

  const std::vector<StackOp>& ops_;
  const StackWindow& window_;
  WordSets& words_;
  BudgetGauge& gauge_;
  const SearchLimits& limits_;
  std::uint32_t x_ = 0;
  std::int64_t floor_ = 0;
  int most_anythings_ = 0;
  bool held_back_ = false;
  bool notes_ = false;
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_;                 // open addressing: entries, from 1; 0: free
  std::vector<std::vector<std::uint32_t>> buckets_;  // entries without x, by how much they have taken
  std::vector<std::uint32_t> after_;
  std::vector<Move> moves_;
};

}  // namespace plumb
