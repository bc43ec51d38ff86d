// Vector clocks: one count a thread. Sixteen small numbers are two registers wide (signed, since every x86-64 has a maximum
// of those); a step ticks at most twice, and an execution has at most 15,000 steps, so they do not overflow.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

#include "runtime/control.hpp"

namespace plumb::engine {

using runtime::kMaxThreads;
using Tick = std::int16_t;
constexpr std::uint64_t kMaxSteps = 15'000;

struct Clock {
  std::array<Tick, kMaxThreads> ticks{};

  Tick& operator[](int thread) { return ticks[static_cast<std::size_t>(thread)]; }
  Tick operator[](int thread) const { return ticks[static_cast<std::size_t>(thread)]; }
  void join(const Clock& other) {
    for (std::size_t i = 0; i < ticks.size(); ++i) ticks[i] = std::max(ticks[i], other.ticks[i]);
  }
  // No thread of this clock is ahead of the other.
  bool before(const Clock& other) const {
    bool ahead = false;
    for (std::size_t i = 0; i < ticks.size(); ++i) ahead |= ticks[i] > other.ticks[i];
    return !ahead;
  }
};

}  // namespace plumb::engine
