// A search of graphs in several processes: forks of this one, which take one part after the other. A part is an item of the search as it was
// when they began; items do not depend on each other. What is counted and found is what one process would have counted and found:
// parts behind the first finding do not count.
//
// Unlike searches of schedules (parallel.hpp) it needs no depth at which to cut, and its results hold outcomes, so they come by pipes.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "explore/parallel.hpp"
#include "explore/schedule.hpp"
#include "explore/standstill.hpp"

namespace plumb::engine {

struct PartOfGraphs {
  enum class End : std::uint8_t {
    kNotRun,
    kComplete,
    kFinding,  // `choices` lead to it
    kCutOff,   // a limit came first
    kRestart,  // something was learnt of the program: the whole search has to begin anew
    kDied,     // the process, with `message`
  } end = End::kNotRun;
  Counts counts = {};
  std::map<std::string, std::uint64_t> outcomes = {};
  Schedule choices = {};
  std::string message = {};
};

struct GraphWork {
  std::size_t parts = 0;
  unsigned jobs = 2;
  Seconds watchdog{5};
  // In a worker. It asks now and then whether the part is still wanted, and says how many executions were run since.
  using IsWanted = std::function<bool(std::uint64_t executions)>;
  std::function<PartOfGraphs(std::size_t part, const IsWanted& is_wanted)> search;
  std::uint64_t executions = ~std::uint64_t{0};  // of all together, and a few more
};

struct GraphWorkDone {
  std::vector<PartOfGraphs> parts;  // up to the first that did not end as complete
  SearchEnd ended_by = SearchEnd::kExhausted;
};
GraphWorkDone search_parts(Execution& execution, const Watch& watch, const GraphWork& work);

}  // namespace plumb::engine
