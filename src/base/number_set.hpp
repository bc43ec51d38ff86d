// A set of whole numbers that lie close together, from which the least is taken quickly: a bit for each number, and above
// 64 of them a bit that says whether one is set. Of millions of numbers a few words are touched.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/huge_pages.hpp"

namespace plumb {

class NumberSet {
 public:
  // From now on these numbers can be members too.
  void cover(std::uint32_t first, std::uint32_t last) {
    const std::uint64_t begin = words() == 0 ? first / kBits : std::min<std::uint64_t>(base_, first / kBits);
    const std::uint64_t end = std::max<std::uint64_t>(base_ + words(), last / kBits + 1);
    auto leaves = large_vector<std::uint64_t>(end - begin);
    if (words() != 0)
      std::ranges::copy(levels_.front(), leaves.begin() + static_cast<std::ptrdiff_t>(base_ - begin));
    base_ = begin;
    build_on(std::move(leaves));
  }
  // Covers this number as well, and room beyond it, unless that takes more than so many bytes.
  bool widen(std::uint32_t number, std::size_t most_bytes) {
    const std::uint64_t word = number / kBits;
    std::uint64_t begin = word;
    std::uint64_t end = word + 1;
    if (words() != 0) {
      begin = std::min(begin, base_);
      end = std::max(end, base_ + words());
      // As much again on the side where it grows: so it is not built anew for each number.
      if (word < base_) begin -= std::min(begin, end - begin);
      if (word >= base_) end = std::min(end + (end - begin), kNumbers / kBits);
    }
    if ((end - begin) * sizeof(std::uint64_t) > most_bytes) return false;
    cover(static_cast<std::uint32_t>(begin * kBits), static_cast<std::uint32_t>(end * kBits - 1));
    return true;
  }
  [[nodiscard]] bool covers(std::uint32_t number) const { return number / kBits - base_ < words(); }

  [[nodiscard]] bool empty() const { return size_ == 0; }
  // Of one that is not empty.
  [[nodiscard]] std::uint32_t least() const { return least_; }

  // A number that is covered. False: it was a member already.
  bool insert(std::uint32_t number) {
    std::uint64_t place = number - base_ * kBits;
    if ((levels_.front()[place / kBits] & bit(place)) != 0) return false;
    for (auto& level : levels_) {
      std::uint64_t& word = level[place / kBits];
      const bool known_above = word != 0;
      word |= bit(place);
      if (known_above) break;
      place /= kBits;
    }
    least_ = size_++ == 0 ? number : std::min(least_, number);
    return true;
  }
  void erase_least() { erase(least_); }
  // A member.
  void erase(std::uint32_t number) {
    std::uint64_t place = number - base_ * kBits;
    for (auto& level : levels_) {
      std::uint64_t& word = level[place / kBits];
      word &= ~bit(place);
      if (word != 0) break;
      place /= kBits;
    }
    if (--size_ != 0 && number == least_) find_least();
  }

 private:
  static constexpr std::uint64_t kBits = 64;
  static constexpr std::uint64_t kNumbers = std::uint64_t{1} << 32U;
  static std::uint64_t bit(std::uint64_t place) { return std::uint64_t{1} << place % kBits; }

  [[nodiscard]] std::uint64_t words() const { return levels_.empty() ? 0 : levels_.front().size(); }

  void build_on(std::vector<std::uint64_t> leaves) {
    levels_.clear();
    levels_.push_back(std::move(leaves));
    while (levels_.back().size() > 1) {
      const auto& below = levels_.back();
      std::vector<std::uint64_t> level((below.size() + kBits - 1) / kBits);
      for (std::size_t i = 0; i < below.size(); ++i) {
        if (below[i] != 0) level[i / kBits] |= bit(i);
      }
      levels_.push_back(std::move(level));
    }
  }
  void find_least() {
    std::uint64_t place = 0;
    for (std::size_t level = levels_.size(); level-- > 0;)
      place = place * kBits + static_cast<std::uint64_t>(std::countr_zero(levels_[level][place]));
    least_ = static_cast<std::uint32_t>(base_ * kBits + place);
  }

  std::vector<std::vector<std::uint64_t>> levels_;  // the numbers themselves first, one word last
  std::uint64_t base_ = 0;                          // the first number, in words
  std::size_t size_ = 0;
  std::uint32_t least_ = 0;
};

}  // namespace plumb
