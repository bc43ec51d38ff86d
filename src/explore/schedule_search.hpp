// The loop over executions: runs what the strategy picks, asks the observer about each, until the strategy has no more, a limit is met, or
// something is found. Where a processor is idle and the strategy can be split, a part of it goes to another process (search_parts.hpp).
#pragma once

#include <chrono>
#include <unordered_set>

#include "explore/observer.hpp"
#include "explore/program_runner.hpp"
#include "explore/search_parts.hpp"
#include "explore/searched_part.hpp"
#include "explore/standstill.hpp"
#include "explore/strategy.hpp"
#include "plumb/explore.hpp"

namespace plumb::engine {

class ScheduleSearch final : private SplitSearch {
 public:
  ScheduleSearch(ProgramRunner& runner, Strategy& strategy, const ExploreOptions& options, Observer* observer,
                 const Watch& watch, Exploration& result);

  // True: something was found, and the runner's execution shows it.
  bool run();

 private:
  [[nodiscard]] SearchedTo search_round();
  [[nodiscard]] Execution::End run_one();
  [[nodiscard]] bool limit_met();
  [[nodiscard]] bool survey();

  [[nodiscard]] SearchedTo search_last_part() override;
  void complete(SearchedPart& part) override;
  void note(const SearchedPart& part) override;
  [[nodiscard]] bool find_again(const Schedule& choices) override;

  ProgramRunner& runner_;
  Strategy& strategy_;
  const ExploreOptions& options_;
  Observer* observer_;
  const Watch& watch_;
  Exploration& result_;
  SearchParts parts_;
  std::uint64_t limit_;
  std::uint64_t runs_ = 0;
  std::unordered_set<std::uint64_t> traces_;
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

// Asks the observer about the execution that has ended; a finding that another order of its steps shows is run in that order.
Execution::End judge(ProgramRunner& runner, Observer& observer, Execution::End end);
// Of an execution that was interrupted.
void tell_cut_off(const ProgramRunner& runner, const Observer* observer, const Watch& watch,
                  Exploration& result);

}  // namespace plumb::engine
