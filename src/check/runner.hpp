// DecideOptions all parts of a history: in parallel, in rounds, with early stop.
#pragma once

#include <cstddef>
#include <vector>

#include "check/part.hpp"
#include "check/part_crew.hpp"
#include "check/partition.hpp"
#include "check/plan.hpp"

namespace plumb {

struct DecideOptions {
  PartCrew* crew = nullptr;       // who decides; unless given, threads of this process
  bool one_round = false;         // what the first does not decide is left at StopReason::kRound
  ReachedWatch* watch = nullptr;  // told how far threads of this process have come
};

// One verdict a part. Parts that begin after the impossible return of a violation may be left undecided, and hard ones; which
// are does not depend on who was faster.
[[nodiscard]] std::vector<PartVerdict> decide_parts(const Plan& plan, const BoundHistory& history,
                                                    const Partition& partition, const CheckOptions& options,
                                                    const DecideOptions& how = {});

// The position, among all events, of the return that the violation of a part is about.
[[nodiscard]] std::uint32_t violated_at(const Part& part, const PartVerdict& verdict);

// Of the search in a part, where `workers` share the memory.
[[nodiscard]] SearchLimits search_limits(const CheckOptions& options, const Budget& budget,
                                         std::uint32_t rank, std::uint64_t configurations, unsigned workers);

// How far an undecided part has been explained, for sure: its next return, among its own events.
[[nodiscard]] std::uint32_t reached_in(const Part& part, const PartVerdict& verdict);

// Bytes for a search, unless the caller says: half of what the machine has. Asked once: it is a system call.
[[nodiscard]] std::size_t default_memory();

}  // namespace plumb
