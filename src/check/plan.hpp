// How a history is decided: how it is split, which engines are asked in which order, and why. A plan is made before anything is
// decided; then it is carried out, part by part, and told.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "check/monitors/monitor.hpp"
#include "check/part.hpp"
#include "check/partition.hpp"

namespace plumb {

struct Plan {
  PartitionBy partition = PartitionBy::kObject;
  // Of every part: the first that can decide it does. None: nobody can.
  std::vector<Engine> engines;
  const ModelMonitor* monitor = nullptr;  // where one of the engines is kMonitor
  std::string why;                        // the first of the engines
};

// By itself: the monitor of the model's family, if there is one, and the search for what that cannot judge. Parts are objects and
// keys, unless a monitor judges all keys at once.
[[nodiscard]] Plan make_plan(const BoundHistory& history, const CheckOptions& options);

// Decides one part. `earlier` is what an earlier, shorter try said. What an engine found is audited before it is believed.
[[nodiscard]] PartVerdict decide_part(const Part& part, const Plan& plan, const SearchLimits& limits,
                                      const PartVerdict& earlier);

// The engines that decided, "monitor", "wgl", "hitting", "brute", or "monitor+wgl" and "hitting+wgl" where parts were decided
// differently; and the reason in words.
struct PlanSummary {
  std::string engine;
  std::string why;
};
[[nodiscard]] PlanSummary summarise(const Plan& plan, const BoundHistory& history,
                                    const CheckOptions& options, std::span<const PartVerdict> verdicts);

}  // namespace plumb
