// Values of options.
#include "options/option_values.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

namespace plumb::options {
namespace {

TEST(OptionValues, BytesTakeSuffixes) {
  EXPECT_EQ(parse_bytes("1000").value(), 1000U);
  EXPECT_EQ(parse_bytes("2K").value(), 2048U);
  EXPECT_EQ(parse_bytes("1.5m").value(), 1'572'864U);
  EXPECT_EQ(parse_bytes("2GiB").value(), 2'147'483'648U);
  for (const char* wrong : {"", "K", "-1", "1 K", "1KK", "0x10", "1e400"})
    EXPECT_FALSE(parse_bytes(wrong)) << wrong;
}

TEST(OptionValues, NumbersAreWholeAndInRange) {
  EXPECT_EQ(parse_whole<int>("-1", -1).value(), -1);
  EXPECT_EQ(parse_whole<std::uint64_t>("18446744073709551615", 0).value(), 18446744073709551615U);
  EXPECT_EQ(parse_whole<std::uint64_t>("-1", 0).error().message, "'-1'; expected a whole number from 0");
  EXPECT_EQ(parse_whole<std::uint32_t>("4294967296", 0).error().message,
            "'4294967296'; expected a whole number from 0 to 4294967295");
  EXPECT_EQ(parse_whole<int>("5", 1, 4).error().message, "'5'; expected a whole number from 1 to 4");
  EXPECT_FALSE(parse_whole<int>("1.5", 0));
  EXPECT_FALSE(parse_whole<int>(" 1", 0));
}

TEST(OptionValues, ChoicesNameTheNearest) {
  const std::array<std::string, 2> names = {"explore", "stress"};
  EXPECT_EQ(parse_choice("stress", names).value(), 1U);
  EXPECT_EQ(parse_choice("stres", names).error().message,
            "'stres' (did you mean 'stress'?); expected one of: explore, stress");
}

}  // namespace
}  // namespace plumb::options
