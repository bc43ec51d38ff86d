// A state as 128 bits: the hash of all pieces of memory that it consists of (state_hash.hpp).
#pragma once

#include <cstddef>
#include <cstdint>

namespace plumb::engine {

struct StateKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const StateKey&) const = default;
};
struct StateKeyHash {
  std::size_t operator()(const StateKey& key) const { return key.low; }
};

}  // namespace plumb::engine
