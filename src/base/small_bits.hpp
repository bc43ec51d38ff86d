// A set of small numbers: one word inline, more words only when a number needs them. Equal sets are equal
// objects: trailing zero words are not kept.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace plumb {

class SmallBits {
 public:
  SmallBits() = default;
  SmallBits(const SmallBits& other)
      : first_(other.first_), more_(other.more_ ? std::make_unique<Words>(*other.more_) : nullptr) {}
  SmallBits(SmallBits&&) noexcept = default;
  SmallBits& operator=(const SmallBits& other) { return *this = SmallBits(other); }
  SmallBits& operator=(SmallBits&&) noexcept = default;
  ~SmallBits() = default;

  [[nodiscard]] bool test(std::size_t i) const {
    if (i < kBits) return ((first_ >> i) & 1U) != 0;
    const std::size_t word = i / kBits - 1;
    return more_ && word < more_->size() && (((*more_)[word] >> (i % kBits)) & 1U) != 0;
  }

  void flip(std::size_t i) {
    if (i < kBits) {
      first_ ^= std::uint64_t{1} << i;
      return;
    }
    const std::size_t word = i / kBits - 1;
    if (!more_) more_ = std::make_unique<Words>();
    if (word >= more_->size()) more_->resize(word + 1);
    (*more_)[word] ^= std::uint64_t{1} << (i % kBits);
    while (!more_->empty() && more_->back() == 0) more_->pop_back();
    if (more_->empty()) more_.reset();
  }

  [[nodiscard]] std::size_t heap_bytes() const {
    return more_ ? sizeof(Words) + more_->capacity() * sizeof(std::uint64_t) : 0;
  }

  friend bool operator==(const SmallBits& a, const SmallBits& b) {
    if (a.first_ != b.first_ || !a.more_ != !b.more_) return false;
    return !a.more_ || *a.more_ == *b.more_;
  }
  template <class H>
  friend H AbslHashValue(H h, const SmallBits& bits) {
    h = H::combine(std::move(h), bits.first_);
    return bits.more_ ? H::combine(std::move(h), *bits.more_) : std::move(h);
  }

 private:
  static constexpr std::size_t kBits = 64;
  using Words = std::vector<std::uint64_t>;
  std::uint64_t first_ = 0;
  std::unique_ptr<Words> more_;
};

}  // namespace plumb
