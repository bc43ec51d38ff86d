#include "runtime/pause.hpp"

#include <sys/syscall.h>

#include "base/rng.hpp"
#include "runtime/real.hpp"

namespace plumb::runtime {

constinit thread_local std::uint32_t t_until_pause = 0;

namespace {

constexpr std::uint32_t kMostPauses = 400;
constexpr std::uint64_t kMostTurns = 4'000;  // of a pause that keeps the core: up to a microsecond or two

thread_local Rng t_random{0};
thread_local std::uint32_t t_mean = 0;
thread_local std::uint32_t t_left = 0;  // pauses

void draw_next() {
  t_until_pause = 1 + static_cast<std::uint32_t>(t_random.below(2 * std::uint64_t{t_mean} - 1));
}

}  // namespace

void set_pauses(std::uint32_t mean, std::uint64_t seed) {
  t_random = Rng(seed);
  t_mean = mean;
  t_until_pause = 0;
  t_left = kMostPauses;
  if (mean != 0) draw_next();
}

// Half of the time the core goes to another thread: where there are more threads than cores, that is how they meet.
void pause_now() {
  if (t_random.below(2) == 0) {
    raw_syscall(SYS_sched_yield);
  } else {
    for (std::uint64_t turn = t_random.below(kMostTurns); turn > 0; --turn) asm volatile("");
  }
  if (--t_left > 0) draw_next();
}

}  // namespace plumb::runtime
