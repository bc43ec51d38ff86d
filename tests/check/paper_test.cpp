// The figures and examples of Horn and Kroening, "Faster linearizability checking via P-compositionality", by
// name.
#include <array>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "check/partition.hpp"
#include "spec/bind.hpp"
#include "spec/typed_model.hpp"
#include "support/agree.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

using test::draw;
using test::options;
using test::Script;
using ::testing::ElementsAre;

const Model& model(const char* name) { return *find_model(name).value(); }

Outcome outcome(const Script& script, const Model& m) {
  const History history = script.build();
  EXPECT_TRUE(test::agree(history, m));
  const auto verdict = check(history, m, options(Engine::kWgl));
  return verdict ? verdict->outcome : Outcome::kUnknown;
}

// The sub-histories into which a history is split, each as the ids of its operations by call.
std::vector<std::vector<OperationId>> split(const History& history, const Model& m) {
  const auto bound = BoundHistory::bind(history, m);
  const Partition partition(bound.value(), PartitionBy::kObjectAndKey);
  std::vector<std::vector<OperationId>> parts;
  for (const Part& part : partition.parts()) {
    parts.emplace_back();
    for (const Event event : part.events) {
      if (!event.is_return()) parts.back().push_back(event.operation());
    }
  }
  return parts;
}

Script figure_1() {
  return draw(R"(
    |--insert(1):true--|            |--contains(1):true--|
          |--remove(1):false--|
  )");
}

TEST(Paper, Figure1IsAsInExample1) {
  const History h1 = figure_1().build();
  // call1, call2, ret1, ret2, call3, ret3; here the operations 0 (insert), 2 (remove), 1 (contains)
  EXPECT_THAT(h1.events(), ElementsAre(Event::call(0), Event::call(2), Event::ret(0), Event::ret(2),
                                       Event::call(1), Event::ret(1)));
}

TEST(Paper, Examples2And3SequentialHistories) {
  EXPECT_EQ(outcome(draw("|-remove(1):false-| |-insert(1):true-| |-contains(1):true-|"), model("set")),
            Outcome::kHolds);
  EXPECT_EQ(outcome(draw("|-insert(1):true-| |-remove(1):false-| |-contains(1):true-|"), model("set")),
            Outcome::kViolation);
}

TEST(Paper, Example5Figure1IsLinearizableByH2) {
  const History h1 = figure_1().build();
  EXPECT_TRUE(test::agree(h1, model("set")));
  const auto verdict = check(h1, model("set"), options(Engine::kWgl));
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->outcome, Outcome::kHolds);
  EXPECT_THAT(verdict->linearization, ElementsAre(2, 0, 1)) << "H2 is the only witness";
}

TEST(Paper, Example5WhatHappensBeforeCannotBeReordered) {
  EXPECT_EQ(outcome(draw(R"(
    |--insert(1):true--|               |--contains(1):true--|
                          |--remove(1):true--|
  )"),
                    model("set")),
            Outcome::kHolds);
  EXPECT_EQ(outcome(draw(R"(
    |--insert(1):true--|                     |--contains(1):true--|
                          |--remove(1):true--|
  )"),
                    model("set")),
            Outcome::kHolds)
      << "equal times are concurrent";
  EXPECT_EQ(outcome(draw(R"(
    |--insert(1):true--|                      |--contains(1):true--|
                          |--remove(1):true--|
  )"),
                    model("set")),
            Outcome::kViolation);
}

Script figure_2a() {
  return draw(R"(
    |--insert(0):true--|   |--contains(0):true--|
              |--remove(1):false--|
  )");
}

TEST(Paper, Figure2BothHistoriesAreLinearizable) {
  EXPECT_EQ(outcome(figure_2a(), model("set")), Outcome::kHolds);
  Script lifted = figure_2a();  // 2b: without the lifted operation
  lifted.operations.erase(lifted.operations.begin() + 1);
  EXPECT_EQ(outcome(lifted, model("set")), Outcome::kHolds);
}

TEST(Paper, Example11PartitionsFigure2ByTheArgument) {
  const History history = figure_2a().build();
  EXPECT_THAT(split(history, model("set")), ElementsAre(ElementsAre(0, 1), ElementsAre(2)));
  const auto verdict = check(history, model("set"), options(Engine::kWgl));
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->parts, 2U);
}

TEST(Paper, Example6LocalityByObject) {
  const Script script = draw(R"(
    |--a.enqueue(1)--|  |--b.dequeue:2--|
    |--b.enqueue(2)--|  |--a.dequeue:1--|
  )");
  EXPECT_EQ(outcome(script, model("queue")), Outcome::kHolds);
  EXPECT_THAT(split(script.build(), model("queue")), ElementsAre(ElementsAre(0, 3), ElementsAre(2, 1)));
}

