// From a violation to the few operations that prove it.
#pragma once

#include <vector>

#include <plumb/explain.hpp>

#include "check/part.hpp"

namespace plumb {

struct Core {
  std::vector<Event> events;       // the core, up to the impossible return
  OperationId impossible = 0;      // whose return is the last event
  std::vector<Rule> rules;         // how the history becomes it
  std::vector<Reduction> dropped;  // and what went by each
  bool minimal = false;
  std::optional<OperationId>
      too_late;  // when this returned, the impossible result was possible for the last time
};

[[nodiscard]] Core find_core(const BoundHistory& history, const Violation& violation, const Budget& budget,
                             std::size_t memory);

}  // namespace plumb
