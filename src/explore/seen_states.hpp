// What a search under a bound remembers: states and the thread that continued from there, each with the number of preemptions that
// were left, sixteen bytes apiece; and of the states themselves the enabled threads, twice that. When the memory it may take is full it only
// looks up: then states may be searched again, and nothing is lost.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include "explore/strategy.hpp"
#include "explore/trace_hash.hpp"

namespace plumb::engine {

// Entries, found by hashing. An Entry says where it belongs (place), whether it is empty, and whether it is about the same.
template <class Entry>
class Slots {
 public:
  explicit Slots(std::size_t bytes)
      : most_(bytes / sizeof(Entry)), slots_(std::bit_floor(std::clamp(most_, kLeast, kFirst))) {}

  // The entry that is about the same; or an empty one, to be filled, or null where there is no more room.
  Entry* find(const Entry& like) {
    if (used_ * 2 >= slots_.size() && slots_.size() * 2 <= most_) grow();
    Entry& found = at(like);
    if (!found.empty()) return &found;
    if (used_ * 8 >= slots_.size() * 7) return nullptr;
    ++used_;
    return &found;
  }
  const Entry* look_up(const Entry& like) {
    const Entry& found = at(like);
    return found.empty() ? nullptr : &found;
  }

 private:
  static constexpr std::size_t kLeast = 16;
  static constexpr std::size_t kFirst = 4096;

  Entry& at(const Entry& like) {
    for (std::size_t place = like.place();; ++place) {
      Entry& slot = slots_[place & (slots_.size() - 1)];
      if (slot.empty() || slot.same(like)) return slot;
    }
  }
  void grow() {
    std::vector<Entry> old(slots_.size() * 2);
    old.swap(slots_);
    for (const Entry& entry : old) {
      if (!entry.empty()) at(entry) = entry;
    }
  }

  std::size_t most_;
  std::size_t used_ = 0;
  std::vector<Entry> slots_;
};

// A state, at which there was something to choose or no longer is.
struct KnownState {
  Hash trace = 0;
  std::uint64_t rest = 0;      // what else it is known by
  std::uint32_t enabled = 0;   // threads
  std::uint32_t yielding = 0;  // of these, those that let others go first

  bool empty() const { return enabled == 0; }
  bool same(const KnownState& other) const { return trace == other.trace; }
  std::size_t place() const { return static_cast<std::size_t>(trace >> 64U); }
};

class SeenStates {
 public:
  explicit SeenStates(std::size_t bytes) : ways_(bytes / 2), states_(bytes / 2) {}

  // Whether the way was searched with at least so many preemptions left; if not, it counts as searched from now on.
  bool search(Hash way, int left) {
    const Way entry = way_of(way, left);
    Way* known = ways_.find(entry);
    if (known == nullptr) return false;
    if (!known->empty() && known->bits >= entry.bits && left <= kMostLeft) return true;
    *known = entry;
    return false;
  }
  bool searched(Hash way, int left) {
    const Way entry = way_of(way, left);
    const Way* known = ways_.look_up(entry);
    return known != nullptr && known->bits >= entry.bits && left <= kMostLeft;
  }

  void remember(const KnownState& state) {
    KnownState* known = states_.find(state);
    if (known != nullptr && known->empty()) *known = state;
  }
  const KnownState* state(Hash trace) { return states_.look_up({.trace = trace}); }

 private:
  static constexpr Hash kLeft = 0xFF;  // the last byte of an entry: preemptions left, and one
  static constexpr int kMostLeft = 200;

  struct Way {
    Hash bits = 0;

    bool empty() const { return bits == 0; }
    bool same(const Way& other) const { return ((bits ^ other.bits) & ~kLeft) == 0; }
    std::size_t place() const { return static_cast<std::size_t>(bits >> 64U); }
  };
  static Way way_of(Hash way, int left) {
    return {(way & ~kLeft) | static_cast<Hash>(std::min(left, kMostLeft) + 1)};
  }

  Slots<Way> ways_;
  Slots<KnownState> states_;
};

}  // namespace plumb::engine
