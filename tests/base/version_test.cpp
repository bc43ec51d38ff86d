// The version says the same to the preprocessor, to programs and to CMake, which reads it from the header.
#include <plumb/version.hpp>

#include <gtest/gtest.h>

#include <fmt/format.h>

namespace plumb::test {
namespace {

TEST(Version, IsOne) {
  EXPECT_EQ(kVersion, fmt::format("{}.{}.{}", PLUMB_VERSION_MAJOR, PLUMB_VERSION_MINOR, PLUMB_VERSION_PATCH));
}

}  // namespace
}  // namespace plumb::test
