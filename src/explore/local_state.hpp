// What a thread at a step keeps for itself: the registers that outlive a call, and its stack, as a hash. A thread that comes to
// the same step with the same of it, and has read nothing that changed and changed nothing since, does the same once more.
#pragma once

#include <cstdint>

#include "runtime/step.hpp"

namespace plumb::engine {

enum class Keep : std::uint8_t { kAll, kAllButTimes };

// The calling fiber or thread stands at the step. Zero: what called the hook is not among its callers.
std::uint64_t local_state(int thread, const runtime::Step& step, Keep keep);

}  // namespace plumb::engine
