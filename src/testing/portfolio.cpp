#include <algorithm>

#include <plumb/detail/mix.hpp>

#include "testing/effort.hpp"

namespace plumb::testing {
namespace {

constexpr std::uint64_t kFirstSlice = 32;  // executions of each
constexpr unsigned kMostDoublings = 10;    // then slices stay as they are

}  // namespace

std::vector<Walk> portfolio(unsigned round, std::uint64_t seed) {
  const std::uint64_t executions = kFirstSlice << std::min(round, kMostDoublings);
  std::vector<Walk> walks = {
      {.order = SearchOrder::kRandom, .executions = 2 * executions},
      {.order = SearchOrder::kSurw, .executions = 2 * executions},
      {.order = SearchOrder::kPos, .executions = executions},
      {.order = SearchOrder::kPct, .depth = 2, .executions = executions / 4},
      {.order = SearchOrder::kPct, .depth = 3, .executions = executions / 2},
      {.order = SearchOrder::kPct, .depth = 5, .executions = executions / 2},
      {.order = SearchOrder::kReduced, .preemptions = 2, .executions = executions},
  };
  for (Walk& walk : walks) walk.seed = detail::mix(detail::mix(0, seed), round);
  return walks;
}

std::vector<Walk> walks_along_graphs(unsigned round, std::uint64_t seed) {
  constexpr std::uint64_t kShare = 8;  // as many as all of the portfolio
  return {{.order = SearchOrder::kRandom,
           .executions = kShare * (kFirstSlice << std::min(round, kMostDoublings)),
           .seed = detail::mix(detail::mix(0, seed), round)}};
}

}  // namespace plumb::testing
