// Of the steps of one execution, which had to come before which: those of one thread, those that do not commute, and what
// starts and ends threads; the same notion as that of the reductions (trace_hash.hpp). All other orders of the steps are
// executions, too, with the same results. So who judges histories need not have them run: it is enough to know which
// calls and returns had to come before which, and to run the one order that is to be shown.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "explore/clock.hpp"
#include "explore/event.hpp"
#include "explore/observer.hpp"
#include "explore/strategy.hpp"

namespace plumb::engine {

class StepOrder {
 public:
  // Takes over an execution that has ended.
  void set(const std::vector<Event>& events, const std::vector<OutcomeOf>& outcomes);
  // By operation. An operation is called with its first step, and returns with its last.
  const std::vector<Causes>& causes() const { return causes_; }
  // Runs the same steps with the calls and returns in this order, which must be one that the causes allow.
  std::unique_ptr<Strategy> follow(std::span<const OperationEvent> order) const;

 private:
  static constexpr std::size_t kNone = ~std::size_t{0};

  // Events that follow each other at once, whatever the order: a point with what the thread did before its next one; and a
  // call with the first step of its operation, if nobody came between.
  struct Stretch {
    std::size_t begin = 0;  // events
    std::size_t end = 0;
    int thread = 0;
    Clock clock;  // how many stretches of each thread come before it, itself included
  };
  // Where steps met, with the last that may have changed it, and those that read it since.
  struct Place {
    const void* address = nullptr;
    unsigned size = 0;
    Clock change;
    Clock reads;
  };
  // The stretches of an operation.
  struct Interval {
    std::size_t call = kNone;
    std::size_t first = kNone;
    std::size_t last = kNone;
    bool returned = false;
  };

  void find_stretches();
  void order(Stretch& stretch);
  template <class F>
  void each_place(const Stretch& stretch, F f) const;
  void meet(const void* address, unsigned size, bool writes, Clock& clock) const;
  void leave(const void* address, unsigned size, bool writes, const Clock& clock);
  void note_operations(std::size_t stretch);
  void find_causes();
  bool comes_before(std::size_t a, std::size_t b) const {
    const int thread = stretches_[a].thread;
    return stretches_[a].clock[thread] <= stretches_[b].clock[thread];
  }

  std::vector<Event> events_;
  std::vector<OutcomeOf> outcomes_;
  std::vector<Stretch> stretches_;
  std::vector<Place> places_;
  std::array<Clock, kMaxThreads> now_{};      // of each thread
  std::array<Clock, kMaxThreads> started_{};  // by what
  ThreadSet begun_ = 0;
  ThreadSet created_ = 0;                          // by the code under test; others by the program
  std::array<std::size_t, kMaxThreads> inside_{};  // the operation that the thread is in
  std::vector<Interval> intervals_;                // by operation
  std::vector<Causes> causes_;
};

}  // namespace plumb::engine
