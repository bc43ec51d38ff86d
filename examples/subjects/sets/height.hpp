// How many levels of a skip list a value takes part in: one for half of the values, two for a quarter, … By a
// hash instead of chance, so that an execution can be repeated.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>

namespace sets {

template <std::size_t kLevels>
std::size_t height_of(int value) {
  const std::uint64_t mixed = (static_cast<std::uint64_t>(value) + 1) * 0x9E37'79B9'7F4A'7C15U;
  const std::uint64_t within = (mixed >> 40U) & ((std::uint64_t{1} << (kLevels - 1)) - 1);
  return 1 + static_cast<std::size_t>(std::countr_one(within));
}

}  // namespace sets
