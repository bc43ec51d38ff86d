#include "base/hash.hpp"

#include <string>

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(Hash64, IsXxh64) {
  EXPECT_EQ(hash64(""), 0xEF46DB3751D8E999U);
  EXPECT_EQ(hash64("a"), 0xD24EC4F1A98C6E5BU);
  EXPECT_EQ(hash64("abc"), 0x44BC2CF5AD770999U);
  EXPECT_EQ(hash64("Nobody inspects the spammish repetition"), 0xFBCEA83C8A378BF1U);
}

TEST(Hash64, EveryBitCounts) {
  const std::string text(75, 'x');
  const std::uint64_t hash = hash64(text);
  for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
    std::string other = text;
    other[bit / 8] = static_cast<char>(other[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_NE(hash64(other), hash);
  }
}

TEST(Hash128, IsXxh3) {
  EXPECT_EQ(hash128(""), (Hash128{0x99AA06D3014798D8U, 0x6001C324468D497FU}));
  EXPECT_NE(hash128("a"), hash128("b"));
  EXPECT_EQ(hash128(std::string(1000, 'x')), hash128(std::string(1000, 'x')));
}

}  // namespace
}  // namespace plumb
