// States that were searched, each with the number of preemptions that were left: sixteen bytes apiece. When the memory it
// may take is full it only looks up: then states may be searched again, and nothing is lost.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "explore/trace_hash.hpp"

namespace plumb::engine {

class SeenStates {
 public:
  explicit SeenStates(std::size_t bytes)
      : most_(bytes / sizeof(Hash)), slots_(std::bit_floor(std::clamp(most_, kLeast, kFirst))) {}

  // Whether the state was searched with at least so many preemptions left; if not, it counts as searched now.
  bool searched(Hash state, int left) {
    if (used_ * 2 >= slots_.size() && slots_.size() * 2 <= most_) grow();
    const Hash entry = (state & ~kLeft) | static_cast<Hash>(std::min(left, kMostLeft) + 1);
    Hash& slot = find(entry);
    if (slot == 0) {
      if (used_ * 8 >= slots_.size() * 7) return false;
      ++used_;
    } else if (slot >= entry && left <= kMostLeft) {  // the same but for the last byte
      return true;
    }
    slot = entry;
    return false;
  }

 private:
  static constexpr std::size_t kLeast = 16;
  static constexpr std::size_t kFirst = 4096;
  static constexpr Hash kLeft = 0xFF;  // the last byte of an entry: preemptions left, and one
  static constexpr int kMostLeft = 200;

  Hash& find(Hash entry) {
    for (auto at = static_cast<std::size_t>(entry >> 64U);; ++at) {
      Hash& slot = slots_[at & (slots_.size() - 1)];
      if (slot == 0 || ((slot ^ entry) & ~kLeft) == 0) return slot;
    }
  }
  void grow() {
    std::vector<Hash> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Hash entry : old) {
      if (entry != 0) find(entry) = entry;
    }
  }

  std::size_t most_;
  std::size_t used_ = 0;
  std::vector<Hash> slots_;
};

}  // namespace plumb::engine
