// A set of small numbers of a fixed range: which of the open operations have taken effect.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace plumb {

// kWords = 1 is the everyday case; 0 means as many words as it takes.
template <std::size_t kWords>
class Slots {
 public:
  explicit Slots(std::size_t slots) {
    if constexpr (kWords == 0) words_.resize((slots + 63) / 64);
  }
  void set(std::uint32_t slot) { words_[slot / 64] |= bit(slot); }
  void reset(std::uint32_t slot) { words_[slot / 64] &= ~bit(slot); }
  [[nodiscard]] bool test(std::uint32_t slot) const { return (words_[slot / 64] & bit(slot)) != 0; }
  [[nodiscard]] std::size_t words() const { return words_.size(); }
  [[nodiscard]] std::uint64_t word(std::size_t i) const { return words_[i]; }

 private:
  static std::uint64_t bit(std::uint32_t slot) { return std::uint64_t{1} << (slot % 64); }
  std::conditional_t<kWords == 0, std::vector<std::uint64_t>,
                     std::array<std::uint64_t, std::max<std::size_t>(kWords, 1)>>
      words_ = {};
};

}  // namespace plumb
