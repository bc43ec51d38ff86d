// The plain relaxed search, for the verifier: tries every way to go on, place by place, and remembers where
// it has been. None of the reductions of the relaxed search, and none of its code.
#pragma once

#include <cstdint>
#include <span>

#include "check/relaxed/relaxed.hpp"

namespace plumb {

enum class RelaxedSwept : std::uint8_t { kPassed, kStuck, kGaveUp };

// Can the return of `impossible`, and every one before it, be passed? `settled`: and then nothing be left
// that stands in one of the orders only.
[[nodiscard]] RelaxedSwept sweep_relaxed(const BoundHistory& history, std::span<const Event> events,
                                         const RelaxedBounds& relaxation, OperationId impossible,
                                         bool settled, std::uint64_t most_configurations);

}  // namespace plumb
