// A step that was taken: by whom, and what it saw and left.
#pragma once

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

}  // namespace plumb::engine
