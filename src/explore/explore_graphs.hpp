// The search of an exploration under a weak memory model: by execution graphs.
#pragma once

#include <optional>
#include <string>

#include "explore/observer.hpp"
#include "explore/program_runner.hpp"
#include "explore/standstill.hpp"

namespace plumb::engine {

// Why such a search cannot do what the options ask; none: it can.
std::optional<std::string> no_graphs_for(const ExploreOptions& options);

// For tests: graphs are those of sequential consistency, which strategies explore, too.
void search_sequential_graphs(bool sequential);

// Runs executions until all were run, a limit is met or something is found, and reports that. `replayed`: the choices of one execution,
// which is run instead. `observer`: judges each that has ended; may be null.
void explore_graphs(ProgramRunner& runner, const ExploreOptions& options, Observer* observer,
                    const Watch& watch, const std::optional<Schedule>& replayed, Exploration& result);

}  // namespace plumb::engine
