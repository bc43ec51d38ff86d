// A state as 128 bits: a hash of pieces of memory. Two rounds of AES a block of sixteen bytes, in four lanes: as fast as memory is read,
// and every bit of a piece matters to all bits of the hash. Processors that fibers need (FSGSBASE) have the instruction.
#pragma once

#include <emmintrin.h>
#include <wmmintrin.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace plumb::engine {

struct StateKey {
  std::uint64_t low = 0;
  std::uint64_t high = 0;
  bool operator==(const StateKey&) const = default;
};
struct StateKeyHash {
  std::size_t operator()(const StateKey& key) const { return key.low; }
};

#define PLUMB_AES __attribute__((target("aes,sse2")))

class StateHash {
 public:
  PLUMB_AES StateHash() {
    for (int lane = 0; lane < 4; ++lane) lanes_[lane] = _mm_set_epi64x(kSeed + lane * kOdd, kOdd ^ lane);
  }

  // Pieces are told apart by their order and sizes.
  PLUMB_AES void add(const void* from, std::size_t size) {
    const auto* at = static_cast<const char*>(from);
    const __m128i length = _mm_set_epi64x(static_cast<std::int64_t>(kSeed), static_cast<std::int64_t>(size));
    lanes_[0] = mix(lanes_[0], length);
    __m128i a = lanes_[0];
    __m128i b = lanes_[1];
    __m128i c = lanes_[2];
    __m128i d = lanes_[3];
    for (; size >= 64; size -= 64, at += 64) {
      a = mix(a, load(at));
      b = mix(b, load(at + 16));
      c = mix(c, load(at + 32));
      d = mix(d, load(at + 48));
    }
    if (size >= 32) {
      a = mix(a, load(at));
      b = mix(b, load(at + 16));
      at += 32;
      size -= 32;
    }
    if (size >= 16) {
      c = mix(c, load(at));
      at += 16;
      size -= 16;
    }
    if (size > 0) {
      std::array<char, 16> rest{};
      for (std::size_t i = 0; i < size; ++i) rest[i] = at[i];  // memcpy is interposed
      d = mix(d, load(rest.data()));
    }
    lanes_[0] = a;
    lanes_[1] = b;
    lanes_[2] = c;
    lanes_[3] = d;
  }
  PLUMB_AES void add(std::uint64_t a, std::uint64_t b) {
    lanes_[1] = mix(lanes_[1], _mm_set_epi64x(static_cast<std::int64_t>(a), static_cast<std::int64_t>(b)));
  }

  PLUMB_AES StateKey key() const {
    __m128i all = lanes_[0];
    for (int lane = 1; lane < 4; ++lane) all = mix(mix(all, lanes_[lane]), lanes_[lane]);
    all = mix(all, _mm_set_epi64x(kOdd, kSeed));
    StateKey key;
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&key), all);
    return key;
  }

 private:
  static constexpr std::int64_t kSeed = 0x2545'F491'4F6C'DD1D;
  static constexpr std::int64_t kOdd = 0x1E37'79B9'7F4A'7C15;

  static __m128i load(const char* at) { return _mm_loadu_si128(reinterpret_cast<const __m128i*>(at)); }
  PLUMB_AES static __m128i mix(__m128i lane, __m128i block) {
    return _mm_aesenc_si128(_mm_aesenc_si128(_mm_xor_si128(lane, block), _mm_set_epi64x(kSeed, kOdd)),
                            _mm_set_epi64x(kOdd, kSeed));
  }

  __m128i lanes_[4];
};

}  // namespace plumb::engine
