#include "base/count_of.hpp"

#include <gtest/gtest.h>

namespace plumb {
namespace {

TEST(CountOf, OneIsNotMany) {
  EXPECT_EQ(count_of(0, "operation"), "0 operations");
  EXPECT_EQ(count_of(1, "operation"), "1 operation");
  EXPECT_EQ(count_of(2, "operation"), "2 operations");
  EXPECT_EQ(count_of(1, "process"), "1 process");
  EXPECT_EQ(count_of(2, "process"), "2 processes");
  EXPECT_EQ(count_of(1, "distinct history"), "1 distinct history");
  EXPECT_EQ(count_of(2, "distinct history"), "2 distinct histories");
  EXPECT_EQ(noun_for(1, "round") + " or " + noun_for(3, "round"), "round or rounds");
}

}  // namespace
}  // namespace plumb
