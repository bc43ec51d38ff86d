// What the options of an exploration ask of each execution: its limits, and whether it is surveyed.
#pragma once

#include "explore/execution.hpp"
#include "explore/observer.hpp"
#include "plumb/explore.hpp"

namespace plumb::engine {

// Where races are looked for, code without hooks may hide them: then the program is surveyed (survey.hpp), before a search and before
// these few of its executions.
bool has_surveys(const ExploreOptions& options, ExplorationMode mode);
bool is_survey_due(std::uint64_t number);
Limits limits_of(const ExploreOptions& options, const Observer* observer, ExplorationMode mode);

}  // namespace plumb::engine
