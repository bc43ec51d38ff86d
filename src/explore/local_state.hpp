// What a thread at a step keeps for itself: the registers that outlive a call, and its stack, as a hash. A thread that comes to
// the same step with the same of it, and has read nothing that changed and changed nothing since, does the same once more.
#pragma once

#include <cstdint>

namespace plumb::engine {

// `pc`: the return address of the hook at which the calling fiber or thread stands. Zero: that is not among its callers.
std::uint64_t local_state(int thread, const void* pc);

}  // namespace plumb::engine
