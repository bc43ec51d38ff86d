// Deques by frontiers: what the random tests of all models (random_test.cpp, exhaustive_test.cpp) are too short for.
#include <utility>

#include <gtest/gtest.h>

#include <plumb/check.hpp>
#include <plumb/generate.hpp>

#include "support/oracle.hpp"

namespace plumb {
namespace {

const Model& deque() { return *find_model("deque").value(); }

History generated(std::size_t operations, bool distinct, bool spoiled, double pending = 0) {
  GenerateOptions options;
  options.model = "deque";
  options.operations = operations;
  options.processes = 4;
  options.values = distinct ? operations : 2;
  options.distinct = distinct;
  options.overlap = 1;
  options.pending = pending;
  options.spoil = spoiled;
  return std::move(generate(options).value().history);
}

TEST(FrontierDeque, LongHistoriesAreDecided) {
  for (const bool distinct : {true, false}) {
    for (const bool spoiled : {true, false}) {
      const History history = generated(400, distinct, spoiled);
      const auto verdict = check(history, deque(), test::options(Engine::kFrontier));
      ASSERT_EQ(verdict->outcome, spoiled ? Outcome::kViolation : Outcome::kHolds);
      if (spoiled) continue;
      EXPECT_TRUE(test::is_witness(history, deque(), verdict->linearization));
    }
  }
}

TEST(FrontierDeque, PendingOperationsMayHaveTakenEffect) {
  const History history = generated(200, false, false, 0.02);
  const auto verdict = check(history, deque(), test::options(Engine::kFrontier));
  ASSERT_EQ(verdict->outcome, Outcome::kHolds);
  EXPECT_TRUE(test::is_witness(history, deque(), verdict->linearization));
}

TEST(FrontierDeque, TakesTurnsWithTheSearch) {
  const auto easy = check(generated(400, true, false), deque(), test::options(Engine::kAuto));
  EXPECT_EQ(to_string(easy->engines), "wgl");
  EXPECT_EQ(easy->why, "this model has no monitor");
  const auto hard = check(generated(1000, false, false), deque(), test::options(Engine::kAuto));
  EXPECT_EQ(hard->outcome, Outcome::kHolds);
  EXPECT_EQ(to_string(hard->engines), "frontier");
}

}  // namespace
}  // namespace plumb
