// Which of the two decides where values repeat, frontiers or the search; and what is said of it.
#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/oracle.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

const Model& model(const char* name) { return *find_model(name).value(); }

// Pushes that all overlap, of values of which one repeats, then a pop of the last.
History wide_stack(std::int64_t pushes) {
  HistoryBuilder builder;
  for (std::int64_t i = 0; i < pushes; ++i) {
    const Value value = Value::small(std::max<std::int64_t>(i, 1));
    builder.add(Value::small(i), builder.function("push"), std::span(&value, 1), {}, i, 1000 + i);
  }
  builder.add(Value::small(pushes), builder.function("pop"), {}, {Value::small(pushes - 1), true}, 2000,
              2001);
  return builder.finish().value();
}

TEST(FrontierPlan, TheSearchGetsItsTurn) {
  for (const std::int64_t pushes : {16, 24, 30, 63}) {
    const auto verdict = check(wide_stack(pushes), model("stack"), test::options(Engine::kAuto));
    ASSERT_EQ(verdict->outcome, Outcome::kHolds) << pushes << ": " << verdict->why;
    EXPECT_EQ(to_string(verdict->engines), pushes > 16 ? "wgl" : to_string(verdict->engines));
  }
}

TEST(FrontierPlan, MoreThanSixtyFourAreLeftToTheSearch) {
  const auto verdict = check(wide_stack(70), model("stack"), test::options(Engine::kAuto));
  EXPECT_EQ(verdict->outcome, Outcome::kHolds) << verdict->why;
  EXPECT_EQ(to_string(verdict->engines), "wgl");
  const auto only = check(wide_stack(70), model("stack"), test::options(Engine::kFrontier));
  EXPECT_EQ(only->outcome, Outcome::kUnknown);
  EXPECT_EQ(only->why, "no frontier can judge it: more than 64 operations are open at once");
}

TEST(FrontierPlan, SaysWhatIsJudgedOfSeveralObjects) {
  HistoryBuilder builder;
  const Value value = Value::small(7);
  const auto add = [&](std::int64_t object, std::int64_t process, Time call, Time ret) {
    const OperationId id =
        builder.add(Value::small(process), builder.function("push"), std::span(&value, 1), {}, call, ret);
    builder.set_object(id, Value::small(object));
  };
  add(1, 0, 0, 1);
  for (std::int64_t process = 1; process <= 70; ++process) add(2, process, 1 + process, 1000 + process);
  const auto verdict = check(builder.finish().value(), model("stack"), test::options(Engine::kFrontier));
  EXPECT_EQ(
      verdict->why,
      "1 part by frontiers; no frontier can judge the others: more than 64 operations are open at once; 2 "
      "parts by object");
}

TEST(FrontierPlan, SaysThatAModelHasNone) {
  const auto verdict = check(test::Script().build(), model("map"), test::options(Engine::kFrontier));
  EXPECT_EQ(verdict->why, "the history is empty");
}

}  // namespace
}  // namespace plumb
