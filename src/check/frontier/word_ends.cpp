#include "check/frontier/word_ends.hpp"

namespace plumb {

bool WordEnds::is_end(Set set, std::uint32_t letter, Change how, Set& is) const {
  if (set == WordSets::kNone) return is = WordSets::kNone, true;
  if (set == WordSets::kEmptyWord) {
    is = how == kPut ? one_ : WordSets::kNone;
    return true;
  }
  if (how != kPut && sets_.branches(set)[0].rest == WordSets::kEmptyWord) {  // words of one letter
    const bool has = how == kTakeAny || sets_.after(set, letter) != WordSets::kNone;
    return is = has ? WordSets::kEmptyWord : WordSets::kNone, true;
  }
  return false;
}

// A pile instead of recursion: words are as long as deques are.
WordEnds::Set WordEnds::change(Set set, std::uint32_t letter, Change how) {
  Set is = WordSets::kNone;
  if (how == kPut) one_ = sets_.put(WordSets::kEmptyWord, letter);
  if (is_end(set, letter, how, is)) return is;
  pile_.assign(1, set);
  while (!pile_.empty()) {
    const Set top = pile_.back();
    if (known_.contains(key_of(top, letter, how))) {
      pile_.pop_back();
      continue;
    }
    made_.clear();
    const std::size_t height = pile_.size();
    for (const WordSets::Branch& branch : sets_.branches(top)) {
      if (!is_end(branch.rest, letter, how, is)) {
        const auto found = known_.find(key_of(branch.rest, letter, how));
        if (found == known_.end()) {
          pile_.push_back(branch.rest);
          continue;
        }
        is = found->second;
      }
      if (is != WordSets::kNone) made_.push_back({branch.letter, is});
    }
    if (pile_.size() > height) continue;  // these first
    known_[key_of(top, letter, how)] = made_.empty() ? WordSets::kNone : sets_.make(made_);
    pile_.pop_back();
  }
  return known_.at(key_of(set, letter, how));
}

}  // namespace plumb
