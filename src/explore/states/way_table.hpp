// The states that a search has met: for each, with which threads it went on from there, how many preemptions were left when it did, and
// what the race detector knew. Sixteen bytes per state: 78 bits of its key, four per thread, and the number of a set (race_sets.hpp). Of
// fifty million states two have the same 78 bits once in 200 million searches. When the memory it may take is full, a state gives way to
// a new one: then it may be searched again, and nothing is lost.
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
  static constexpr unsigned kTouchesBits = 18;
  static constexpr std::uint32_t kMostTouches = 1U << kTouchesBits;  // as numbers of sets: smaller ones

  explicit WayTable(std::size_t bytes) : most_(std::bit_floor(std::max(bytes / sizeof(Entry), kLeast))) {}

  // Of each thread, most preemptions left plus one; 0: the search never went on with it from there.
  class Ways {
   public:
    [[nodiscard]] unsigned of(int thread) const { return bits_ >> shift(thread) & 0xFU; }
    void set(int thread, unsigned left_and_one) {
      bits_ = (bits_ & ~(0xFU << shift(thread))) | left_and_one << shift(thread);
    }
    // The touches that all of them were gone with; without any, and without threads, it begins.
    [[nodiscard]] std::uint32_t touches() const { return touches_; }
    void begin_anew(std::uint32_t touches) {
      bits_ = 0;
      touches_ = touches & (kMostTouches - 1);
    }

   private:
    static unsigned shift(int thread) { return static_cast<unsigned>(thread) * 4; }
    friend class WayTable;

    std::uint32_t bits_ = 0;
    std::uint32_t touches_ : kTouchesBits = 0;
    std::uint32_t high_ : 32 - kTouchesBits = 0;  // of the key
  };

  // Valid until the next one is asked for.
  Ways& at(const StateKey& key) {
    if (used_ * 8 >= entries_.size() * 5 && entries_.size() < most_) grow();
    const std::uint64_t low = key.low | 1U;  // an empty entry has 0
    const auto high = static_cast<std::uint32_t>(key.high >> (32U + kTouchesBits)) & kHighMask;
    std::size_t place = place_of(low);
    for (std::size_t probed = 0; probed < kMostProbes; ++probed, place = after(place)) {
      Entry& entry = entries_[place];
      if (entry.low == low && entry.ways.high_ == high) return entry.ways;
      if (entry.low != 0) continue;
      ++used_;
      begin(entry, low, high);
      return entry.ways;
    }
    Entry& given_up = entries_[(place_of(low) + (key.high >> 32U) % kMostProbes) & (entries_.size() - 1)];
    begin(given_up, low, high);
    return given_up.ways;
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
    Ways ways;
  };
  static_assert(sizeof(Entry) == 16);
  static constexpr std::uint32_t kHighMask = (1U << (32 - kTouchesBits)) - 1;
  static constexpr std::size_t kLeast = std::size_t{1} << 14U;  // however little memory it may take
  static constexpr std::size_t kFirst = 512;
  static constexpr std::size_t kMostProbes = 64;

  static void begin(Entry& entry, std::uint64_t low, std::uint32_t high) {
    entry = {low, {}};
    entry.ways.high_ = high & kHighMask;
  }
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
