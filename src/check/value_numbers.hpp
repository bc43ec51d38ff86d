// Numbers values as they are met, from 0. Integers that lie close together are looked up in an array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include <plumb/value.hpp>

#include "base/huge_pages.hpp"

namespace plumb {

class ValueNumbers {
 public:
  // First, as far as they are known, the values that will come, as often as they like; then begin().
  void expect(Value value) {
    if (!value.is_small()) return;
    low_ = std::min(low_, value.small_integer());
    high_ = std::max(high_, value.small_integer());
    ++expected_;
  }
  void begin() {
    constexpr std::int64_t kSparse = 8;
    if (high_ < low_ || high_ - low_ >= kSparse * expected_ + 1024) return;
    reserve_large(dense_, static_cast<std::size_t>(high_ - low_ + 1));
    dense_.assign(static_cast<std::size_t>(high_ - low_ + 1), kNone);
  }

  std::uint32_t number(Value value) {
    if (value.is_small()) {
      const auto offset = static_cast<std::uint64_t>(value.small_integer() - low_);
      if (offset < dense_.size()) {
        // Whether it is new is as good as random: no branch.
        const std::uint32_t known = dense_[offset];
        const std::uint32_t number = known == kNone ? size_ : known;
        size_ += known == kNone ? 1 : 0;
        return dense_[offset] = number;
      }
    }
    const auto [it, is_new] = sparse_.try_emplace(value, size_);
    if (is_new) ++size_;
    return it->second;
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::size_t expected() const { return static_cast<std::size_t>(expected_); }

 private:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};
  std::int64_t low_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t high_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t expected_ = 0;
  std::uint32_t size_ = 0;
  std::vector<std::uint32_t> dense_;
  absl::flat_hash_map<Value, std::uint32_t> sparse_;
};

}  // namespace plumb
