// The whole check: what is an input error, what a spent budget says, and that the answer depends on nothing
// else.
#include <atomic>
#include <chrono>
#include <mutex>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/agree.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

using test::draw;
using test::options;
using test::Script;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

const Model& model(const char* name) { return *find_model(name).value(); }

std::string error_of(const Script& script, const char* model_name) {
  const History history = script.build();
  const auto verdict = check(history, model(model_name));
  return verdict ? "no error" : verdict.error().message;
}

TEST(CheckErrors, UnknownOperation) {
  EXPECT_THAT(error_of(draw("|-enqeue(1)-|"), "queue"), HasSubstr("did you mean 'enqueue'"));
  EXPECT_THAT(error_of(draw("|-frobnicate(1)-|"), "set"),
              HasSubstr("expected one of: add, remove, contains"));
}

TEST(CheckErrors, WrongNumberOfArguments) {
  EXPECT_THAT(error_of(draw("|-write-|"), "register"),
              HasSubstr("'write' with 0 arguments; expected 1 argument"));
  EXPECT_THAT(error_of(draw("|-read(1):1-|"), "register"), HasSubstr("expected 0 arguments"));
  EXPECT_THAT(error_of(draw("|-cas(1):true-|"), "register"), HasSubstr("expected 2 arguments"));
}

TEST(CheckErrors, WrongTypes) {
  EXPECT_THAT(error_of(draw("|-cas(1,2):5-|"), "register"), HasSubstr("expected true or false"));
  EXPECT_THAT(error_of(draw("|-add(word)-|"), "counter"), HasSubstr("expected an integer"));
  EXPECT_THAT(error_of(draw("|-enqueue(null)-|"), "queue"), HasSubstr("other than null"));
}

TEST(CheckErrors, MissingResult) {
  Script script;
  script.add(0, "read", 0, 1);
  EXPECT_THAT(
      error_of(script, "register"),
      HasSubstr("its result is missing; expected what it returned (null if that was null), or, if nobody "
                "saw it, that the operation is recorded as pending"));
}

TEST(CheckErrors, AWrongInitialValue) {
  Script script = draw("|-read:1-|");
  script.initial = kTrue;
  EXPECT_THAT(error_of(script, "counter"), HasSubstr("expected an integer"));
}

TEST(Check, AnEmptyHistoryIsLinearizable) {
  const History history = Script().build();
  for (const Model* m : built_in_models()) EXPECT_TRUE(test::agree(history, *m));
}

TEST(Check, OnlyPendingOperations) {
  EXPECT_TRUE(test::agree(draw("|-write(1)->\n|-read->\n|-cas(1,2)->").build(), model("register")));
}

TEST(Check, SaysWhichEngineAndWhy) {
  const History history = draw("|-add(1):true-| |-add(2):true-|").build();
  const auto automatic = check(history, model("set"));
  ASSERT_TRUE(automatic.ok());
  EXPECT_FALSE(automatic->engines.empty());
  EXPECT_FALSE(automatic->why.empty());
  EXPECT_EQ(to_string(check(history, model("set"), options(Engine::kBrute))->engines), "brute");
  const auto wgl = check(history, model("set"), options(Engine::kWgl));
  EXPECT_EQ(to_string(wgl->engines), "wgl");
  EXPECT_THAT(wgl->why, HasSubstr("2 parts by key"));
}

TEST(Check, AViolationExplainsItself) {
  const History history = draw(R"(
    |--write(1)--|  |--read:5--|
                        |--write(2)--|
  )")
                              .build();
  EXPECT_TRUE(test::agree(history, model("register")));
  const auto verdict = check(history, model("register"), options(Engine::kWgl));
  ASSERT_TRUE(verdict.ok() && verdict->violation);
  EXPECT_EQ(verdict->violation->stuck, 1U);
  EXPECT_THAT(verdict->violation->operations, ElementsAre(0, 1, 2));
  EXPECT_THAT(verdict->violation->allowed, ElementsAre("1", "2"));
  EXPECT_TRUE(verdict->violation->allowed_complete);
  EXPECT_THAT(verdict->violation->reason, HasSubstr("read() -> 5 is impossible"));
}

