// Pauses of real threads: outside of explorations, a thread that asked for it stops for a moment at some of its steps, so that others
// meet it in the middle of what it does.
#pragma once

#include <cstdint>

namespace plumb::runtime {

extern constinit thread_local std::uint32_t t_until_pause
    __attribute__((tls_model("initial-exec")));  // steps; 0: never

// Of the calling thread: one in `mean` steps, on average; 0: none any more. After some hundreds of them it goes on undisturbed: where the
// machine has much else to do, each may take long.
void set_pauses(std::uint32_t mean, std::uint64_t seed);
void pause_now();

// A step that is not explored.
inline void maybe_pause() {
  if (__builtin_expect(static_cast<long>(t_until_pause != 0), 0) != 0 && --t_until_pause == 0) pause_now();
}

}  // namespace plumb::runtime
