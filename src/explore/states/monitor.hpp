// What judges the results of operations while they come, as a part of a state: all that it remembers of the calls and returns so far is one
// number, and equal numbers mean the same for whatever may follow. Line-Up's is a set of configurations (testing/set_monitor.hpp).
#pragma once

#include <cstdint>

namespace plumb::engine {

class Monitor {
 public:
  using State = std::uint32_t;
  static constexpr State kViolation = ~State{0};

  Monitor() = default;
  Monitor(const Monitor&) = delete;
  Monitor& operator=(const Monitor&) = delete;
  virtual ~Monitor() = default;

  [[nodiscard]] virtual State initial() = 0;
  // The operation returns this. `open`: the operations that are, this one among them, as bits.
  [[nodiscard]] virtual State returned(State before, std::uint64_t open, std::uint32_t operation,
                                       std::uint64_t result) = 0;
  // Whether it is all right that no thread can go on. `open`: the operations that never return; perhaps none.
  [[nodiscard]] virtual bool may_stop(State state, std::uint64_t open) = 0;
  // No operation may wait for another thread.
  [[nodiscard]] virtual bool forbids_waiting() const { return false; }
};

}  // namespace plumb::engine
