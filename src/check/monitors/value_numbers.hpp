// What is known of values, a number each. Integers that lie close together are looked up in an array.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include <absl/container/flat_hash_map.h>

#include <plumb/value.hpp>

#include "base/huge_pages.hpp"

namespace plumb {

class ValueTable {
 public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  // First, as far as they are known, the values that will come, as often as they like; then begin().
  void expect(Value value) {
    const bool small = value.is_small();
    low_ = std::min(low_, small ? value.small_integer() : low_);
    high_ = std::max(high_, small ? value.small_integer() : high_);
    expected_ += small ? 1 : 0;
    const std::int64_t step = value.small_integer() - last_;
    far_apart_ += step > kNear || step < -kNear ? 1 : 0;
    last_ = value.small_integer();
  }
  void begin() {
    constexpr std::int64_t kSparse = 8;
    if (high_ < low_ || high_ - low_ >= kSparse * expected_ + 1024) return;
    dense_ = large_vector(static_cast<std::size_t>(high_ - low_ + 1), kNone);
  }

  // The values that were expected come in no order: then, for millions of them, it counts that those that will be asked for
  // soon are fetched.
  [[nodiscard]] bool is_scattered() const { return 4 * far_apart_ > expected_; }
  void prefetch(Value value) const {
    const auto offset = static_cast<std::uint64_t>(value.small_integer() - low_);
    __builtin_prefetch(dense_.data() + std::min<std::uint64_t>(offset, dense_.size()), 1);
  }
  // Its number, kNone at first; good until another one is asked for.
  std::uint32_t& operator[](Value value) {
    if (value.is_small()) {
      const auto offset = static_cast<std::uint64_t>(value.small_integer() - low_);
      if (offset < dense_.size()) return dense_[offset];
    }
    return far(value);
  }
  [[nodiscard]] std::size_t expected() const { return static_cast<std::size_t>(expected_); }

 private:
  static constexpr std::int64_t kNear = 64;

  // Not inline, so that the rest is.
  [[gnu::noinline]] std::uint32_t& far(Value value) {
    return sparse_.try_emplace(value, kNone).first->second;
  }

  std::int64_t low_ = std::numeric_limits<std::int64_t>::max();
  std::int64_t high_ = std::numeric_limits<std::int64_t>::min();
  std::int64_t expected_ = 0;
  std::int64_t last_ = 0;
  std::int64_t far_apart_ = 0;  // so many, from the one before
  std::vector<std::uint32_t> dense_;
  absl::flat_hash_map<Value, std::uint32_t> sparse_;
};

// Numbers values as they are met, from 0.
class ValueNumbers {
 public:
  void expect(Value value) { table_.expect(value); }
  void begin() { table_.begin(); }
  void prefetch(Value value) const { table_.prefetch(value); }

  std::uint32_t number(Value value) {
    // Whether it is new is as good as random: no branch.
    std::uint32_t& known = table_[value];
    const bool is_new = known == ValueTable::kNone;
    known = is_new ? size_ : known;
    size_ += is_new ? 1 : 0;
    return known;
  }
  [[nodiscard]] std::uint32_t size() const { return size_; }
  [[nodiscard]] std::size_t expected() const { return table_.expected(); }

 private:
  ValueTable table_;
  std::uint32_t size_ = 0;
};

}  // namespace plumb
