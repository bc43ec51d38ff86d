// One step of a hash: a word is mixed into what was hashed so far (the finaliser of splitmix64, shortened). For tables and
// comparisons within a run; src/base/hash.hpp hashes bytes, for files.
#pragma once

#include <cstdint>

namespace plumb::detail {

[[nodiscard]] constexpr std::uint64_t mix(std::uint64_t hash, std::uint64_t word) {
  std::uint64_t z = (hash ^ word) + 0x9E37'79B9'7F4A'7C15ULL;
  z = (z ^ (z >> 30U)) * 0xBF58'476D'1CE4'E5B9ULL;
  return z ^ (z >> 27U);
}

}  // namespace plumb::detail