TEST(Paper, Example7ASetIsCheckedKeyByKey) {
  const Script right = draw(R"(
    |--insert(1):true--| |--insert(2):true--|  |--contains(1):false--|
            |--remove(2):false--|  |--remove(1):true--|
  )");
  EXPECT_EQ(outcome(right, model("set")), Outcome::kHolds);
  EXPECT_EQ(split(right.build(), model("set")).size(), 2U);
  Script wrong = right;
  wrong.operations[2].result = kTrue;  // contains(1), after remove(1) has surely happened
  wrong.operations[2].call += 30;
  wrong.operations[2].ret += 30;
  EXPECT_EQ(outcome(wrong, model("set")), Outcome::kViolation);
  const History history = wrong.build();
  const auto verdict = check(history, model("set"), options(Engine::kWgl));
  ASSERT_TRUE(verdict.ok() && verdict->violation);
  EXPECT_THAT(verdict->violation->operations, ElementsAre(0, 2, 4)) << "nothing about key 2 is in the core";
}

TEST(Paper, Example7AMapIsCheckedKeyByKey) {
  const Script script = draw(R"(
    |--put(1,7)--| |--get(2):null--|
       |--put_if_absent(2,8):true--|  |--get(1):7--|
  )");
  EXPECT_EQ(outcome(script, model("map")), Outcome::kHolds);
  EXPECT_THAT(split(script.build(), model("map")), ElementsAre(ElementsAre(0, 3), ElementsAre(2, 1)));
}

// The array of example 8 is a map whose keys are its indexes.
TEST(Paper, Example8AnArrayIsCheckedIndexByIndex) {
  const Script right = draw(R"(
    |--put(0,5)--|   |--get(1):6--|
         |--put(1,6)--|    |--get(0):5--|
  )");
  EXPECT_EQ(outcome(right, model("map")), Outcome::kHolds);
  EXPECT_EQ(split(right.build(), model("map")).size(), 2U);
  const Script wrong = draw(R"(
    |--put(0,5)--|   |--get(1):6--|
         |--put(1,6)--|    |--get(0):6--|
  )");
  EXPECT_EQ(outcome(wrong, model("map")), Outcome::kViolation);
}

// Example 9: push(v, h) and pop(h) -> v of a stack that returns its height before the change. A push at
// height h and a pop at height h + 1 concern the same level; what happens on one level does not depend on the
// others, except for the heights, and these are given. The recorded height stands among the arguments, so
// that it can be the key.
struct StackLevel {
  enum Operation : std::uint32_t { kPush, kPop };
  using State = Value;  // what stands on this level; null: nothing
  static constexpr std::string_view kName = "stack-with-heights";
  static constexpr std::string_view kSummary = "one level of a stack";

  static std::vector<OperationSpec> operations() {
    return {{"push", {}, {Takes::kNotNull, Takes::kInteger}, Returns::kNothing, Effect::kMayChange},
            {"pop", {}, {Takes::kInteger}, Returns::kAny, Effect::kMayChange}};
  }
  static Value key(const Call& call) {
    return call.operation == kPush ? call.args[1] : Value::small(call.args[0].small_integer() - 1);
  }
  static Result<State> initial(const Values&, Value given) { return given; }
  static std::optional<Value> result(State on_level, const Call& call, Values&) {
    if (call.operation == kPush) return on_level.is_null() ? std::optional(kNull) : std::nullopt;
    return on_level.is_null() ? std::nullopt : std::optional(on_level);
  }
  static void update(State& on_level, const Call& call, Values&) {
    on_level = call.operation == kPush ? call.args[0] : kNull;
  }
  static std::string describe(State on_level, const Values& values) { return values.to_json(on_level); }
};

// By level only: the state of StackLevel is that of one level, so the checks that look at the whole do not
// apply.
Result<Verdict> check_levels(const History& history) {
  static const TypedModel<StackLevel> levels;
  return check(history, levels, options(Engine::kWgl));
}

TEST(Paper, Example9AStackWithHeightsIsCheckedLevelByLevel) {
  const History right = draw(R"(
    |--push(7,0)--|    |--pop(2):8--|     |--pop(1):9--|
          |--push(8,1)--|    |--pop(1):7--| |--push(9,0)--|
  )")
                            .build();
  const auto verdict = check_levels(right);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->outcome, Outcome::kHolds);
  EXPECT_EQ(verdict->parts, 2U);
}

TEST(Paper, Example9AWrongLevelIsFound) {
  const History wrong = draw(R"(
    |--push(7,0)--|    |--pop(2):8--|
          |--push(8,1)--|    |--pop(1):8--|
  )")
                            .build();
  const auto verdict = check_levels(wrong);
  ASSERT_TRUE(verdict.ok() && verdict->violation);
  EXPECT_EQ(verdict->violation->stuck, 3U);
  EXPECT_THAT(verdict->violation->operations, ElementsAre(0, 3)) << "level 0 alone";
  EXPECT_THAT(verdict->violation->allowed, ElementsAre("7"));
}

// The same recording without heights, as the built-in stack sees it.
TEST(Paper, Example9AgreesWithThePlainStack) {
  EXPECT_EQ(outcome(draw(R"(
    |--push(7)--|    |--pop:8--|     |--pop:9--|
          |--push(8)--|   |--pop:7--| |--push(9)--|
  )"),
                    model("stack")),
            Outcome::kHolds);
  EXPECT_EQ(outcome(draw(R"(
    |--push(7)--|    |--pop:8--|
          |--push(8)--|   |--pop:8--|
  )"),
                    model("stack")),
            Outcome::kViolation);
}

}  // namespace
}  // namespace plumb
