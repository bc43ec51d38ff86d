// The states that a search has met: for each, with which threads it went on from there, and how many preemptions were left when it did.
// Sixteen bytes per state: 96 bits of its key, and four per thread. When the memory it may take is full, a state gives way to a new
// one: then it may be searched again, and nothing is lost.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "explore/huge_array.hpp"
#include "explore/states/state_key.hpp"

namespace plumb::engine {

class WayTable {
 public:
  static constexpr int kMostThreads = 8;
  static constexpr unsigned kMostLeft = 14;

  explicit WayTable(std::size_t bytes) : most_(std::bit_floor(std::max(bytes / sizeof(Entry), kLeast))) {}

  // Of each thread, most preemptions left plus one; 0: the search never went on with it from there.
  class Ways {
   public:
    explicit Ways(std::uint32_t& bits) : bits_(&bits) {}
    [[nodiscard]] unsigned of(int thread) const { return *bits_ >> shift(thread) & 0xFU; }
    void set(int thread, unsigned left_and_one) {
      *bits_ = (*bits_ & ~(0xFU << shift(thread))) | left_and_one << shift(thread);
    }

   private:
    static unsigned shift(int thread) { return static_cast<unsigned>(thread) * 4; }
    std::uint32_t* bits_;
  };

  // Valid until the next one is asked for.
  Ways at(const StateKey& key) {
    if (used_ * 8 >= entries_.size() * 5 && entries_.size() < most_) grow();
    const std::uint64_t low = key.low | 1U;  // an empty entry has 0
    const auto high = static_cast<std::uint32_t>(key.high);
    std::size_t place = place_of(low);
    for (std::size_t probed = 0; probed < kMostProbes; ++probed, place = after(place)) {
      Entry& entry = entries_[place];
      if (entry.low == low && entry.high == high) return Ways(entry.ways);
      if (entry.low != 0) continue;
      ++used_;
      entry = {low, high, 0};
      return Ways(entry.ways);
    }
    Entry& given_up = entries_[(place_of(low) + (key.high >> 32U) % kMostProbes) & (entries_.size() - 1)];
    given_up = {low, high, 0};
    return Ways(given_up.ways);
  }
  void prefetch(const StateKey& key) const { __builtin_prefetch(&entries_[place_of(key.low | 1U)]); }

  void clear() {
    HugeArray<Entry>(kFirst).swap(entries_);
    used_ = 0;
  }
  [[nodiscard]] std::size_t size() const { return used_; }

 private:
  struct Entry {
    std::uint64_t low;
    std::uint32_t high;
    std::uint32_t ways;
  };
  static constexpr std::size_t kLeast = std::size_t{1} << 14U;  // however little memory it may take
  static constexpr std::size_t kFirst = 512;
  static constexpr std::size_t kMostProbes = 64;

  [[nodiscard]] std::size_t place_of(std::uint64_t low) const { return low >> 16U & (entries_.size() - 1); }
  [[nodiscard]] std::size_t after(std::size_t place) const { return (place + 1) & (entries_.size() - 1); }
  void grow() {
    HugeArray<Entry> old(std::min(entries_.size() * 4, most_));
    old.swap(entries_);
    for (const Entry& entry : old) {
      if (entry.low == 0) continue;
      std::size_t place = place_of(entry.low);
      while (entries_[place].low != 0) place = after(place);
      entries_[place] = entry;
    }
  }

  std::size_t most_;  // entries
  std::size_t used_ = 0;
  HugeArray<Entry> entries_{kFirst};
};

}  // namespace plumb::engine
