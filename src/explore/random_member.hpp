// One of a set of threads (or outcomes), each with the same chance.
#pragma once

#include <bit>

#include "base/rng.hpp"
#include "explore/strategy.hpp"

namespace plumb::engine {

inline int random_member(ThreadSet set, Rng& random) {
  if (const ThreadSet second = set & (set - 1); single(second))  // the most common case by far
    return lowest(random.below(2) == 0 || second == 0 ? set : second);
  for (auto skip = random.below(static_cast<std::uint64_t>(std::popcount(set))); skip > 0; --skip)
    set &= set - 1;
  return lowest(set);
}

}  // namespace plumb::engine
