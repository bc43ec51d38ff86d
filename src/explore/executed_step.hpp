// A step that was taken: by which thread, and what it saw and left.
#pragma once

#include <cstddef>
#include <cstdint>

#include "runtime/step.hpp"

namespace plumb::engine {

struct ExecutedStep {
  int thread = 0;
  runtime::Step step;
  std::uint64_t before = 0;
  std::uint64_t after = 0;
  bool wrote = false;
};

// The choice of an outcome, which waiter is woken, within the step with this number.
struct DataChoice {
  std::size_t step = 0;
  std::uint8_t chosen = 0;
};

}  // namespace plumb::engine
