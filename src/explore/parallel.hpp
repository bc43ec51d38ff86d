// A search in several processes. The tree of choices is cut at some depth, in the order in which one process would walk it;
// workers, which are forks of this process, take one part after the other. What is added up and what is found is what one
// process would have counted and found: parts after the first finding do not count. A worker that dies has found a crash,
// with the choices that led to it.
//
// Not by src/work, whose pieces are messages: here the workers share memory, so that the choices of one that crashes are
// there, the first finding stops the others in the middle of a part, and the engine needs no other library.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "explore/execution.hpp"
#include "plumb/explore.hpp"
#include "runtime/watchdog.hpp"

namespace plumb::engine {

struct Counts {
  std::uint64_t executions = 0;
  std::uint64_t pruned = 0;
  std::uint64_t steps = 0;
  bool held_back = false;  // as Execution::held_back()

  Counts& operator+=(const Counts& other) {
    executions += other.executions;
    pruned += other.pruned;
    steps += other.steps;
    held_back |= other.held_back;
    return *this;
  }
};

struct ParallelLimits {
  unsigned jobs = 2;
  std::optional<std::uint64_t> executions = std::nullopt;  // of all together, and a few more; none: no limit
  Seconds watchdog{5};
  std::function<runtime::WatchTerms()> watch;                       // for what is left of the time
  std::function<std::string(const runtime::Standstill&)> standing;  // which thread is where, in a sentence
};

struct ParallelResult {
  Counts counts;
  SearchEnd ended_by = SearchEnd::kExhausted;
  std::string standing;  // the thread that did not come to an end
  bool died = false;     // the finding is the death of a worker: to run it again would end this process
  Finding finding;
  Schedule schedule;  // of the finding
};

// `make` makes a strategy that can be split (strategy.hpp).
ParallelResult search_in_parallel(Execution& execution,
                                  const std::function<std::unique_ptr<Strategy>()>& make,
                                  const ParallelLimits& limits);

}  // namespace plumb::engine
