// Base64: the examples of RFC 4648, and back again whatever the bytes are.
#include "base/base64.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace plumb {
namespace {

TEST(Base64, ExamplesOfTheStandard) {
  EXPECT_EQ(to_base64(""), "");
  EXPECT_EQ(to_base64("f"), "Zg==");
  EXPECT_EQ(to_base64("fo"), "Zm8=");
  EXPECT_EQ(to_base64("foo"), "Zm9v");
  EXPECT_EQ(to_base64("foobar"), "Zm9vYmFy");
}

TEST(Base64, ThereAndBackAgain) {
  EXPECT_TRUE(rc::check([](const std::string& bytes) { RC_ASSERT(from_base64(to_base64(bytes)) == bytes); }));
}

TEST(Base64, RefusesOtherTexts) {
  for (const char* text : {"Zg=", "Zg", "Z===", "Z m9", "Zm9v\n", "=Zm9", "Zm-v"})
    EXPECT_FALSE(from_base64(text).has_value()) << text;
}

}  // namespace
}  // namespace plumb
