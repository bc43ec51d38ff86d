// Sets of words as diagrams, against sets of words.
#include "check/frontier/word_sets.hpp"

#include <map>
#include <optional>
#include <set>
#include <vector>

#include <gtest/gtest.h>

#include "base/rng.hpp"
#include "check/frontier/traced_word.hpp"
#include "check/frontier/word_ends.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

using Word = std::vector<std::uint32_t>;  // the first letter first
using Words = std::set<Word>;

class WordSetsTest : public ::testing::Test {
 protected:
  // The words of a set whose words have this length.
  Words words_of(WordSets::Set set) const {
    if (set == WordSets::kNone) return {};
    if (set == WordSets::kEmptyWord) return {{}};
    Words all;
    for (const auto& [letter, rest] : sets_.branches(set)) {
      for (Word word : words_of(rest)) {
        word.insert(word.begin(), letter);
        all.insert(word);
      }
    }
    return all;
  }
  WordSets::Set make(const Word& word) {
    WordSets::Set set = WordSets::kEmptyWord;
    for (std::size_t i = word.size(); i-- > 0;) set = sets_.put(set, word[i]);
    return set;
  }
  WordSets::Set make(const Words& words) {
    WordSets::Set set = WordSets::kNone;
    for (const Word& word : words) set = sets_.unite(set, make(word));
    return set;
  }
  static Words draw(Rng& rng) {
    Words words;
    for (std::uint64_t left = rng.below(12); left > 0; --left) {
      Word word(4);
      for (std::uint32_t& letter : word) letter = static_cast<std::uint32_t>(rng.below(3));
      words.insert(word);
    }
    return words;
  }

  Budget budget_{std::nullopt, nullptr};
  BudgetGauge gauge_{budget_, 0};
  WordSets sets_{gauge_};
};

TEST_F(WordSetsTest, EqualSetsHaveEqualNumbersHoweverTheyWereMade) {
  std::map<Words, WordSets::Set> known;
  for (const std::uint64_t seed : test::Seeds(test::scaled(3000))) {
    Rng rng(seed);
    const Words a = draw(rng);
    const Words b = draw(rng);
    Words both = a;
    both.insert(b.begin(), b.end());
    const WordSets::Set set = sets_.unite(make(a), make(b));
    ASSERT_EQ(words_of(set), both);
    ASSERT_EQ(known.emplace(both, set).first->second, set);
  }
}

TEST_F(WordSetsTest, LettersAreTakenOff) {
  for (const std::uint64_t seed : test::Seeds(test::scaled(1000))) {
    Rng rng(seed);
    const Words words = draw(rng);
    const WordSets::Set set = make(words);
    Words after_one;
    Words after_any;
    for (const Word& word : words) {
      if (word.front() == 1) after_one.emplace(word.begin() + 1, word.end());
      after_any.emplace(word.begin() + 1, word.end());
    }
    ASSERT_EQ(words_of(sets_.after(set, 1)), after_one);
    ASSERT_EQ(words_of(sets_.after_any(set)), after_any);
  }
}

TEST_F(WordSetsTest, TheOtherEndChangesToo) {
  WordEnds ends(sets_);
  for (const std::uint64_t seed : test::Seeds(test::scaled(1000))) {
    Rng rng(seed);
    const Words words = draw(rng);
    const WordSets::Set set = make(words);
    Words longer;
    Words before_one;
    Words before_any;
    for (Word word : words) {
      if (word.back() == 1) before_one.emplace(word.begin(), word.end() - 1);
      before_any.emplace(word.begin(), word.end() - 1);
      word.push_back(2);
      longer.insert(word);
    }
    ASSERT_EQ(words_of(ends.put(set, 2)), longer);
    ASSERT_EQ(words_of(ends.before(set, 1)), before_one);
    ASSERT_EQ(words_of(ends.before_any(set)), before_any);
  }
  EXPECT_EQ(ends.put(WordSets::kEmptyWord, 3), make(Word{3}));
  EXPECT_EQ(ends.before(make(Word{3}), 3), WordSets::kEmptyWord);
  EXPECT_EQ(ends.before(WordSets::kEmptyWord, 3), WordSets::kNone);
  EXPECT_EQ(ends.before_any(make(Word(300'000, 1))), make(Word(299'999, 1)));
}

TEST_F(WordSetsTest, WhatIsSettledIsNotToldApart) {
  const WordSets::Set settled = sets_.put(WordSets::kSettled, 1);
  EXPECT_EQ(sets_.unite(settled, make(Word{1, 2, 3})), settled);
  EXPECT_EQ(sets_.put(WordSets::kNone, 1), WordSets::kNone);
}

TEST_F(WordSetsTest, AUnionAsDeepAsAHighStack) {
  Word word(300'000, 1);
  word.back() = 2;
  const WordSets::Set both = sets_.unite(make(word), make(Word(300'000, 1)));
  EXPECT_EQ(both, sets_.unite(make(Word(300'000, 1)), make(word)));
}

TEST_F(WordSetsTest, AWordIsFoundInTheSetsThatHoldIt) {
  TracedWord word(sets_, 2);
  ASSERT_TRUE(word.is_in(make(Words{{1, 2}, {3, 2}})));  // any will do: the first
  EXPECT_FALSE(word.is_in(make(Words{{3, 2}, {1, 1}})));
  EXPECT_FALSE(word.is_in_without(make(Word{2}), 3));
  EXPECT_FALSE(word.is_in_with(make(Words{{4, 1, 1}, {5, 1, 2}}), 4));
  EXPECT_TRUE(word.is_in_with(make(Words{{4, 1, 1}, {5, 1, 2}}), 5));
  EXPECT_TRUE(word.is_in_without(make(Words{{1, 2}, {3, 3}}), 5));
  EXPECT_TRUE(word.is_in_without(make(Words{{2}, {3}}), 1));
  EXPECT_FALSE(word.is_in(make(Word{3})));
}

TEST_F(WordSetsTest, WhatWasNotKnownOfAWordIsFoundOut) {
  TracedWord word(sets_, 3);
  ASSERT_TRUE(word.is_in(sets_.put(WordSets::kSettled, 1)));
  EXPECT_FALSE(word.is_in(make(Word{2, 4, 5})));
  ASSERT_TRUE(word.is_in(make(Word{1, 4, 5})));
  EXPECT_FALSE(word.is_in(make(Word{1, 4, 6})));
  EXPECT_TRUE(word.is_in(sets_.put(WordSets::kSettled, 1)));  // from here on it may have been anything
  EXPECT_TRUE(word.is_in(make(Word{1, 4, 6})));
}

}  // namespace
}  // namespace plumb