// It may have taken effect early in its interval, before something that has returned since.
TEST(Check, AllowedKnowsTheWholeInterval) {
  const History history = draw(R"(
    |--write(1)--|      |--write(2)--|
                    |--read:5------------|
  )")
                              .build();
  for (const Engine engine : {Engine::kWgl, Engine::kBrute}) {
    const auto verdict = check(history, model("register"), options(engine));
    ASSERT_TRUE(verdict.ok() && verdict->violation);
    EXPECT_THAT(verdict->violation->allowed, ElementsAre("1", "2"));
  }
}

Script hard_to_decide() {
  Script script;  // 40 concurrent writes, and a read of something else: every subset of them has to be tried
  for (int p = 0; p < 40; ++p) script.add(p, "write(" + std::to_string(p) + "):null", 0, 10);
  script.add(50, "read:99", 11, 12);
  return script;
}

TEST(CheckBudget, ATimeoutOfNothingIsUnknown) {
  CheckOptions limited = options(Engine::kWgl);
  limited.timeout = std::chrono::seconds(0);
  const History history = draw("|-write(1)-|").build();
  const auto verdict = check(history, model("register"), limited);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->outcome, Outcome::kUnknown);
  EXPECT_THAT(verdict->why, HasSubstr("time"));
  EXPECT_FALSE(verdict->violation.has_value());
}

TEST(CheckBudget, AShortTimeoutEndsALongSearch) {
  const History history = hard_to_decide().build();
  for (const Engine engine : {Engine::kWgl, Engine::kBrute}) {
    CheckOptions limited = options(engine);
    limited.timeout = std::chrono::milliseconds(20);
    const auto verdict = check(history, model("register"), limited);
    ASSERT_TRUE(verdict.ok());
    EXPECT_EQ(verdict->outcome, Outcome::kUnknown);
    EXPECT_THAT(verdict->why, HasSubstr("time"));
  }
}

TEST(CheckBudget, TheStopFlagEndsIt) {
  const std::atomic<bool> stop = true;
  CheckOptions stopped = options(Engine::kWgl);
  stopped.stop = &stop;
  const History history = hard_to_decide().build();
  const auto verdict = check(history, model("register"), stopped);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict->why, "interrupted");
}

TEST(CheckBudget, StatesThatFillTheMemoryAreUnknown) {
  CheckOptions limited = options(Engine::kWgl);
  limited.memory = 10'000;
  limited.partition = false;
  Script script;  // every subset of 30 keys is a state
  for (int p = 0; p < 30; ++p) script.add(p, "add(" + std::to_string(p) + "):true", 0, 10);
  script.add(50, "contains(99):true", 11, 12);
  const History history = script.build();
  const auto verdict = check(history, model("set"), limited);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->outcome, Outcome::kUnknown);
  EXPECT_THAT(verdict->why, HasSubstr("memory"));
}

TEST(CheckBudget, BruteForceRefusesWhatIsTooLarge) {
  Script script;
  for (int k = 0; k < 6000; ++k) script.add(0, "write(1):null", 2 * k, 2 * k + 1);
  const History history = script.build();
  const auto verdict = check(history, model("register"), options(Engine::kBrute));
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->outcome, Outcome::kUnknown);
  EXPECT_THAT(verdict->why, HasSubstr("too large for this engine"));
}

// Twelve keys, of which several are wrong, in more events than it takes to use threads.
History many_wrong_keys() {
  Script script;
  for (int k = 0; k < 24'000; ++k) {
    const int key = k % 12;
    const bool wrong = (key == 3 && k > 20'000) || (key == 7 && k == 187) || (key == 8 && k > 12'000);
    const std::string f = (k / 12) % 2 == 0 ? "add" : "remove";
    script.add(k % 5, f + "(" + std::to_string(key) + "):" + (wrong ? "false" : "true"), 2 * k, 2 * k + 1);
  }
  return script.build();
}

