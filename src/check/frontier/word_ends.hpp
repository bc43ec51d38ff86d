// Sets of words (word_sets.hpp) that change at their other end, too: what a deque may hold, the front first.
//
// At the end of a word, all of its sets change, from the last to the first. What a set becomes is kept, so that sets with
// much in common, as those of one moment are, cost little more than one of them.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include "check/frontier/word_sets.hpp"

namespace plumb {

class WordEnds {
 public:
  using Set = WordSets::Set;

  // Letters are below 2^30.
  explicit WordEnds(WordSets& sets) : sets_(sets) {}

  // Every word with this letter behind it.
  [[nodiscard]] Set put(Set set, std::uint32_t letter) { return change(set, letter, kPut); }
  // The words that end with this letter, without it.
  [[nodiscard]] Set before(Set set, std::uint32_t letter) { return change(set, letter, kTake); }
  // The words without their last letter, whatever it is.
  [[nodiscard]] Set before_any(Set set) { return change(set, 0, kTakeAny); }

  [[nodiscard]] std::size_t bytes() const {
    return known_.capacity() * (sizeof(std::pair<std::uint64_t, Set>) + 1);
  }

 private:
  enum Change : std::uint8_t { kPut, kTake, kTakeAny };

  Set change(Set set, std::uint32_t letter, Change how);
  // Where words end: what becomes of this set is known at once.
  [[nodiscard]] bool is_end(Set set, std::uint32_t letter, Change how, Set& is) const;
  [[nodiscard]] static std::uint64_t key_of(Set set, std::uint32_t letter, Change how) {
    return std::uint64_t{set} << 32U | (letter << 2U) | how;
  }

  WordSets& sets_;
  Set one_ = WordSets::kNone;  // the word of the letter that is put
  absl::flat_hash_map<std::uint64_t, Set> known_;
  std::vector<Set> pile_;
  std::vector<WordSets::Branch> made_;
};

}  // namespace plumb
