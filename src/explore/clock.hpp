// Vector clocks: one count a thread. Sixteen small numbers are two registers wide (signed, since every x86-64 has a maximum
// of those), and said so: of a loop over them neither compiler makes those two instructions by itself. A step ticks at most
// twice, and an execution has at most 15,000 steps, so they do not overflow.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>

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
    for (std::size_t i = 0; i < ticks.size(); i += kLanes) {
      const Lanes mine = lanes(i);
      const Lanes theirs = other.lanes(i);
      const Lanes most = mine > theirs ? mine : theirs;
      std::memcpy(&ticks[i], &most, sizeof most);
    }
  }
  // No thread of this clock is ahead of the other.
  bool before(const Clock& other) const {
    Lanes ahead{};
    for (std::size_t i = 0; i < ticks.size(); i += kLanes) ahead |= lanes(i) > other.lanes(i);
    std::array<std::uint64_t, 2> any{};
    std::memcpy(any.data(), &ahead, sizeof ahead);
    return (any[0] | any[1]) == 0;
  }

 private:
  using Lanes [[gnu::vector_size(16)]] = Tick;
  static constexpr std::size_t kLanes = sizeof(Lanes) / sizeof(Tick);

  Lanes lanes(std::size_t first) const {
    Lanes some;
    std::memcpy(&some, &ticks[first], sizeof some);
    return some;
  }
};

}  // namespace plumb::engine
