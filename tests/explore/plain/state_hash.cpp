// The hash of a state: every byte of every piece counts, however long the piece is, and nothing behind it does. Both ways to it.
#include "explore/states/state_hash.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <vector>

namespace {

using plumb::engine::Piece;
using plumb::engine::StateKey;

constexpr std::size_t kLongest = 150;
using Bytes = std::array<char, kLongest + 64>;

class StateHashes : public testing::TestWithParam<bool> {
 protected:
  void SetUp() override {
    if (GetParam() && !plumb::engine::has_wide_aes()) GTEST_SKIP() << "the processor has no wide AES";
  }
  static StateKey key_of(const std::vector<Piece>& pieces) {
    return GetParam() ? plumb::engine::hash_by_wide_aes(pieces) : plumb::engine::hash_by_narrow_aes(pieces);
  }
  static StateKey key_of(const Bytes& piece, std::size_t size) {
    static constexpr std::uint64_t kAnother = 1;
    return key_of({{piece.data(), size}, {&kAnother, sizeof kAnother}});
  }
};

TEST_P(StateHashes, EveryByteOfAPieceCounts) {
  for (std::size_t size = 1; size <= kLongest; ++size) {
    Bytes piece{};
    const StateKey zero = key_of(piece, size);
    for (std::size_t i = 0; i < size; ++i) {
      piece.at(i) = 1;
      EXPECT_NE(key_of(piece, size), zero) << "byte " << i << " of " << size;
      piece.at(i) = 0;
    }
  }
}

TEST_P(StateHashes, NothingBehindAPieceCounts) {
  for (std::size_t size = 0; size <= kLongest; ++size) {
    Bytes piece{};
    const StateKey zero = key_of(piece, size);
    for (std::size_t i = size; i < piece.size(); ++i) piece.at(i) = 1;
    EXPECT_EQ(key_of(piece, size), zero) << size;
  }
}

TEST_P(StateHashes, TheOrderOfPiecesCounts) {
  const std::array<std::uint64_t, 2> first{1, 2};
  const std::array<std::uint64_t, 2> second{3, 4};
  const Piece one{first.data(), sizeof first};
  const Piece other{second.data(), sizeof second};
  EXPECT_NE(key_of({one, other}), key_of({other, one}));
}

// Blocks that change places, in one piece as long as all accumulators together several times.
TEST_P(StateHashes, TheOrderOfBlocksCounts) {
  constexpr std::size_t kBlock = 16;
  std::vector<char> bytes(kBlock * 40);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<char>(i / kBlock + 1);
  const StateKey before = key_of({{bytes.data(), bytes.size()}});
  for (std::size_t i = 0; i < bytes.size(); i += kBlock) {
    for (std::size_t j = i + kBlock; j < bytes.size(); j += kBlock) {
      const auto a = bytes.begin() + static_cast<std::ptrdiff_t>(i);
      const auto b = bytes.begin() + static_cast<std::ptrdiff_t>(j);
      std::swap_ranges(a, a + kBlock, b);
      EXPECT_NE(key_of({{bytes.data(), bytes.size()}}), before) << i << " and " << j;
      std::swap_ranges(a, a + kBlock, b);
    }
  }
}

// The same small change at two places: neither takes the other one back.
TEST_P(StateHashes, TwoChangesCount) {
  std::vector<char> bytes(600);
  const StateKey before = key_of({{bytes.data(), bytes.size()}});
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    for (std::size_t j = i + 1; j < bytes.size(); ++j) {
      bytes[i] = bytes[j] = 1;
      EXPECT_NE(key_of({{bytes.data(), bytes.size()}}), before) << i << " and " << j;
      bytes[i] = bytes[j] = 0;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Both, StateHashes, testing::Bool(),
                         [](const auto& given) { return given.param ? "Wide" : "Narrow"; });

TEST(StateHash, IsTheSameBothWays) {
  if (!plumb::engine::has_wide_aes()) GTEST_SKIP() << "the processor has no wide AES";
  std::minstd_rand random(1);
  std::vector<char> bytes(10'000);
  for (char& each : bytes) each = static_cast<char>(random());
  for (int round = 0; round < 1000; ++round) {
    std::vector<Piece> pieces(random() % 40);
    for (Piece& piece : pieces)
      piece = {bytes.data() + random() % 5000, random() % (random() % 8 == 0 ? 2000 : 200)};
    EXPECT_EQ(plumb::engine::hash_by_wide_aes(pieces), plumb::engine::hash_by_narrow_aes(pieces));
  }
}

}  // namespace
