#include "check/frontier/word_sets.hpp"

#include <algorithm>
#include <utility>

namespace plumb {
namespace {

constexpr std::size_t kFirstTable = std::size_t{1} << 10;
constexpr std::size_t kMostUnions = std::size_t{1} << 20;

std::uint64_t mix(std::uint64_t bits) {
  bits = (bits ^ (bits >> 32)) * 0x9E37'79B9'7F4A'7C15ULL;
  return bits ^ (bits >> 29);
}

std::uint64_t hash(std::span<const WordSets::Branch> branches) {
  std::uint64_t sum = branches.size();
  for (const auto [letter, rest] : branches)
    sum = mix(sum * 31 + ((static_cast<std::uint64_t>(letter) << 32) | rest));
  return sum;
}

}  // namespace

WordSets::WordSets(BudgetGauge& gauge)
    : gauge_(gauge), nodes_(3, Node{0, 0}), table_(kFirstTable, kNone), unions_(kFirstTable) {}

WordSets::Set WordSets::after(Set set, std::uint32_t letter) const {
  for (const Branch& branch : branches(set)) {
    if (branch.letter == letter) return branch.rest;
  }
  return kNone;
}

WordSets::Set WordSets::after_any(Set set) {
  Set all = kNone;
  for (std::size_t i = 0; i < branches(set).size(); ++i) all = unite(all, branches(set)[i].rest);
  return all;
}

// A pile of its own instead of recursion: words are as long as stacks are high.
WordSets::Set WordSets::unite(Set a, Set b) {
  Set is = kNone;
  if (is_known(a, b, is)) return is;
  pairs_.clear();
  made_.clear();
  begin(a, b);
  while (true) {
    if (gauge_.spent()) return a;
    if (!merge(pairs_.back())) continue;
    is = finish();
    if (pairs_.empty()) return is;
    Pair& below = pairs_.back();
    made_.push_back({branches(below.a)[below.next_a].letter, is});
    ++below.next_a;
    ++below.next_b;
  }
}

// False: it has to wait for two sets, which have been begun.
bool WordSets::merge(Pair& pair) {
  const auto a = branches(pair.a);
  const auto b = branches(pair.b);
  while (pair.next_a < a.size() || pair.next_b < b.size()) {
    if (pair.next_b == b.size() ||
        (pair.next_a < a.size() && a[pair.next_a].letter < b[pair.next_b].letter)) {
      made_.push_back(a[pair.next_a++]);
    } else if (pair.next_a == a.size() || b[pair.next_b].letter < a[pair.next_a].letter) {
      made_.push_back(b[pair.next_b++]);
    } else {
      Set rest = kNone;
      if (!is_known(a[pair.next_a].rest, b[pair.next_b].rest, rest)) {
        begin(a[pair.next_a].rest, b[pair.next_b].rest);
        return false;
      }
      made_.push_back({a[pair.next_a].letter, rest});
      ++pair.next_a;
      ++pair.next_b;
    }
  }
  return true;
}

WordSets::Set WordSets::finish() {
  const Pair pair = pairs_.back();
  pairs_.pop_back();
  const Set is = find_or_make(std::span(made_).subspan(pair.made));
  made_.resize(pair.made);
  unions_[slot_of_union(pair.a, pair.b)] = {pair.a, pair.b, is};
  return is;
}

void WordSets::begin(Set a, Set b) {
  if (a > b) std::swap(a, b);
  pairs_.push_back({.a = a, .b = b, .made = made_.size()});
}

bool WordSets::is_known(Set a, Set b, Set& is) const {
  if (a > b) std::swap(a, b);
  if (a == b || a == kNone) return is = b, true;
  if (a == kSettled || b == kSettled) return is = kSettled, true;
  const Union& known = unions_[slot_of_union(a, b)];
  is = known.is;
  return known.a == a && known.b == b;
}

std::size_t WordSets::slot_of_union(Set a, Set b) const {
  return mix((static_cast<std::uint64_t>(a) << 32) | b) & (unions_.size() - 1);
}

WordSets::Set WordSets::find_or_make(std::span<const Branch> branches) {
  if (2 * nodes_.size() > table_.size()) make_room();
  const std::size_t mask = table_.size() - 1;
  std::size_t at = hash(branches) & mask;
  while (table_[at] != kNone && !std::ranges::equal(this->branches(table_[at]), branches))
    at = (at + 1) & mask;
  if (table_[at] == kNone) {
    table_[at] = static_cast<Set>(nodes_.size());
    nodes_.push_back(
        {static_cast<std::uint32_t>(branches_.size()), static_cast<std::uint32_t>(branches.size())});
    branches_.insert(branches_.end(), branches.begin(), branches.end());
  }
  return table_[at];
}

void WordSets::make_room() {
  table_.assign(2 * table_.size(), kNone);
  const std::size_t mask = table_.size() - 1;
  for (Set set = kSettled + 1; set < nodes_.size(); ++set) {
    std::size_t at = hash(branches(set)) & mask;
    while (table_[at] != kNone) at = (at + 1) & mask;
    table_[at] = set;
  }
  if (unions_.size() < std::min(table_.size(), kMostUnions)) unions_.assign(2 * unions_.size(), Union{});
}

// A set has a higher number than what follows its first letters: that is marked on the way down, and copied on the way up.
void WordSets::keep_only(std::span<Set* const> needed) {
  std::vector<Set> kept(nodes_.size(), kNone);  // by the old number: the new one
  for (const Set* set : needed) kept[*set] = *set;
  for (auto set = static_cast<Set>(nodes_.size()); set-- > kSettled + 1;) {
    if (kept[set] == kNone) continue;
    for (const Branch& branch : branches(set)) kept[branch.rest] = branch.rest;
  }
  const std::vector<Node> nodes(std::move(nodes_));
  std::vector<Branch> old(std::move(branches_));
  nodes_.assign(kSettled + 1, Node{0, 0});
  branches_.clear();
  table_.assign(kFirstTable, kNone);
  unions_.assign(kFirstTable, Union{});
  kept[kEmptyWord] = kEmptyWord;
  kept[kSettled] = kSettled;
  for (Set set = kSettled + 1; set < nodes.size(); ++set) {
    if (kept[set] == kNone) continue;
    const auto all = std::span(old).subspan(nodes[set].first, nodes[set].count);
    for (Branch& branch : all) branch.rest = kept[branch.rest];
    kept[set] = find_or_make(all);
  }
  for (Set* set : needed) *set = kept[*set];
}

std::size_t WordSets::bytes() const {
  return nodes_.capacity() * sizeof(Node) + branches_.capacity() * sizeof(Branch) +
         table_.capacity() * sizeof(Set) + unions_.capacity() * sizeof(Union);
}

}  // namespace plumb
