// The search of an exploration under a weak memory model: by execution graphs.
#pragma once

#include <optional>
#include <string>

#include "explore/observer.hpp"
#include "explore/program_runner.hpp"
#include "explore/standstill.hpp"

namespace plumb::engine {

// Why such a search cannot do what the options ask; none: it can.
std::optional<std::string> no_graphs_for(const ExploreOptions& options, const Observer* observer);

// Runs executions until all were run, a limit is met or something is found, and reports that. `replayed`: the choices of one execution,
// which is run instead.
void explore_graphs(ProgramRunner& runner, const ExploreOptions& options, const Watch& watch,
                    const std::optional<Schedule>& replayed, Exploration& result);

}  // namespace plumb::engine
