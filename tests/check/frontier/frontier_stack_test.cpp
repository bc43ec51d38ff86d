// Stacks with values that repeat: the search by frontiers against the definition, on all small histories and
// on random ones: the verdict, the order, the first return that is stuck, and the results it could have had.
#include "check/frontier/frontier_stack.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/scale.hpp"
#include "support/tiny_stack.hpp"

namespace plumb {
namespace {

using test::StackOps;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using Kind = StackOp::Kind;

constexpr std::uint32_t kNever = StackOp::kNever;

SearchLimits limits_of(const Budget& budget) {
  SearchLimits limits;
  limits.budget = &budget;
  limits.memory = std::size_t{1} << 30;
  return limits;
}

StackAnswer decide(const StackOps& ops) {
  const Budget budget(std::nullopt, nullptr);
  return decide_stack(ops, limits_of(budget));
}

bool could_be(StackOps ops, std::uint32_t op, std::uint32_t value, Kind kind) {
  ops[op].value = value;
  ops[op].kind = kind;
  return test::stack_by_definition(ops, ops[op].ret + 1);
}

void expect_right(const StackOps& ops, std::uint32_t values) {
  const StackAnswer answer = decide(ops);
  const bool is_linearizable = test::stack_by_definition(ops);
  ASSERT_EQ(answer.outcome, is_linearizable ? Outcome::kHolds : Outcome::kViolation);
  const std::uint32_t end = is_linearizable ? kNever : ops[answer.stuck].ret;
  ASSERT_TRUE(test::is_order(ops, answer.order, end));
  if (is_linearizable) return;
  ASSERT_TRUE(test::stack_by_definition(ops, end));
  ASSERT_FALSE(test::stack_by_definition(ops, end + 1));
  ASSERT_TRUE(answer.allowed_complete);
  ASSERT_EQ(answer.allowed_nothing, could_be(ops, answer.stuck, 0, Kind::kPopNothing));
  for (std::uint32_t value = 0; value < values; ++value) {
    ASSERT_EQ(std::ranges::binary_search(answer.allowed, value),
              could_be(ops, answer.stuck, value, Kind::kPop))
        << value;
  }
}

std::string shown(const StackOps& ops) {
  std::string text;
  for (const auto& [call, ret, value, kind] : ops) {
    text += std::to_string(call) + " … " + (ret == kNever ? "never" : std::to_string(ret)) + " kind " +
            std::to_string(static_cast<int>(kind)) + " value " + std::to_string(value) + "\n";
  }
  return text;
}

TEST(FrontierStack, NothingIsLinearizable) { EXPECT_EQ(decide({}).outcome, Outcome::kHolds); }

TEST(FrontierStack, LastInFirstOut) {
  const StackOps ops = {
      {0, 1, 7, Kind::kPush}, {2, 3, 8, Kind::kPush}, {4, 5, 8, Kind::kPop}, {6, 7, 7, Kind::kPop}};
  EXPECT_THAT(decide(ops).order, ElementsAre(0, 1, 2, 3));
}

TEST(FrontierStack, TheStuckPopAndWhatItCouldHaveHad) {
  const StackOps ops = {
      {0, 1, 7, Kind::kPush}, {2, 4, 8, Kind::kPush}, {3, 6, 9, Kind::kPop}, {5, 7, 7, Kind::kPop}};
  const StackAnswer answer = decide(ops);
  ASSERT_EQ(answer.outcome, Outcome::kViolation);
  EXPECT_EQ(answer.stuck, 2U);
  EXPECT_THAT(answer.allowed, ElementsAre(7, 8));
  EXPECT_FALSE(answer.allowed_nothing);
}

TEST(FrontierStack, APendingPopTakesWhatIsInTheWay) {
  const StackOps ops = {{0, 1, 7, Kind::kPush},
                        {2, 3, 8, Kind::kPush},
                        {4, kNever, 0, Kind::kPopAnything},
                        {5, 6, 7, Kind::kPop}};
  EXPECT_THAT(decide(ops).order, ElementsAre(0, 1, 2, 3));
}

TEST(FrontierStack, APendingPushIsPopped) {
  const StackOps ops = {{0, kNever, 7, Kind::kPush}, {1, 2, 0, Kind::kPopNothing}, {3, 4, 7, Kind::kPop}};
  EXPECT_THAT(decide(ops).order, ElementsAre(1, 0, 2));
}

TEST(FrontierStack, ManyPendingPopsThatAllTakeEffect) {
  StackOps ops;
  std::uint32_t position = 0;
  for (std::uint32_t i = 0; i < 12; ++i) {
    ops.push_back({position, position + 1, i == 0 ? 7U : 8U, Kind::kPush});
    position += 2;
  }
  for (std::uint32_t i = 0; i < 11; ++i) ops.push_back({position++, kNever, 0, Kind::kPopAnything});
  ops.push_back({position, position + 1, 7, Kind::kPop});
  EXPECT_EQ(decide(ops).outcome, Outcome::kHolds);
  ops[1].value = 7;
  ops.push_back({position + 2, position + 3, 7, Kind::kPop});
  EXPECT_EQ(decide(ops).outcome, Outcome::kHolds);
  ops.push_back({position + 4, position + 5, 7, Kind::kPop});
  const StackAnswer answer = decide(ops);
  EXPECT_EQ(answer.outcome, Outcome::kViolation);
  EXPECT_EQ(answer.stuck, ops.size() - 1);
  EXPECT_THAT(answer.allowed, IsEmpty());
  EXPECT_TRUE(answer.allowed_nothing);
}

TEST(FrontierStack, EveryHistoryOfThreeOperationsIsJudgedByTheDefinition) {
  test::EveryStack(3, 3, [](const StackOps& ops) {
    ASSERT_NO_FATAL_FAILURE(expect_right(ops, 2)) << shown(ops);
  }).run();
}

TEST(FrontierStack, AllOfFourAndSomeOfFiveAreJudgedByTheDefinition) {
  for (const auto& [operations, share] : {std::pair{4, 1.0}, {5, 0.01}}) {
    std::uint64_t number = 0;
    const auto judge = [&, share = share * test::test_scale()](const StackOps& ops) {
      if (!test::in_sample(number++, share)) return;
      ASSERT_NO_FATAL_FAILURE(expect_right(ops, 2)) << shown(ops);
    };
    test::EveryStack(static_cast<std::size_t>(operations), 3, judge).run();
  }
}

TEST(FrontierStack, RandomHistoriesAreJudgedByTheDefinition) {
  for (const std::uint64_t seed : test::Seeds(test::scaled(20'000))) {
    Rng rng(seed);
    const auto values = static_cast<std::uint32_t>(1 + rng.below(3));
    StackOps ops = test::StackRun({.operations = 2 + rng.below(10),
                                   .processes = 1 + rng.below(6),
                                   .values = values,
                                   .push = 0.3 + 0.1 * static_cast<double>(rng.below(6)),
                                   .crash = 0.15 * static_cast<double>(rng.below(4))},
                                  rng)
                       .run();
    for (std::uint64_t left = rng.below(4); left > 0; --left) test::spoil(ops, values, ops.size(), rng);
    ASSERT_NO_FATAL_FAILURE(expect_right(ops, values)) << "seed " << seed << "\n" << shown(ops);
  }
}

TEST(FrontierStack, LongHistoriesAreExplained) {
  for (const double push : {0.4, 0.5, 0.8}) {
    Rng rng(1);
    const StackOps ops =
        test::StackRun({.operations = 3000, .processes = 6, .values = 3, .push = push, .crash = 0.0005}, rng)
            .run();
    const StackAnswer answer = decide(ops);
    ASSERT_EQ(answer.outcome, Outcome::kHolds);
    EXPECT_TRUE(test::is_order(ops, answer.order, kNever));
  }
}

TEST(FrontierStack, ALateViolationInALongHistoryIsFound) {
  std::size_t violations = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    Rng rng(seed);
    StackOps ops = test::StackRun({.operations = 2000, .processes = 4}, rng).run();
    test::spoil(ops, 2, 100, rng);
    const StackAnswer answer = decide(ops);
    const bool is_violation = answer.outcome == Outcome::kViolation;
    violations += is_violation ? 1 : 0;
    EXPECT_TRUE(test::is_order(ops, answer.order, is_violation ? ops[answer.stuck].ret : kNever));
  }
  EXPECT_GT(violations, 2U);
}

TEST(FrontierStack, AHighStack) {
  StackOps ops;
  for (std::uint32_t i = 0; i < 200'000; ++i)
    ops.push_back({2 * i, 2 * i + 1, i % 3, i < 100'000 ? Kind::kPush : Kind::kPop});
  for (std::uint32_t i = 0; i < 100'000; ++i) ops[199'999 - i].value = ops[i].value;
  EXPECT_EQ(decide(ops).outcome, Outcome::kHolds);
  ops[150'000].value = 5;
  EXPECT_EQ(decide(ops).stuck, 150'000U);
}

TEST(FrontierStack, SaysThatTooManyOverlap) {
  StackOps ops;
  for (std::uint32_t i = 0; i <= StackOp::kMostOpen; ++i) ops.push_back({i, 1000 + i, i, Kind::kPush});
  const StackAnswer answer = decide(ops);
  EXPECT_EQ(answer.outcome, Outcome::kUnknown);
  EXPECT_EQ(answer.spent, StopReason::kTooLarge);
}

TEST(FrontierStack, KeepsToItsLimits) {
  Rng rng(3);
  const StackOps ops = test::StackRun({.operations = 2000, .processes = 6, .values = 3}, rng).run();
  const Budget no_time(std::chrono::duration<double>(0), nullptr);
  EXPECT_EQ(decide_stack(ops, limits_of(no_time)).spent, StopReason::kTime);
  const Budget budget(std::nullopt, nullptr);
  SearchLimits limits = limits_of(budget);
  limits.configurations = 1000;
  const StackAnswer ended = decide_stack(ops, limits);
  EXPECT_EQ(ended.spent, StopReason::kRound);
  EXPECT_GT(ops[ended.stuck].ret, 50U) << "it has come further than that";
  EXPECT_NE(ops[ended.stuck].ret, kNever);
  limits = limits_of(budget);
  limits.memory = 100'000;
  EXPECT_EQ(decide_stack(ops, limits).spent, StopReason::kMemory);
}

}  // namespace
}  // namespace plumb
