// Memory copied and cleared by the engine itself, in small pieces: memcpy and memset are interposed, and ask each time who calls (copies.cpp).
#pragma once

#include <emmintrin.h>

#include <cstddef>
#include <cstdint>

namespace plumb::runtime {

// Returns where the copy ends.
[[gnu::always_inline]] inline char* copy_bytes(void* to, const void* from, std::size_t size) {
  auto* out = static_cast<char*>(to);
  const auto* in = static_cast<const char*>(from);
  const auto block = [&](std::size_t at) __attribute__((always_inline)) {
    _mm_storeu_si128(reinterpret_cast<__m128i_u*>(out + at),
                     _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(in + at)));
  };
  constexpr std::size_t kBlock = sizeof(__m128i);
  for (; size >= 4 * kBlock; size -= 4 * kBlock, in += 4 * kBlock, out += 4 * kBlock) {
    block(0);
    block(kBlock);
    block(2 * kBlock);
    block(3 * kBlock);
  }
  for (; size >= kBlock; size -= kBlock, in += kBlock, out += kBlock) block(0);
  if (size >= sizeof(std::uint64_t)) {
    __builtin_memcpy(out, in, sizeof(std::uint64_t));
    size -= sizeof(std::uint64_t);
    in += sizeof(std::uint64_t);
    out += sizeof(std::uint64_t);
  }
  for (; size >= sizeof(int); size -= sizeof(int), in += sizeof(int), out += sizeof(int))
    __builtin_memcpy(out, in, sizeof(int));
  for (; size > 0; --size) *out++ = *in++;
  return out;
}

// In multiples of eight bytes.
[[gnu::always_inline]] inline void clear_words(void* from, std::size_t size) {
  auto* at = static_cast<char*>(from);
  const auto block = [&](std::size_t offset) __attribute__((always_inline)) {
    _mm_storeu_si128(reinterpret_cast<__m128i_u*>(at + offset), _mm_setzero_si128());
  };
  constexpr std::size_t kBlock = sizeof(__m128i);
  for (; size >= 4 * kBlock; size -= 4 * kBlock, at += 4 * kBlock) {
    block(0);
    block(kBlock);
    block(2 * kBlock);
    block(3 * kBlock);
  }
  for (; size >= kBlock; size -= kBlock, at += kBlock) block(0);
  if (size != 0) __builtin_memset(at, 0, sizeof(std::uint64_t));
}

// The same number of bytes, in multiples of sixteen, all of them zero.
[[gnu::always_inline]] inline bool are_zero(const void* from, std::size_t size) {
  const auto* at = static_cast<const __m128i_u*>(from);
  __m128i any = _mm_setzero_si128();
  for (std::size_t i = 0; i < size / sizeof any; ++i) any = _mm_or_si128(any, _mm_loadu_si128(at + i));
  return _mm_movemask_epi8(_mm_cmpeq_epi8(any, _mm_setzero_si128())) == 0xFFFF;
}

}  // namespace plumb::runtime
