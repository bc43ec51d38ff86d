// An exploration by states: the search, and the run of the path that it found by the engine of schedules.
#pragma once

#include <optional>

#include "explore/observer.hpp"
#include "explore/program_runner.hpp"
#include "explore/standstill.hpp"
#include "explore/states/state_search.hpp"
#include "plumb/explore.hpp"

namespace plumb::engine {

// From now on each search that finds nothing is done once more without snapshots, and has to come to the very same states: for tests. Where
// it does not, that is said as what is beyond states.
void search_states_both_ways(bool both);

// The path to something that is wrong, which the execution of the runner has to show. `result` is what the search came to otherwise.
std::optional<std::vector<std::uint8_t>> search_states(ProgramRunner& runner, const ExploreOptions& options,
                                                       const Limits& limits, Observer* observer,
                                                       const Watch& watch, Exploration& result);

}  // namespace plumb::engine
