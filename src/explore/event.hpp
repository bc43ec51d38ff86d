// A step that was taken: by whom, and what it saw and left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/step.hpp"

namespace plumb::engine {

struct Event {
  int thread = 0;
  runtime::Step step;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  bool wrote = false;
};

// The choice of an outcome, which waiter is woken, within the step that became this event.
struct OutcomeOf {
  std::size_t event = 0;
  std::uint8_t chosen = 0;
};

}  // namespace plumb::engine
