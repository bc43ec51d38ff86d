// The hash of a state: every byte of every piece counts, however long the piece is, and nothing behind it does.
#include "explore/states/state_hash.hpp"

#include <gtest/gtest.h>

#include <array>

namespace {

using plumb::engine::StateHash;
using plumb::engine::StateKey;

constexpr std::size_t kLongest = 150;
using Piece = std::array<char, kLongest + 16>;

StateKey key_of(const Piece& piece, std::size_t size) {
  StateHash hash;
  hash.add(piece.data(), size);
  hash.add(1, 2);
  return hash.key();
}

TEST(StateHashes, EveryByteOfAPieceCounts) {
  for (std::size_t size = 1; size <= kLongest; ++size) {
    Piece piece{};
    const StateKey zero = key_of(piece, size);
    for (std::size_t i = 0; i < size; ++i) {
      piece.at(i) = 1;
      EXPECT_NE(key_of(piece, size), zero) << "byte " << i << " of " << size;
      piece.at(i) = 0;
    }
  }
}

TEST(StateHashes, NothingBehindAPieceCounts) {
  for (std::size_t size = 0; size <= kLongest; ++size) {
    Piece piece{};
    const StateKey zero = key_of(piece, size);
    for (std::size_t i = size; i < piece.size(); ++i) piece.at(i) = 1;
    EXPECT_EQ(key_of(piece, size), zero) << size;
  }
}

TEST(StateHashes, TheOrderOfPiecesCounts) {
  const std::array<std::uint64_t, 2> first{1, 2};
  const std::array<std::uint64_t, 2> second{3, 4};
  StateHash one;
  one.add(first.data(), sizeof first);
  one.add(second.data(), sizeof second);
  StateHash other;
  other.add(second.data(), sizeof second);
  other.add(first.data(), sizeof first);
  EXPECT_NE(one.key(), other.key());
}

}  // namespace
