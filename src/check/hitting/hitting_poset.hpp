// A part as strong hitting families see it: operations partially ordered by "returns before the other is called", and a
// chain for each process. A process whose operations touch (one returns at the very time the next is called) has more than
// one, as operations that touch are concurrent.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "check/part.hpp"

namespace plumb {

struct HittingPoset {
  struct Operation {
    OperationId id;
    std::uint32_t chain;
    std::uint32_t call;  // position in the part
    std::uint32_t ret;   // past the end for a pending operation
    bool is_pending;
  };

  explicit HittingPoset(const Part& part);

  [[nodiscard]] std::size_t size() const { return operations.size(); }
  [[nodiscard]] bool precedes(std::uint32_t a, std::uint32_t b) const {
    return operations[a].ret < operations[b].call;
  }

  std::vector<Operation> operations;  // by call, which is a topological order
  std::uint32_t chains = 0;
};

// How concurrent it is: the most operations that are open at once, and the pairs that may come in either order.
struct Concurrency {
  std::size_t level = 0;
  std::uint64_t pairs = 0;
};
[[nodiscard]] Concurrency concurrency_of(const Part& part);

}  // namespace plumb
