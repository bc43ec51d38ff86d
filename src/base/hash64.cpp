// Four lanes of eight bytes a round, as the description of XXH64 has it (Yann Collet, xxHash specification).
#include "base/hash64.hpp"

#include <array>
#include <bit>

#include "base/little_endian.hpp"

namespace plumb {
namespace {

constexpr std::uint64_t kPrime1 = 0x9E37'79B1'85EB'CA87ULL;
constexpr std::uint64_t kPrime2 = 0xC2B2'AE3D'27D4'EB4FULL;
constexpr std::uint64_t kPrime3 = 0x1656'67B1'9E37'79F9ULL;
constexpr std::uint64_t kPrime4 = 0x85EB'CA77'C2B2'AE63ULL;
constexpr std::uint64_t kPrime5 = 0x27D4'EB2F'1656'67C5ULL;

std::uint64_t round(std::uint64_t lane, std::uint64_t word) {
  return std::rotl(lane + word * kPrime2, 31) * kPrime1;
}

std::uint64_t merge(std::uint64_t hash, std::uint64_t lane) {
  return (hash ^ round(0, lane)) * kPrime1 + kPrime4;
}

// What is left after the rounds: fewer than 32 bytes.
std::uint64_t finish(std::uint64_t hash, const char* at, std::size_t left) {
  for (; left >= 8; at += 8, left -= 8) {
    hash = std::rotl(hash ^ round(0, load_little<std::uint64_t>(at)), 27) * kPrime1 + kPrime4;
  }
  if (left >= 4) {
    hash = std::rotl(hash ^ (load_little<std::uint32_t>(at) * kPrime1), 23) * kPrime2 + kPrime3;
    at += 4;
    left -= 4;
  }
  for (; left != 0; ++at, --left)
    hash = std::rotl(hash ^ (static_cast<unsigned char>(*at) * kPrime5), 11) * kPrime1;
  hash = (hash ^ (hash >> 33U)) * kPrime2;
  hash = (hash ^ (hash >> 29U)) * kPrime3;
  return hash ^ (hash >> 32U);
}

}  // namespace

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  const char* at = bytes.data();
  std::size_t left = bytes.size();
  std::uint64_t hash = seed + kPrime5;
  if (left >= 32) {
    std::array<std::uint64_t, 4> lanes = {seed + kPrime1 + kPrime2, seed + kPrime2, seed, seed - kPrime1};
    for (; left >= 32; at += 32, left -= 32) {
      for (std::size_t i = 0; i < 4; ++i) lanes[i] = round(lanes[i], load_little<std::uint64_t>(at + 8 * i));
    }
    hash =
        std::rotl(lanes[0], 1) + std::rotl(lanes[1], 7) + std::rotl(lanes[2], 12) + std::rotl(lanes[3], 18);
    for (const std::uint64_t lane : lanes) hash = merge(hash, lane);
  }
  return finish(hash + bytes.size(), at, left);
}

}  // namespace plumb
