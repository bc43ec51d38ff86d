// Hashes that run at the speed of memory (xxHash). Not for enemies: they find damage and tell things apart, they do not find forgery.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb {

// XXH64, the checksum of the binary format.
[[nodiscard]] std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

struct Hash128 {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  bool operator==(const Hash128&) const = default;
};

// XXH3 with 128 bits, for what must not be taken for another by chance.
[[nodiscard]] Hash128 hash128(std::string_view bytes);

}  // namespace plumb
