// How much is done with a scenario in one go: everything that the options ask for, all schedules within a bound, or walks at random.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <plumb/explore.hpp>

namespace plumb::testing {

struct Effort {
  enum class Kind : std::uint8_t {
    kAsTold,  // by the options
    kProof,   // every schedule within the bound
    kWalks,   // a slice of the portfolio
  };
  Kind kind = Kind::kAsTold;
  std::optional<unsigned> preemptions = std::nullopt;  // of a proof; none: any number
  MemoryModel memory_model = MemoryModel::kSequential;
  std::optional<std::uint64_t> executions = std::nullopt;  // at most so many, where the options say nothing
  unsigned round = 0;  // of walks: each is twice as long, with seeds of its own

  friend bool operator==(const Effort&, const Effort&) = default;
};

// The portfolio: what finds faults that lie deep without going through everything before. A slice of it is some executions of each:
// random walks, PCT of several depths, POS, SURW, and the beginning of a search with a low bound. Which of them finds a fault
// soonest differs from fault to fault by a factor of a hundred, and cannot be known before.
struct Walk {
  SearchOrder order = SearchOrder::kRandom;
  int depth = 0;             // of PCT
  unsigned preemptions = 0;  // of the search with a bound
  std::uint64_t executions = 0;
  std::uint64_t seed = 0;
};
[[nodiscard]] std::vector<Walk> portfolio(unsigned round, std::uint64_t seed);
// Under a weak memory model: random executions, each with a random consistent value wherever there are several.
[[nodiscard]] std::vector<Walk> walks_along_graphs(unsigned round, std::uint64_t seed);

}  // namespace plumb::testing
