// The search of stacks, from return to return, and back along the order that was found.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "check/frontier/frontier_stack.hpp"
#include "check/frontier/stack_stage.hpp"
#include "check/frontier/stack_window.hpp"
#include "check/frontier/traced_word.hpp"
#include "check/frontier/word_sets.hpp"

namespace plumb {

class StackSearch {
 public:
  // Of pops of unknown result, at most so many are taken at a time.
  StackSearch(std::span<const StackOp> ops, const SearchLimits& limits, std::uint32_t most_anythings);
  StackSearch(const StackSearch&) = delete;
  StackSearch& operator=(const StackSearch&) = delete;

  StackAnswer run();
  // A violation that may be none with more pops of unknown result; nothing but the outcome is told of it.
  [[nodiscard]] bool held_back() const { return stage_.held_back(); }

 private:
  struct StackEvent {
    std::uint32_t position;
    std::uint32_t op;
    bool returns;
  };

  void list_events();
  void find_floors();
  [[nodiscard]] std::span<const StackFrontier> before(std::size_t ret) const;

  // Through the events up to this one; false where a return is stuck, or the budget is spent.
  bool search();
  bool pass(std::uint32_t op);
  [[nodiscard]] std::uint32_t next_to_return() const;
  void mind_limits();
  // The window alone, forth or back.
  void go_to(std::size_t event);

  void find_allowed(StackAnswer& answer);
  std::vector<std::uint32_t> candidates(std::size_t call, std::size_t ret, StackAnswer& answer);
  bool gets_past(std::size_t call, std::size_t ret, std::vector<std::uint32_t>* tops);
  void note_tops(std::vector<std::uint32_t>& tops) const;

  // Of all that returned so far.
  std::vector<std::uint32_t> trace();
  void trace_return(std::span<const StackFrontier> before, std::uint32_t op, TracedWord& word,
                    std::uint64_t& taken, std::vector<std::uint32_t>& back);
  [[nodiscard]] bool came_by(std::span<const StackFrontier> before, const StackStage::Move& move,
                             TracedWord& word, StackStage::Phase& phase) const;

  std::vector<StackOp> ops_;
  const SearchLimits& limits_;
  std::uint32_t most_anythings_;
  BudgetGauge gauge_;
  WordSets words_;
  StackWindow window_;
  StackStage stage_;
  std::vector<StackEvent> events_;
  std::vector<std::int64_t> floors_;  // by event: so many elements stay for good
  std::size_t at_ = 0;                // events gone through
  std::vector<StackFrontier> frontiers_;
  std::vector<StackFrontier> kept_;  // those before each return, one after another
  std::vector<std::size_t> begins_;  // of a return in kept_
  std::uint64_t met_ = 0;
};

}  // namespace plumb
