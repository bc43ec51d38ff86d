// libxxhash, compiled in: whoever links plumb, or loads libplumb_record, needs no library for it.
#include "base/hash.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace plumb {

std::uint64_t hash64(std::string_view bytes, std::uint64_t seed) {
  return XXH64(bytes.data(), bytes.size(), seed);
}

Hash128 hash128(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size());
  return {hash.high64, hash.low64};
}

}  // namespace plumb
