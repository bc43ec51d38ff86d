#include "explore/states/state_hash.hpp"

#include <cpuid.h>
#include <immintrin.h>

#include <array>

#include "explore/states/aes_blocks.hpp"

namespace plumb::engine {
namespace {

constexpr std::size_t kBlock = 64;
constexpr std::size_t kQuarter = 16;
constexpr std::size_t kQuarters = kBlock / kQuarter;
constexpr std::size_t kTurns = 4;  // accumulators, of a block each

// Where they begin: each quarter somewhere else.
alignas(kBlock) constexpr auto kBegin = [] {
  std::array<std::uint64_t, kTurns * kBlock / sizeof(std::uint64_t)> begin{};
  std::uint64_t state = kHashSeed;
  for (std::uint64_t& each : begin) each = state = state * 6'364'136'223'846'793'005U + kHashOdd;
  return begin;
}();

// Of a piece that ends there.
[[gnu::always_inline]] inline __m128i load_quarter(const char* at, const char* end) {
  constexpr std::ptrdiff_t kHalf = 8;
  const std::ptrdiff_t left = end - at;
  if (left >= static_cast<std::ptrdiff_t>(kQuarter))
    return _mm_loadu_si128(reinterpret_cast<const __m128i_u*>(at));
  if (left == kHalf) return _mm_loadl_epi64(reinterpret_cast<const __m128i_u*>(at));
  std::array<std::uint64_t, 2> halves{};
  for (std::ptrdiff_t i = 0; i < left; ++i) {
    std::uint64_t& half = halves[static_cast<std::size_t>(i / kHalf)];
    half |= std::uint64_t{static_cast<unsigned char>(at[i])} << i % kHalf * 8;
  }
  return _mm_set_epi64x(static_cast<std::int64_t>(halves[1]), static_cast<std::int64_t>(halves[0]));
}

}  // namespace

// The last block of a piece that is longer than one begins before where the one before ends, rather than to end behind the piece: there may
// be no memory, and to leave out what lies there takes a processor longer than everything else.
StateKey hash_by_narrow_aes(std::span<const Piece> pieces) {
  constexpr std::size_t kAll = kTurns * kQuarters;
  __m128i
      all[kAll];  // NOLINT(modernize-avoid-c-arrays): as a template's argument it would lose its alignment
  for (std::size_t i = 0; i < kAll; ++i)
    all[i] = _mm_load_si128(reinterpret_cast<const __m128i*>(kBegin.data()) + i);
  std::size_t turn = 0;
  for (const Piece& piece : pieces) {
    const auto* at = static_cast<const char*>(piece.from);
    const char* const end = at + piece.size;
    for (; at < end; at += kBlock, turn = (turn + kQuarters) % kAll) {
      const char* const block = piece.size < kBlock || at + kBlock <= end ? at : end - kBlock;
      for (std::size_t i = 0; i < kQuarters; ++i)
        all[turn + i] = mix_block(all[turn + i], load_quarter(block + i * kQuarter, end));
    }
  }
  __m128i sum = _mm_setzero_si128();
  for (const __m128i& each : all) sum = _mm_xor_si128(sum, mix_block(each, _mm_setzero_si128()));
  StateKey key;
  _mm_storeu_si128(reinterpret_cast<__m128i_u*>(&key), sum);
  return key;
}

#define PLUMB_WIDE __attribute__((target("vaes,avx512f,avx512bw")))

bool has_wide_aes() {
  unsigned a = 0;
  unsigned b = 0;
  unsigned c = 0;
  unsigned d = 0;
  const bool has_vaes = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (c & bit_VAES) != 0;
  return has_vaes && __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512bw") != 0;
}

PLUMB_WIDE StateKey hash_by_wide_aes(std::span<const Piece> pieces) {
  const __m512i first = _mm512_set4_epi64(kHashSeed, kHashOdd, kHashSeed, kHashOdd);
  const __m512i second = _mm512_set4_epi64(kHashOdd, kHashSeed, kHashOdd, kHashSeed);
  const auto mix = [&](__m512i with) PLUMB_WIDE __attribute__((always_inline)) {
    return _mm512_aesenc_epi128(_mm512_aesenc_epi128(with, first), second);
  };
  const auto* from = reinterpret_cast<const char*>(kBegin.data());
  __m512i a = _mm512_load_si512(from);
  __m512i b = _mm512_load_si512(from + kBlock);
  __m512i c = _mm512_load_si512(from + 2 * kBlock);
  __m512i d = _mm512_load_si512(from + 3 * kBlock);
  const auto take = [&](__m512i block) PLUMB_WIDE __attribute__((always_inline)) {
    const __m512i next = mix(_mm512_xor_si512(a, block));
    a = b;
    b = c;
    c = d;
    d = next;
  };
  for (const Piece& piece : pieces) {
    const auto* at = static_cast<const char*>(piece.from);
    if (piece.size < kBlock) {
      if (piece.size != 0) take(_mm512_maskz_loadu_epi8((std::uint64_t{1} << piece.size) - 1, at));
      continue;
    }
    const char* const last = at + piece.size - kBlock;
    for (; at < last; at += kBlock) take(_mm512_loadu_si512(at));
    take(_mm512_loadu_si512(last));
  }
  alignas(kBlock) std::array<std::uint64_t, kBlock / sizeof(std::uint64_t)> sum;
  _mm512_store_si512(sum.data(),
                     _mm512_xor_si512(_mm512_xor_si512(mix(a), mix(b)), _mm512_xor_si512(mix(c), mix(d))));
  return {sum[0] ^ sum[2] ^ sum[4] ^ sum[6], sum[1] ^ sum[3] ^ sum[5] ^ sum[7]};
}

StateKey hash_of_pieces(std::span<const Piece> pieces) {
  static const bool kWide = has_wide_aes();
  return kWide ? hash_by_wide_aes(pieces) : hash_by_narrow_aes(pieces);
}

}  // namespace plumb::engine
