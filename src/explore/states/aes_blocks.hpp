// Blocks of sixteen bytes, each mixed into what came before by two rounds of AES. A file that includes this is compiled for a processor that
// has them (CMakeLists.txt).
#pragma once

#include <emmintrin.h>
#include <wmmintrin.h>

#include <cstddef>
#include <cstdint>

namespace plumb::engine {

constexpr std::int64_t kHashSeed = 0x2545'F491'4F6C'DD1D;
constexpr std::int64_t kHashOdd = 0x1E37'79B9'7F4A'7C15;

[[gnu::always_inline]] inline __m128i mix_block(__m128i with, __m128i block) {
  return _mm_aesenc_si128(_mm_aesenc_si128(_mm_xor_si128(with, block), _mm_set_epi64x(kHashSeed, kHashOdd)),
                          _mm_set_epi64x(kHashOdd, kHashSeed));
}

// Of so few that they go one after the other.
template <std::size_t kBlocks>
[[gnu::always_inline]] inline __m128i hash_of_blocks(const void* from) {
  __m128i all = _mm_set_epi64x(kHashSeed, kHashOdd);
  for (std::size_t i = 0; i < kBlocks; ++i)
    all = mix_block(all, _mm_loadu_si128(static_cast<const __m128i_u*>(from) + i));
  return mix_block(all, _mm_set_epi64x(kHashOdd, kHashSeed));
}

}  // namespace plumb::engine
