// One stack, as an order is followed back to its beginning: of all that the frontiers could hold, the one it
// had.
//
// A set of words is asked whether the stack is in it, and the sets below it that it leads through are noted:
// most of the time the next question ends at one of these after a few letters. What nobody looked at later is
// not known until a set is asked that does tell it; then any of its words will do.
#pragma once

#include <cstdint>
#include <vector>

#include "check/frontier/word_sets.hpp"

namespace plumb {

class TracedWord {
 public:
  TracedWord(const WordSets& sets, std::size_t height)
      : sets_(sets), letters_(height), path_(height + 1, WordSets::kNone), unknown_(height) {}

  // Is the stack in this set? Then it is from now on known as far as that tells.
  bool is_in(WordSets::Set set) {
    seen_.clear();
    std::size_t level = letters_.size();
    while (!ends(set, level)) {
      seen_.push_back(set);
      const auto branches = sets_.branches(set);
      if (level <= unknown_) {
        letters_[level - 1] = branches.front().letter;
        set = branches.front().rest;
      } else {
        set = sets_.after(set, letters_[level - 1]);
      }
      --level;
    }
    if (set == WordSets::kNone) return false;
    path_.resize(letters_.size() + 1);
    for (std::size_t i = 0; i < seen_.size(); ++i) path_[letters_.size() - i] = seen_[i];
    path_[level] = set;
    if (level < unknown_ || set == WordSets::kSettled) unknown_ = level;
    return true;
  }
  // The same of the stack without its top, which has to be this letter.
  bool is_in_without(WordSets::Set set, std::uint32_t letter) {
    if (letters_.empty() || (unknown_ < letters_.size() && letters_.back() != letter)) return false;
    const std::uint32_t top = letters_.back();
    letters_.pop_back();
    if (is_in(set)) return true;
    letters_.push_back(top);
    return false;
  }
  // And with this letter on top of it.
  bool is_in_with(WordSets::Set set, std::uint32_t letter) {
    const WordSets::Set rest = sets_.after(set, letter);
    if (rest == WordSets::kNone || !is_in(rest)) return false;
    letters_.push_back(letter);
    path_.push_back(set);
    return true;
  }

 private:
  [[nodiscard]] bool ends(WordSets::Set set, std::size_t level) const {
    if (set <= WordSets::kSettled) return true;
    return level > unknown_ && level < path_.size() && path_[level] == set;
  }

  const WordSets& sets_;
  std::vector<std::uint32_t> letters_;  // from the bottom; the lowest `unknown_` of them are not known
  std::vector<WordSets::Set> path_;     // the lowest i letters are a word of path_[i]
  std::size_t unknown_;
  std::vector<WordSets::Set> seen_;
};

}  // namespace plumb
