// More than 64 operations open at once, so that the window needs several words; and very many that never
// return. Brute force cannot follow there: the right answers are known from how the histories are made.
#include <algorithm>
#include <limits>
#include <string>

#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/agree.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

using test::options;
using test::Script;

const Model& model(const char* name) { return *find_model(name).value(); }

// All variants of the search; not brute force.
void expect_outcome(const Script& script, const Model& m, Outcome expected) {
  const History history = script.build();
  for (const test::EngineVariant& variant : test::engine_variants()) {
    if (variant.options.engine == Engine::kBrute) continue;
    CheckOptions roomy = variant.options;
    constexpr std::size_t kEnough = std::size_t{1} << 22U;  // the states need more than for small histories
    roomy.memory = std::max(kEnough, *roomy.memory);
    const auto verdict = check(history, m, roomy);
    ASSERT_TRUE(verdict.ok()) << verdict.error().text();
    EXPECT_EQ(verdict->outcome, expected) << variant.name << ": " << verdict->why;
    if (expected == Outcome::kHolds) {
      EXPECT_TRUE(test::is_witness(history, m, verdict->linearization)) << variant.name;
    }
  }
}

class Wide : public ::testing::TestWithParam<int> {};  // how many operations are open at once

// Everyone writes at once, then everyone reads what was written last.
TEST_P(Wide, ConcurrentWritesThenReads) {
  const int n = GetParam();
  Script script;
  for (int p = 0; p < n; ++p) script.add(p, "write(" + std::to_string(p) + "):null", p, 1000 + p);
  for (int p = 0; p < n; ++p) script.add(p, "read:" + std::to_string(n - 1), 3000, 4000 + p);
  expect_outcome(script, model("register"), Outcome::kHolds);
}

// The results dictate one order, which is the opposite of that of the calls.
TEST_P(Wide, ConcurrentFetchAddsInReverse) {
  const int n = GetParam();
  Script script;
  for (int p = 0; p < n; ++p) script.add(p, "fetch_add(1):" + std::to_string(n - 1 - p), p, 1000 + p);
  expect_outcome(script, model("counter"), Outcome::kHolds);
  script.operations.back().result = Value::small(1);  // two returned 1
  script.operations[0].ret = 998;
  expect_outcome(script, model("counter"), Outcome::kViolation);
}

// Slots are handed on: each process adds its own key twice while all the others are in the middle of theirs.
TEST_P(Wide, SlotsAreHandedOn) {
  const int n = GetParam();
  Script script;
  for (int round = 0; round < 3; ++round) {
    for (int p = 0; p < n; ++p) {
      const std::string key = "(" + std::to_string(p) + "):";
      const Time call = 1000 * round + p;
      script.add(p, (round % 2 == 0 ? "add" : "remove") + key + "true", call, call + 950);
    }
  }
  expect_outcome(script, model("set"), Outcome::kHolds);
  script.operations[static_cast<std::size_t>(2 * n)].result = kFalse;  // the second add of key 0
  const History history = script.build();
  const auto verdict = check(history, model("set"), options(Engine::kWgl));
  ASSERT_TRUE(verdict.ok() && verdict->violation);
  EXPECT_EQ(verdict->violation->stuck, static_cast<OperationId>(2 * n));
}

