// Scenarios by their shape, so many threads with so many operations each: all there are up to symmetry, or, where there are too many,
// some of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "testing/scenario.hpp"

namespace plumb::testing {

struct Shape {
  std::size_t threads = 0;
  std::size_t operations = 0;  // per thread

  friend bool operator==(const Shape&, const Shape&) = default;
};
[[nodiscard]] std::string to_text(Shape shape);  // "2x3"

struct OfShape {
  std::vector<Scenario> scenarios;
  std::size_t existing = 0;  // of this shape, up to the names of threads and values; 0: too many to count
};
// All that there are, up to symmetry; where these are more than `most`, as many of them, drawn.
[[nodiscard]] OfShape of_shape(const TestCase& test, Shape shape, std::size_t most, std::uint64_t seed);

// Those that overlap many different operations first: there faults show soonest.
void sort_by_variety(std::vector<Scenario>& scenarios, const TestCase& test);

// Pairs of operations of the test that different threads of the scenario call, the smaller number first; sorted.
using OperationPair = std::pair<std::uint16_t, std::uint16_t>;
[[nodiscard]] std::vector<OperationPair> operation_pairs(const Scenario& scenario, const TestCase& test);

}  // namespace plumb::testing
