// Decides all parts of a history: in parallel, in rounds, with early stop.
#pragma once

#include <cstddef>
#include <vector>

#include "check/part.hpp"
#include "check/part_executor.hpp"
#include "check/partition.hpp"
#include "check/plan.hpp"

namespace plumb {

struct DecideOptions {
  PartExecutor* executor = nullptr;  // decides the parts; by default, threads of this process do
  bool one_round = false;            // what the first does not decide is left at StopReason::kRound
  ReachedWatch* watch = nullptr;     // follows how far threads of this process have come
};

// One verdict per part. Parts that begin after the impossible return of a violation, and hard ones, may be left undecided; which
// ones does not depend on which thread was faster.
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

// The default limit for a search, in bytes: half of the machine's memory. Asked once: it is a system call.
[[nodiscard]] std::size_t default_memory();

}  // namespace plumb