TEST_P(Wide, ReadsThatSpanEverything) {
  const int n = GetParam();
  Script script;
  for (int p = 1; p < n; ++p) script.add(p, "read:" + std::to_string(p), 0, 100'000 + p);
  for (int k = 0; k < n; ++k) script.add(0, "write(" + std::to_string(k) + "):null", 10 * k + 1, 10 * k + 5);
  expect_outcome(script, model("register"), Outcome::kHolds);
  script.operations[0].result = Value::small(n);  // never written
  expect_outcome(script, model("register"), Outcome::kViolation);
}

// At the borders of a word, and well past several.
INSTANTIATE_TEST_SUITE_P(Processes, Wide, ::testing::Values(2, 63, 64, 65, 70, 128, 129, 200));

// Crashed writes of different values, read in an order that is not that of their calls.
Script crashed_writes(int writes, int reads, int stride) {
  Script script;
  for (int p = 0; p < writes; ++p) script.add(p, "write(" + std::to_string(p) + ")", p, kNever);
  for (int k = 0; k < reads; ++k) {
    script.add(200, "read:" + std::to_string((k * stride) % writes), 1000 + 10 * k, 1005 + 10 * k);
  }
  return script;
}

TEST(ManyPending, AHundredCrashedWritesReadInTheirOrder) {
  expect_outcome(crashed_writes(100, 100, 1), model("register"), Outcome::kHolds);
}

TEST(ManyPending, AFewCrashedWritesReadInAnotherOrder) {
  Script script = crashed_writes(10, 8, 7);
  expect_outcome(script, model("register"), Outcome::kHolds);
  script.operations.back().result =
      Value::small(0);  // was read and overwritten before: its one write is spent
  expect_outcome(script, model("register"), Outcome::kViolation);
}

// A crashed write that another overwrites at once is not tried.
TEST(ManyPending, AHundredCrashedWritesReadInAnotherOrder) {
  Script script = crashed_writes(100, 50, 37);
  expect_outcome(script, model("register"), Outcome::kHolds);
  script.operations.back().result = Value::small(0);
  expect_outcome(script, model("register"), Outcome::kViolation);
}

TEST(ManyPending, EqualCrashedWritesAreInterchangeable) {
  Script script;
  for (int p = 0; p < 100; ++p) script.add(p, p % 2 == 0 ? "write(1)" : "write(2)", p, kNever);
  for (int k = 0; k < 99; ++k) {
    script.add(200, k % 2 == 0 ? "read:1" : "read:2", 1000 + 10 * k, 1005 + 10 * k);
  }
  expect_outcome(script, model("register"), Outcome::kHolds);
  script.add(200, "read:3", 5000, 5001);
  expect_outcome(script, model("register"), Outcome::kViolation);
}

TEST(ManyPending, CrashedReadsCostNothing) {
  Script script;
  for (int p = 0; p < 10'000; ++p) script.add(p, "read", p, kNever);
  script.add(10'001, "write(1):null", 1, 2).add(10'001, "read:1", 3, 4);
  expect_outcome(script, model("register"), Outcome::kHolds);
  script.operations.back().result = Value::small(2);
  expect_outcome(script, model("register"), Outcome::kViolation);
}

TEST(ManyPending, CrashedEnqueuesMayBeUsedOrNot) {
  Script script;
  for (int p = 0; p < 5; ++p) script.add(p, "enqueue(" + std::to_string(p) + ")", p, kNever);
  script.add(100, "dequeue:4", 1000, 1001)
      .add(100, "dequeue:3", 1002, 1003)
      .add(100, "dequeue:null", 1004, 1005);
  expect_outcome(script, model("queue"), Outcome::kHolds);
}

TEST(Times, EqualTimesAreConcurrent) {
  Script script;
  script.add(0, "write(1):null", 0, 5).add(1, "read:null", 5, 9);
  expect_outcome(script, model("register"), Outcome::kHolds);
  script.operations[1].call = 6;
  expect_outcome(script, model("register"), Outcome::kViolation);
}

TEST(Times, OperationsWithoutLength) {
  Script script;
  script.add(0, "write(1):null", 3, 3).add(1, "read:null", 3, 3).add(2, "read:1", 3, 3);
  EXPECT_TRUE(test::agree(script.build(), model("register")));
  expect_outcome(script, model("register"), Outcome::kHolds);
  script.add(1, "read:null", 4, 4);
  EXPECT_TRUE(test::agree(script.build(), model("register")));
  expect_outcome(script, model("register"), Outcome::kViolation);
}

TEST(Times, AnyTimeIsATime) {
  Script script;
  constexpr Time kFirst = std::numeric_limits<Time>::min();
  constexpr Time kLast = std::numeric_limits<Time>::max() - 1;
  script.add(0, "write(1):null", kFirst, kFirst).add(1, "read:1", -1, kLast).add(2, "read:1", kLast, kLast);
  expect_outcome(script, model("register"), Outcome::kHolds);
  script.operations[2].result = kNull;
  expect_outcome(script, model("register"), Outcome::kViolation);
}

}  // namespace
}  // namespace plumb
