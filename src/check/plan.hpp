// Which engine decides a part, and why.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "check/part.hpp"
#include "check/partition.hpp"

namespace plumb {

// By object and, unless a monitor judges all keys at once, by key.
[[nodiscard]] PartitionBy choose_partition(const BoundHistory& history, const CheckOptions& options);

// Decides one part by the engine asked for; by itself, the monitor of the model if it can judge the part, else the
// search. `earlier` is what an earlier, shorter try said. Every linearization is replayed, every core of a monitor is
// refuted again by the search, before the verdict is believed.
[[nodiscard]] PartVerdict decide_part(const Part& part, Engine engine, const SearchLimits& limits,
                                      const PartVerdict& earlier);

// "monitor", "wgl", "hitting", "brute", or "monitor+wgl" where parts were decided differently, "hitting+wgl" where hitting
// families did not decide every part; and the reason in words.
struct PlanSummary {
  std::string engine;
  std::string why;
};
[[nodiscard]] PlanSummary summarise_plan(const BoundHistory& history, const CheckOptions& options,
                                         std::span<const PartVerdict> verdicts);

}  // namespace plumb
