// What a thread at a step keeps for itself: the registers that outlive a call, and its stack, as a hash. A thread that comes to
// the same step with the same of it, and has read nothing that changed and changed nothing since, does the same once more.
#pragma once

#include <cstdint>

#include "runtime/step.hpp"

namespace plumb::engine {

struct LocalState {
  std::uint64_t all = 0;            // zero: what called the hook is not among its callers
  std::uint64_t but_for_times = 0;  // the same without what looks like the time
};

// The calling fiber or thread stands at the step. To tell what looks like the time takes several times as long as all else: it need not be told.
enum class Times : std::uint8_t { kAlsoLeftOut, kKept };
LocalState local_state(int thread, const runtime::Step& step, Times times = Times::kAlsoLeftOut);

}  // namespace plumb::engine
