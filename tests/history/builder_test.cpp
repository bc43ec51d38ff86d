// Building histories: what is valid, and what is said of the rest.
#include <algorithm>
#include <array>

#include "support/parsing.hpp"

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

// Whether operations of one process can follow each other, each called when the one before it
// has returned: in any order.
bool can_follow(std::vector<std::pair<Time, Time>> operations) {
  std::ranges::sort(operations);
  do {
    bool fits = true;
    for (std::size_t i = 1; i < operations.size(); ++i)
      fits = fits && operations[i].first >= operations[i - 1].second;
    if (fits) return true;
  } while (std::ranges::next_permutation(operations).found);
  return false;
}

// All sets of up to four operations within a few moments, operations that return at once and pending ones
// among them: they are taken or refused for what they are, in whatever order their lines stand.
TEST(Builder, EqualTimesOfAProcessDoNotDependOnTheOrderOfLines) {
  std::vector<std::pair<Time, Time>> all;
  for (Time call = 0; call < 3; ++call) {
    for (Time ret = call; ret < 4; ++ret) all.emplace_back(call, ret);
    all.emplace_back(call, kNever);
  }
  std::size_t taken = 0;
  const auto try_out = [&](const std::vector<std::pair<Time, Time>>& operations) {
    Building b;
    std::uint32_t line = 0;
    for (const auto& [call, ret] : operations) b.add(b.p, call, ret, ++line);
    const auto history = b.builder.finish();
    EXPECT_EQ(history.ok(), can_follow(operations));
    taken += history.ok() ? 1 : 0;
  };
  for (const auto& a : all) {
    for (const auto& b : all) {
      try_out({a, b});
      for (const auto& c : all) {
        try_out({a, b, c});
        for (const auto& d : all) try_out({a, b, c, d});
      }
    }
  }
  EXPECT_GT(taken, 500U);
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
