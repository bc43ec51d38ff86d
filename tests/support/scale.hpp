// How much the long tests do: PLUMB_TEST_SCALE, 1 unless set. Below 1 (sanitizers) they take a fixed sample,
// above 1 (soak) they do more.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstdlib>

#include "base/rng.hpp"

namespace plumb::test {

inline double test_scale() {
  const char* text = std::getenv("PLUMB_TEST_SCALE");  // NOLINT(concurrency-mt-unsafe)
  const double scale = text == nullptr ? 1.0 : std::atof(text);
  return scale > 0 ? scale : 1.0;
}

// `count` scaled, at least 1.
inline std::size_t scaled(std::size_t count) {
  return std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(count) * test_scale()));
}

// Whether the item with this number is in the sample that holds this share of all; the same on every run.
inline bool in_sample(std::uint64_t number, double share) {
  return share >= 1.0 || Rng(number).chance(share);
}

}  // namespace plumb::test
