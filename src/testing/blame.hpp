// What is wrong with a history that has no serial witness, for a person: the one operation that could not return what it
// did, with what serial runs return there; else the serial history that comes closest.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "testing/observed_history.hpp"
#include "testing/serial_tree.hpp"

namespace plumb::testing {

struct Blame {
  std::optional<std::size_t> operation;  // with every other result as it was, this one is impossible
  std::vector<Value> allowed;            // what serial runs return instead; none: it blocks in all of them
  // The serial history that keeps the order and has the most results in common.
  std::vector<std::size_t> closest;
  std::vector<Value> closest_results;  // in the same order; not of one that blocks, which is the last
};

// `may_be_left_out`: operations that may fail and did, as bits; the closest history may be one without them.
[[nodiscard]] Blame find_blame(const SerialTree& tree, const Layout& layout, const ObservedHistory& observed,
                               std::uint64_t may_be_left_out);

}  // namespace plumb::testing
