// How a history is decided: how it is split, which engines are asked in which order, and why. A plan is made before anything is
// decided; then it is carried out, part by part, and reported.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "check/frontier/frontier.hpp"
#include "check/monitors/monitor.hpp"
#include "check/part.hpp"
#include "check/partition.hpp"

namespace plumb {

struct Plan {
  PartitionBy partition = PartitionBy::kObject;
  // For every part: the first that can decide it does. Empty: none can.
  std::vector<Engine> engines;
  const ModelMonitor* monitor = nullptr;       // where one of the engines is kMonitor
  const FamilyFrontiers* frontiers = nullptr;  // likewise kFrontier
  std::string why;                             // the first of the engines
};

// By default: the monitor of the model's family, if there is one; for what that cannot judge, the search by frontiers of the
// family, if there is one, in turns with the general search. Parts are objects and
// keys, unless a monitor judges all keys at once.
[[nodiscard]] Plan make_plan(const BoundHistory& history, const CheckOptions& options);

// Decides one part. `earlier` is what an earlier, shorter attempt said. What an engine found is audited before it is believed.
[[nodiscard]] PartVerdict decide_part(const Part& part, const Plan& plan, const SearchLimits& limits,
                                      const PartVerdict& earlier);

// The engines that decided, several where parts were decided differently; and the reason in words.
struct PlanSummary {
  std::vector<Engine> engines;
  std::string why;
};
[[nodiscard]] PlanSummary summarise(const Plan& plan, const BoundHistory& history,
                                    const CheckOptions& options, std::span<const PartVerdict> verdicts);

}  // namespace plumb
