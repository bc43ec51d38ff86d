// Hashes the pieces of a state. Two rounds of AES per block of sixteen bytes, in four lanes that take turns, so that none waits for the
// one before: as fast as memory is read, and every bit of a piece matters to all bits of the hash. Pieces are told apart by their order:
// how long each is must follow from what comes before it. Processors that fibers need (FSGSBASE) have the instruction; a file that
// includes this is compiled for it (CMakeLists.txt).
#pragma once

#include <emmintrin.h>
#include <wmmintrin.h>

#include <cstddef>
#include <cstdint>

#include "explore/states/state_key.hpp"

namespace plumb::engine {

#define PLUMB_INLINE inline __attribute__((always_inline))  // the lanes stay in registers

class StateHash {
 public:
  PLUMB_INLINE void add(const void* from, std::size_t size) {
    const auto* at = static_cast<const char*>(from);
    for (; size >= 64; size -= 64, at += 64) {
      a_ = mix(a_, load(at));
      b_ = mix(b_, load(at + 16));
      c_ = mix(c_, load(at + 32));
      d_ = mix(d_, load(at + 48));
    }
    if (size >= 32) {
      a_ = mix(a_, load(at));
      b_ = mix(b_, load(at + 16));
      at += 32;
      size -= 32;
    }
    if (size >= 16) {
      c_ = mix(c_, load(at));
      at += 16;
      size -= 16;
    }
    if (size != 0) d_ = mix(d_, last(at, size));
    turn();
  }
  PLUMB_INLINE void add(std::uint64_t a, std::uint64_t b) {
    a_ = mix(a_, _mm_set_epi64x(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
    turn();
  }

  [[nodiscard]] PLUMB_INLINE StateKey key() const {
    const __m128i ab = mix(mix(a_, b_), a_);
    const __m128i cd = mix(mix(c_, d_), c_);
    const __m128i all = mix(mix(mix(ab, cd), ab), _mm_set_epi64x(kOdd, kSeed));
    StateKey key;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&key), all);
    return key;
  }

 private:
  static constexpr std::int64_t kSeed = 0x2545'F491'4F6C'DD1D;
  static constexpr std::int64_t kOdd = 0x1E37'79B9'7F4A'7C15;

  static PLUMB_INLINE __m128i load(const char* at) {
    return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
  }
  // Of less than a block.
  static PLUMB_INLINE __m128i last(const char* at, std::size_t size) {
    constexpr std::size_t kHalf = 8;
    if (size == kHalf) return _mm_loadl_epi64(reinterpret_cast<const __m128i*>(at));
    std::uint64_t halves[2] = {0, 0};
    for (std::size_t i = 0; i < size; ++i)
      halves[i / kHalf] |= std::uint64_t{static_cast<unsigned char>(at[i])} << i % kHalf * 8;
    return _mm_set_epi64x(static_cast<std::int64_t>(halves[1]), static_cast<std::int64_t>(halves[0]));
  }
  static PLUMB_INLINE __m128i mix(__m128i lane, __m128i block) {
    return _mm_aesenc_si128(_mm_aesenc_si128(_mm_xor_si128(lane, block), _mm_set_epi64x(kSeed, kOdd)),
                            _mm_set_epi64x(kOdd, kSeed));
  }
  PLUMB_INLINE void turn() {
    const __m128i first = a_;
    a_ = b_;
    b_ = c_;
    c_ = d_;
    d_ = first;
  }

  template <std::size_t kBlocks>
  friend __m128i hash_of_blocks(const void* from);

  __m128i a_ = _mm_set_epi64x(kSeed, kOdd);
  __m128i b_ = _mm_set_epi64x(kSeed + kOdd, kOdd ^ 1);
  __m128i c_ = _mm_set_epi64x(kSeed + 2 * kOdd, kOdd ^ 2);
  __m128i d_ = _mm_set_epi64x(kSeed - kOdd, kOdd ^ 3);
};

// Of so few that they go one after the other.
template <std::size_t kBlocks>
PLUMB_INLINE __m128i hash_of_blocks(const void* from) {
  __m128i lane = _mm_set_epi64x(StateHash::kSeed, StateHash::kOdd);
  for (std::size_t i = 0; i < kBlocks; ++i)
    lane = StateHash::mix(lane, StateHash::load(static_cast<const char*>(from) + i * sizeof lane));
  return StateHash::mix(lane, _mm_set_epi64x(StateHash::kOdd, StateHash::kSeed));
}

}  // namespace plumb::engine
