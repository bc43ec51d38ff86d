// The table of values: equal values have equal handles.
#include <array>
#include <limits>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <plumb/value.hpp>

namespace plumb {
namespace {

TEST(Value, SmallIntegersAreTheirOwnHandles) {
  Values values;
  for (const std::int64_t n : {std::int64_t{0}, std::int64_t{-1}, std::int64_t{7},
                               (std::int64_t{1} << 30) - 1, -(std::int64_t{1} << 30)}) {
    EXPECT_TRUE(values.integer(n).is_small());
    EXPECT_EQ(values.integer(n).small_integer(), n);
    EXPECT_EQ(values.as_integer(values.integer(n)), n);
  }
}

RC_GTEST_PROP(Value, EveryIntegerComesBack, (std::int64_t n)) {
  Values values;
  RC_ASSERT(values.as_integer(values.integer(n)) == n);
  RC_ASSERT(values.integer(n) == values.integer(n));
  RC_ASSERT(values.to_json(values.integer(n)) == std::to_string(n));
}

TEST(Value, EqualValuesHaveEqualHandles) {
  Values values;
  const std::array items = {values.string("a"), values.integer(1)};
  EXPECT_EQ(values.string("a"), values.string("a"));
  EXPECT_NE(values.string("a"), values.string("b"));
  EXPECT_EQ(values.array(items), values.array(items));
  EXPECT_EQ(values.real(2.0), values.integer(2));
  EXPECT_NE(values.real(2.5), values.integer(2));
  const std::array one = {Member{values.string("x"), kTrue}, Member{values.string("y"), kNull}};
  const std::array two = {Member{values.string("y"), kNull}, Member{values.string("x"), kTrue}};
  EXPECT_EQ(values.object(one), values.object(two));
  EXPECT_EQ(values.to_json(values.object(one)), R"({"x":true,"y":null})");
}

TEST(Value, TheLastOfEqualNamesWins) {
  Values values;
  const std::array members = {Member{values.string("x"), kTrue}, Member{values.string("x"), kFalse}};
  EXPECT_EQ(values.to_json(values.object(members)), R"({"x":false})");
}

TEST(Value, AChildTableKnowsTheValuesOfItsParent) {
  Values parent;
  const Value old = parent.string("old");
  Values child(&parent);
  EXPECT_EQ(child.string("old"), old);
  const Value fresh = child.string("new");
  EXPECT_EQ(child.as_string(fresh), "new");
  EXPECT_FALSE(parent.find_string("new").has_value());
}

TEST(Value, RealsAreWrittenAsReals) {
  Values values;
  for (const double d : {9223372036854775808.0, -9223372036854777856.0, 1e19, 1.5, -2.25e-7, 1e300}) {
    const std::string text = values.to_json(values.real(d));
    EXPECT_NE(text.find_first_of(".e"), std::string::npos) << text;
  }
}

TEST(Value, RealsThatAreWholeAreIntegersOf64Bits) {
  Values values;
  for (const std::int64_t n :
       {std::int64_t{0}, std::int64_t{-7}, std::int64_t{1} << 53, (std::int64_t{1} << 53) + 2,
        std::int64_t{1'000'000'000'000'000'000}, std::numeric_limits<std::int64_t>::min()})
    EXPECT_EQ(values.real(static_cast<double>(n)), values.integer(n));
  EXPECT_EQ(values.real(-0.0), values.integer(0));
  EXPECT_EQ(values.kind(values.real(9223372036854775808.0)), ValueKind::kReal);
}

// Integers and reals stand in the order of their values, to the last digit.
TEST(Value, ComparesIntegersWithReals) {
  Values values;
  const std::array ascending = {values.real(-1e300),
                                values.real(-9223372036854777856.0),
                                values.integer(std::numeric_limits<std::int64_t>::min()),
                                values.real(-0.5),
                                values.integer(0),
                                values.real(5e-324),
                                values.real(4503599627370495.5),
                                values.integer(4503599627370496),
                                values.integer(9007199254740993),
                                values.integer(std::numeric_limits<std::int64_t>::max()),
                                values.real(9223372036854775808.0),
                                values.real(1e19)};
  for (std::size_t i = 0; i < ascending.size(); ++i) {
    for (std::size_t k = 0; k < ascending.size(); ++k)
      EXPECT_EQ(values.compare(ascending[i], ascending[k]) < 0, i < k) << i << " and " << k;
  }
}

TEST(Value, ComparesNumbersBySizeAndStringsByBytes) {
  Values values;
  EXPECT_LT(values.compare(values.integer(2), values.integer(10)), 0);
  EXPECT_LT(values.compare(values.real(2.5), values.integer(3)), 0);
  EXPECT_LT(values.compare(values.string("10"), values.string("2")), 0);
  EXPECT_EQ(values.compare(kNull, kNull), 0);
}

TEST(Value, ImportsFromAnotherTable) {
  Values from;
  Values to;
  (void)to.string("something else");
  const std::array items = {from.string("a"), from.integer(std::numeric_limits<std::int64_t>::max())};
  const Value value = from.array(items);
  EXPECT_EQ(to.to_json(to.import(from, value)), from.to_json(value));
}

TEST(Value, EscapesControlCharacters) {
  Values values;
  EXPECT_EQ(values.to_json(values.string(std::string_view("a\"\\\n\x01\0", 6))), R"("a\"\\\n\u0001\u0000")");
}

}  // namespace
}  // namespace plumb
