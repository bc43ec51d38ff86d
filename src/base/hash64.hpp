// XXH64, the checksum of the binary format: a 64-bit hash that runs at the speed of memory. Not for enemies:
// it finds damage, not forgery.
#pragma once

#include <cstdint>
#include <string_view>

namespace plumb {

[[nodiscard]] std::uint64_t hash64(std::string_view bytes, std::uint64_t seed = 0);

}  // namespace plumb
