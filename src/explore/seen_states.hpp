// What a search under a bound remembers of the states it has met: which threads were enabled, and with which of them it continued from
// there, with how many preemptions left. A state is one entry of half a cache line: a search does little else than to look such entries up, each
// somewhere else in a table that is larger than the caches. When the memory it may take is full it only looks up: then states may be
// searched again, and nothing is lost.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>

#include "explore/huge_array.hpp"
#include "explore/strategy.hpp"
#include "explore/trace_hash.hpp"

namespace plumb::engine {

class SeenStates {
 public:
  class State {
   public:
    // Whether the search went on with the thread and at least so many preemptions left; if not, it does from now on.
    bool search(int thread, int left) {
      if (searched(thread, left)) return true;
      if (holds(thread)) {
        std::uint8_t& way = ways_[static_cast<std::size_t>(thread)];
        way = static_cast<std::uint8_t>((way & kYields) | (std::min(left, kMostLeft + 1) + 1));
      }
      return false;
    }
    // However many are left, nothing else follows.
    void search_with_any(int thread) { (void)search(thread, kMostLeft + 1); }
    [[nodiscard]] bool searched(int thread, int left) const {
      return holds(thread) && left <= kMostLeft &&
             (ways_[static_cast<std::size_t>(thread)] & ~kYields) > left;
    }

    // Which threads are enabled; of these, those that let others go first.
    void remember(ThreadSet enabled, ThreadSet yielding) {
      if (enabled >> kThreads != 0) return;
      enabled_ = static_cast<std::uint16_t>(enabled);
      for (ThreadSet left = yielding; left != 0; left &= left - 1)
        ways_[static_cast<std::size_t>(lowest(left))] |= kYields;
    }
    [[nodiscard]] ThreadSet enabled() const { return enabled_; }  // 0: not known
    [[nodiscard]] bool yields(int thread) const {
      return (ways_[static_cast<std::size_t>(thread)] & kYields) != 0;
    }

   private:
    friend SeenStates;
    static constexpr int kThreads = 14;
    static constexpr std::uint8_t kYields = 0x80;
    static constexpr int kMostLeft = 100;

    // With the few threads beyond, each way is searched whenever it is come to.
    static bool holds(int thread) { return thread < kThreads; }
    [[nodiscard]] bool empty() const { return trace_ == 0; }

    std::uint64_t trace_;  // 80 bits of the trace, and 48 of what else the state is known by
    std::uint64_t rest_;
    std::uint16_t enabled_;
    std::array<std::uint8_t, kThreads> ways_;  // by thread: most preemptions left, and one; 0: never
  };
  static_assert(sizeof(State) == 32);

  explicit SeenStates(std::size_t bytes)
      : most_(bytes / sizeof(State)), states_(std::bit_floor(std::clamp(most_, kLeast, kFirst))) {}

  // The state that is known by the trace and the rest; null: there is no more room. Stays where it is until another one is asked for.
  State* state(Hash trace, std::uint64_t rest) {
    if (used_ * 2 >= states_.size() && states_.size() * 2 <= most_) grow();
    const std::uint64_t first = first_word(trace);
    const std::uint64_t second = second_word(trace, rest);
    for (std::size_t place = first;; ++place) {
      State& state = states_[place & (states_.size() - 1)];
      if (state.trace_ == first && state.rest_ == second) return &state;
      if (!state.empty()) continue;
      if (used_ * 8 >= states_.size() * 7) return nullptr;
      ++used_;
      state.trace_ = first;
      state.rest_ = second;
      return &state;
    }
  }
  // A state with that trace whose enabled threads are known, whatever else it is known by.
  [[nodiscard]] const State* known(Hash trace) const {
    const std::uint64_t first = first_word(trace);
    for (std::size_t place = first;; ++place) {
      const State& state = states_[place & (states_.size() - 1)];
      if (state.empty()) return nullptr;
      if (state.trace_ == first && (state.rest_ ^ second_word(trace, 0)) >> kRestBits == 0 &&
          state.enabled_ != 0)
        return &state;
    }
  }
  // It will be asked for soon.
  void prefetch(Hash trace) const { __builtin_prefetch(&states_[first_word(trace) & (states_.size() - 1)]); }

 private:
  static constexpr std::size_t kLeast = 16;
  static constexpr std::size_t kFirst = 256;
  static constexpr unsigned kRestBits = 48;

  static std::uint64_t first_word(Hash trace) { return static_cast<std::uint64_t>(trace >> 64U) | 1U; }
  static std::uint64_t second_word(Hash trace, std::uint64_t rest) {
    return static_cast<std::uint64_t>(trace) << kRestBits | rest * kOdd >> (64U - kRestBits);
  }
  static constexpr std::uint64_t kOdd = 0x9E37'79B9'7F4A'7C15;

  void grow() {
    HugeArray<State> old(states_.size() * 2);
    old.swap(states_);
    for (const State& state : old) {
      if (state.empty()) continue;
      std::size_t place = state.trace_;
      while (!states_[place & (states_.size() - 1)].empty()) ++place;
      states_[place & (states_.size() - 1)] = state;
    }
  }

  std::size_t most_;
  std::size_t used_ = 0;
  HugeArray<State> states_;
};

}  // namespace plumb::engine
