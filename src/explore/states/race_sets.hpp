// Sets of touches (race_state.hpp), numbered: what the race detector knew at a state whenever the search went on from there, in one
// number. Where that covers what it knows now, no race is behind the state that was not looked for; else both together are to be looked for
// from now on. Which set covers which, and what two come to, is worked out once and asked for again and again.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "explore/states/race_state.hpp"
#include "explore/states/state_key.hpp"

namespace plumb::engine {

class RaceSets {
 public:
  using Number = std::uint32_t;
  static constexpr Number kEmpty = 0;

  RaceSets() { (void)number({}); }

  Number number(std::span<const Touch> touches);
  [[nodiscard]] const std::vector<Touch>& of(Number set) const { return sets_[set]; }
  [[nodiscard]] std::size_t size() const { return sets_.size(); }
  // Of a set, in whatever order its touches are; the same in all searches of a machine.
  [[nodiscard]] static StateKey key_of(std::span<const Touch> touches);
  // All that follows from either of them: `a` itself, if that covers b.
  Number both(Number a, Number b);

 private:
  // Of the key, 96 bits are enough: there are a few hundred thousand sets at most.
  struct Entry {
    std::uint64_t low = 0;
    std::uint32_t high = 0;
    Number number_and_one = 0;  // 0: none
  };
  struct Answer {
    Number a = 0;
    Number b = 0;
    Number both = 0;
  };
  static constexpr std::size_t kAnswers = std::size_t{1} << 14U;

  [[nodiscard]] Entry& find(std::uint64_t low, std::uint32_t high) {
    for (std::size_t at = low;; ++at) {
      Entry& entry = numbers_[at & (numbers_.size() - 1)];
      if (entry.number_and_one == 0 || (entry.low == low && entry.high == high)) return entry;
    }
  }
  void grow();
  Number add(std::span<const Touch> touches, std::uint64_t low, std::uint32_t high);
  [[nodiscard]] Number work_out(Number a, Number b);

  std::vector<std::vector<Touch>> sets_;
  std::vector<Entry> numbers_ = std::vector<Entry>(1024);        // found by hashing
  std::vector<Answer> answers_ = std::vector<Answer>(kAnswers);  // the last of those with the same hash
};

}  // namespace plumb::engine