TEST(Check, TheSameViolationWithOneJobAndWithFour) {
  const History history = many_wrong_keys();
  std::vector<std::vector<OperationId>> cores;
  for (const unsigned jobs : {1U, 4U, 2U, 4U, 4U, 4U}) {
    CheckOptions parallel = options(Engine::kWgl);
    parallel.jobs = jobs;
    const auto verdict = check(history, model("set"), parallel);
    ASSERT_TRUE(verdict.ok() && verdict->violation);
    cores.push_back(verdict->violation->operations);
    EXPECT_EQ(verdict->violation->operations, cores.front());
    EXPECT_TRUE(test::ViolationChecker(history, model("set"), *verdict->violation).prefix_is_right());
  }
}

TEST(Check, TheWitnessOfManyPartsIsOneOrder) {
  Script script;
  for (int k = 0; k < 24'000; ++k) {
    const std::string f = (k / 12) % 2 == 0 ? "add(" : "remove(";
    script.add(k % 5, f + std::to_string(k % 12) + "):true", 2 * k, 2 * k + 9);
  }
  const History history = script.build();
  for (const unsigned jobs : {1U, 4U}) {
    CheckOptions parallel = options(Engine::kWgl);
    parallel.jobs = jobs;
    const auto verdict = check(history, model("set"), parallel);
    ASSERT_TRUE(verdict.ok());
    ASSERT_EQ(verdict->outcome, Outcome::kHolds);
    EXPECT_EQ(verdict->parts, 12U);
    EXPECT_TRUE(test::is_witness(history, model("set"), verdict->linearization));
  }
}

TEST(Check, AMillionOperationsOneAfterTheOther) {
  HistoryBuilder builder;
  const FunctionId write = builder.function("write");
  const FunctionId read = builder.function("read");
  for (int k = 0; k < 1'000'000; ++k) {
    const Value v = Value::small(k / 2);
    builder.add(Value::small(k % 3), k % 2 == 0 ? write : read, std::span(&v, k % 2 == 0 ? 1 : 0), {v, true},
                2 * k, 2 * k + 1);
  }
  const History history = std::move(builder.finish().value());
  const auto verdict = check(history, model("register"), options(Engine::kWgl));
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->outcome, Outcome::kHolds);
  EXPECT_TRUE(test::is_witness(history, model("register"), verdict->linearization));
}

TEST(Check, ProgressIsTold) {
  const History history = draw("|-add(1):true-| |-add(2):true-| |-add(3):true-| |-remove(3):true-|").build();
  std::vector<double> told;
  CheckOptions watched = options(Engine::kWgl);
  watched.progress = [&](double share) { told.push_back(share); };
  ASSERT_TRUE(check(history, model("set"), watched).ok());
  ASSERT_FALSE(told.empty());
  EXPECT_TRUE(std::ranges::is_sorted(told));
  EXPECT_GT(told.front(), 0.0);
  EXPECT_DOUBLE_EQ(told.back(), 1.0);
}

TEST(Check, TheInitialValueIsTakenFromTheHistory) {
  Script script = draw("|-dequeue:1-| |-dequeue:2-| |-dequeue:null-|");
  script.initial = script.values->array(std::vector{Value::small(1), Value::small(2)});
  EXPECT_TRUE(test::agree(script.build(), model("queue")));
  EXPECT_EQ(check(script.build(), model("queue"))->outcome, Outcome::kHolds);
  script.operations[0].result = Value::small(2);
  EXPECT_EQ(check(script.build(), model("queue"))->outcome, Outcome::kViolation);
}

TEST(Check, OutcomesHaveNames) {
  Verdict verdict;
  verdict.outcome = Outcome::kHolds;
  EXPECT_EQ(to_string(verdict), "linearizable");
  EXPECT_EQ(to_string(Outcome::kHolds, "pass"), "pass");
  EXPECT_EQ(to_string(Outcome::kViolation), "violation");
  EXPECT_EQ(to_string(Outcome::kUnknown), "unknown");
}

}  // namespace
}  // namespace plumb
