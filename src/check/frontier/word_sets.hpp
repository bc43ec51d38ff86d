// Sets of words, each as a small diagram: what a stack may hold, the top first.
//
// A set whose words have all the same length is a list of first letters, and for each the set of what follows
// it. The same set is kept once, whoever made it, so that equal sets have equal numbers; to put a letter
// before all words, or to take one off, is one step; to unite two sets stops where they are the same, which
// is soon if they differ in the first letters only. Thousands of contents that differ here and there take as
// much room as one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/budget.hpp"

namespace plumb {

class WordSets {
 public:
  using Set = std::uint32_t;
  static constexpr Set kNone = 0;       // no word
  static constexpr Set kEmptyWord = 1;  // one word, without letters
  static constexpr Set kSettled = 2;    // words that nobody will look at: they are not told apart

  struct Branch {
    std::uint32_t letter;
    Set rest;
    friend bool operator==(const Branch&, const Branch&) = default;
  };

  explicit WordSets(BudgetGauge& gauge);

  // First letters, ascending, and what follows them. Valid until a set is made.
  [[nodiscard]] std::span<const Branch> branches(Set set) const {
    return {branches_.data() + nodes_[set].first, nodes_[set].count};
  }
  // Every word with this letter before it.
  [[nodiscard]] Set put(Set set, std::uint32_t letter) {
    if (set == kNone) return kNone;
    const Branch branch{letter, set};
    return find_or_make({&branch, 1});
  }
  // The words that begin with this letter, without it.
  [[nodiscard]] Set after(Set set, std::uint32_t letter) const;
  // The words without their first letter, whatever it is.
  [[nodiscard]] Set after_any(Set set);
  // The set of these branches, by letter, which are not empty.
  [[nodiscard]] Set make(std::span<const Branch> branches) { return find_or_make(branches); }
  // Once the budget is spent, anything: ask the gauge.
  [[nodiscard]] Set unite(Set a, Set b);

  // Forgets all sets but these, and those that follow from them; they get new numbers.
  void keep_only(std::span<Set* const> needed);

  [[nodiscard]] std::size_t size() const { return nodes_.size(); }
  [[nodiscard]] std::size_t bytes() const;

 private:
  struct Node {
    std::uint32_t first;
    std::uint32_t count;
  };
  struct Union {
    Set a;
    Set b;
    Set is;
  };
  // Two sets that are being united, up to these branches.
  struct Pair {
    Set a;
    Set b;
    std::uint32_t next_a = 0;
    std::uint32_t next_b = 0;
    std::size_t made = 0;  // where the branches of the union begin in made_
  };

  [[nodiscard]] Set find_or_make(std::span<const Branch> branches);
  void make_room();
  [[nodiscard]] std::size_t slot_of_union(Set a, Set b) const;
  bool is_known(Set a, Set b, Set& is) const;
  void begin(Set a, Set b);
  bool merge(Pair& pair);
  Set finish();

  BudgetGauge& gauge_;
  std::vector<Node> nodes_;
  std::vector<Branch> branches_;
  std::vector<Set> table_;     // open addressing; kNone: free
  std::vector<Union> unions_;  // the latest; a newer one takes the place of an older
  std::vector<Pair> pairs_;
  std::vector<Branch> made_;
};

}  // namespace plumb
