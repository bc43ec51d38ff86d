// Three small trees over positions 0 … n-1, for the stack monitor.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace plumb {

// Numbers that are raised and lowered by ranges; finds the first zero of a range. Nothing goes below zero.
//
// A node holds what its subtree has in common beyond what the nodes above it hold: one of its children is always at
// zero, and the number at a position is the sum on the way down to it.
class CoverTree {
 public:
  // Takes the numbers as they are at first.
  void reset(const std::vector<std::int32_t>& numbers) {
    leaves_ = std::bit_ceil(std::max<std::size_t>(numbers.size(), 1));
    common_.assign(2 * leaves_, 0);
    std::fill(common_.begin() + static_cast<std::ptrdiff_t>(leaves_ + numbers.size()), common_.end(), kNever);
    std::ranges::copy(numbers, common_.begin() + static_cast<std::ptrdiff_t>(leaves_));
    for (std::size_t i = leaves_; i-- > 1;) lift(i);
  }

  void add(std::size_t first, std::size_t last, std::int32_t amount) {
    if (first > last) return;
    std::size_t left = first + leaves_;
    std::size_t right = last + leaves_ + 1;
    const std::size_t left_edge = left;
    const std::size_t right_edge = right - 1;
    for (; left < right; left /= 2, right /= 2) {
      if (left % 2 == 1) common_[left++] += amount;
      if (right % 2 == 1) common_[--right] += amount;
    }
    mend(left_edge);
    mend(right_edge);
  }

  // Takes a position out of every later search.
  void retire(std::size_t position) { add(position, position, kNever); }

  // The first position in [first, last] whose number is zero; past `last` if there is none.
  [[nodiscard]] std::size_t first_zero(std::size_t first, std::size_t last) const {
    return first > last ? last + 1 : first_zero(1, 0, leaves_ - 1, first, last);
  }

 private:
  static constexpr std::int32_t kNever = 1 << 29;

  // What both children hold belongs to the node.
  void lift(std::size_t node) {
    const std::int32_t both = std::min(common_[2 * node], common_[2 * node + 1]);
    common_[2 * node] -= both;
    common_[2 * node + 1] -= both;
    common_[node] += both;
  }
  void mend(std::size_t node) {
    for (node /= 2; node > 0; node /= 2) lift(node);
  }
  // As deep as the tree: a few dozen calls at most. A node that holds something has no zero below it: nothing is
  // negative.
  [[nodiscard]] std::size_t first_zero(std::size_t node, std::size_t low, std::size_t high, std::size_t first,
                                       std::size_t last) const {
    if (high < first || low > last || common_[node] > 0) return last + 1;
    if (low == high) return low;
    const std::size_t middle = (low + high) / 2;
    const std::size_t found = first_zero(2 * node, low, middle, first, last);
    return found <= last ? found : first_zero(2 * node + 1, middle + 1, high, first, last);
  }

  std::size_t leaves_ = 1;
  std::vector<std::int32_t> common_;
};

// Numbers that are changed one by one; finds a greatest of a range. Store complements to find the least.
class MaxTree {
 public:
  struct Entry {
    std::uint32_t number;
    std::uint32_t position;
  };

  void reset(std::size_t size) {
    leaves_ = std::max<std::size_t>(size, 1);
    greatest_.assign(2 * leaves_, 0);
  }
  void set_at_first(std::uint32_t position, std::uint32_t number) {
    greatest_[position + leaves_] = pack(position, number);
  }
  void build() {
    for (std::size_t i = leaves_; i-- > 1;) greatest_[i] = std::max(greatest_[2 * i], greatest_[2 * i + 1]);
  }
  // The position has no number any more.
  void clear(std::uint32_t position) {
    std::size_t node = position + leaves_;
    greatest_[node] = 0;
    for (node /= 2; node > 0; node /= 2) {
      const std::uint64_t now = std::max(greatest_[2 * node], greatest_[2 * node + 1]);
      if (now == greatest_[node]) return;
      greatest_[node] = now;
    }
  }
  // Number 0 if the range holds none.
  [[nodiscard]] Entry greatest(std::size_t first, std::size_t last) const {
    std::uint64_t best = 0;
    std::size_t left = first + leaves_;
    std::size_t right = last + leaves_ + 1;
    for (; left < right; left /= 2, right /= 2) {
      if (left % 2 == 1) best = std::max(best, greatest_[left++]);
      if (right % 2 == 1) best = std::max(best, greatest_[--right]);
    }
    return {static_cast<std::uint32_t>(best >> 32U), static_cast<std::uint32_t>(best)};
  }

 private:
  static std::uint64_t pack(std::uint32_t position, std::uint32_t number) {
    return std::uint64_t{number} << 32U | position;
  }
  std::size_t leaves_ = 1;
  std::vector<std::uint64_t> greatest_;
};

// A set of positions that finds its next member: words of bits, and words that say which words are not zero.
class PositionSet {
 public:
  void reset(std::size_t size) {
    levels_.clear();
    do {
      size = size / 64 + 1;
      levels_.emplace_back(size);
    } while (size > 1);
  }
  void insert(std::size_t position) {
    for (auto& level : levels_) {
      level[position / 64] |= std::uint64_t{1} << (position % 64);
      position /= 64;
    }
  }
  void erase(std::size_t position) {
    for (auto& level : levels_) {
      level[position / 64] &= ~(std::uint64_t{1} << (position % 64));
      if (level[position / 64] != 0) return;
      position /= 64;
    }
  }
  // The first member at or after `from`; kEnd if there is none.
  [[nodiscard]] std::size_t next(std::size_t from) const {
    for (std::size_t up = 0; up < levels_.size(); ++up) {
      if (from / 64 >= levels_[up].size()) return kEnd;
      const std::uint64_t rest = levels_[up][from / 64] >> (from % 64);
      if (rest == 0) {
        from = from / 64 + 1;
        continue;
      }
      from += static_cast<std::size_t>(std::countr_zero(rest));
      while (up-- > 0) from = from * 64 + static_cast<std::size_t>(std::countr_zero(levels_[up][from]));
      return from;
    }
    return kEnd;
  }
  static constexpr std::size_t kEnd = std::numeric_limits<std::size_t>::max();

 private:
  std::vector<std::vector<std::uint64_t>> levels_;
};

}  // namespace plumb
