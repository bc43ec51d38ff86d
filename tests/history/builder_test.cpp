// Building histories: what is valid, and what is said of the rest.
#include <array>

#include "history/helpers.hpp"

namespace plumb {
namespace {

struct Building {
  HistoryBuilder builder;
  FunctionId f = builder.function("f");
  Value p = Value::small(1);
  void add(Value process, Time call, Time ret, std::uint32_t line) {
    builder.add(process, f, {}, {kNull, ret != kNever}, call, ret, {line, 1});
  }
};

TEST(Builder, AnEmptyHistoryIsValid) {
  auto history = HistoryBuilder().finish();
  ASSERT_TRUE(history.ok());
  EXPECT_TRUE(history->empty());
  EXPECT_TRUE(history->events().empty());
}

TEST(Builder, OrdersEventsWithCallsFirstAtEqualTimes) {
  Building b;
  b.add(Value::small(1), 0, 5, 1);
  b.add(Value::small(2), 5, 6, 2);
  auto history = b.builder.finish();
  ASSERT_TRUE(history.ok());
  const std::array expected = {Event::call(0), Event::call(1), Event::ret(0), Event::ret(1)};
  EXPECT_TRUE(std::ranges::equal(history->events(), expected));
  EXPECT_EQ(history->processes(), 2U);
}

TEST(Builder, AReturnBeforeItsCallIsAnError) {
  Building b;
  b.add(b.p, 5, 4, 3);
  const auto history = b.builder.finish();
  ASSERT_FALSE(history.ok());
  EXPECT_EQ(history.error().place, (Place{3, 1}));
}

TEST(Builder, OverlapWithinAProcessIsAnError) {
  Building b;
  b.add(b.p, 4, 9, 1);
  b.add(b.p, 0, 5, 2);
  const auto history = b.builder.finish();
  ASSERT_FALSE(history.ok());
  EXPECT_EQ(history.error().place, (Place{1, 1}));
}

TEST(Builder, NothingFollowsAPendingOperationOfAProcess) {
  Building b;
  b.add(b.p, 0, kNever, 1);
  b.add(b.p, 5, 6, 2);
  const auto history = b.builder.finish();
  ASSERT_FALSE(history.ok());
  EXPECT_NE(history.error().message.find("never returns"), std::string::npos);
}

TEST(Builder, FailedOperationsLeaveNoTrace) {
  Building b;
  const std::array one = {Value::small(1)};
  const std::array two = {Value::small(2)};
  ASSERT_TRUE(b.builder.call(b.p, b.f, one).ok());
  ASSERT_TRUE(b.builder.fail(b.p).ok());
  ASSERT_TRUE(b.builder.call(b.p, b.f, two).ok());
  ASSERT_TRUE(b.builder.lose(b.p).ok());
  auto history = b.builder.finish();
  ASSERT_TRUE(history.ok());
  ASSERT_EQ(history->size(), 1U);
  EXPECT_EQ(history->pending(), 1U);
  EXPECT_EQ(history->args(0)[0], Value::small(2));
}

TEST(Builder, AResponseWithoutInvocationIsAnError) {
  Building b;
  EXPECT_FALSE(b.builder.complete(b.p, {kNull, true}).ok());
  EXPECT_FALSE(b.builder.fail(b.p).ok());
}

}  // namespace
}  // namespace plumb
