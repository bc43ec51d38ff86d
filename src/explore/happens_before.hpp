// Happens-before, of the steps of one execution: which had to come before which, those of one thread, those that do not commute, and what
// starts and ends threads; the same notion as that of the reductions (trace_hash.hpp). All other orders of the steps are
// executions, too, with the same results. So an observer that judges histories need not have them run: it is enough to know which
// calls and returns had to come before which, and to run the one order that is to be shown.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "explore/clock.hpp"
#include "explore/executed_step.hpp"
#include "explore/observer.hpp"
#include "explore/strategy.hpp"

namespace plumb::engine {

class HappensBeforeGraph {
 public:
  // Takes over an execution that has ended.
  void set(const std::vector<ExecutedStep>& steps, const std::vector<DataChoice>& data_choices);
  // By operation. An operation is called with its first step, and returns with its last.
  const std::vector<HappensBefore>& happens_before() const { return happens_before_; }
  // Runs the same steps with the calls and returns in this order, which must be one that the happens_before allow.
  std::unique_ptr<Strategy> follow(std::span<const OperationEvent> order) const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // Steps that follow each other at once, whatever the order: a scheduling point with what the thread did before its next one; and a
  // call with the first step of its operation, if no other came between.
  struct StepBlock {
    std::size_t begin = 0;  // steps
    std::size_t end = 0;
    int thread = 0;
    Clock clock;  // how many blocks of each thread come before it, itself included
  };
  // Where steps met, with the last that may have changed it, and those that read it since.
  struct Place {
    const void* address = nullptr;
    unsigned size = 0;
    Clock change;
    Clock reads;
  };
  // The blocks of an operation.
  struct Interval {
    std::size_t call = kNone;
    std::size_t first = kNone;
    std::size_t last = kNone;
    bool returned = false;
  };

  void find_blocks();
  void order(StepBlock& block);
  template <class F>
  void each_place(const StepBlock& block, F f) const;
  void join_conflicting(const void* address, unsigned size, bool writes, Clock& clock) const;
  void note_access(const void* address, unsigned size, bool writes, const Clock& clock);
  void note_operations(std::size_t block);
  void find_happens_before();
  bool comes_before(std::size_t a, std::size_t b) const {
    const int thread = blocks_[a].thread;
    return blocks_[a].clock[thread] <= blocks_[b].clock[thread];
  }

  std::vector<ExecutedStep> steps_;
  std::vector<DataChoice> data_choices_;
  std::vector<StepBlock> blocks_;
  std::vector<Place> places_;
  std::array<Clock, kMaxThreads> now_{};      // of each thread
  std::array<Clock, kMaxThreads> started_{};  // by what
  ThreadSet begun_ = 0;
  ThreadSet created_ = 0;                             // by the code under test; others by the program
  std::array<std::size_t, kMaxThreads> operation_{};  // the operation that the thread is in
  std::vector<Interval> intervals_;                   // by operation
  std::vector<HappensBefore> happens_before_;
};

}  // namespace plumb::engine
