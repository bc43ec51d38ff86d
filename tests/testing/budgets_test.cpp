// What ends a test that has found nothing. No budget, no unknown: not for classes that do more than the engine sees either. The time of a
// test is for all of its scenarios together; and whatever is unknown says what would have to be raised, and which scenarios it is about.
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include "testing/kinds.hpp"
#include "testing/scenario_answer.hpp"
#include "testing/subjects.hpp"
#include "testing/time_shares.hpp"

namespace plumb_tests {
namespace {

using plumb::CutOff;
using plumb::Outcome;
using plumb::Seconds;
using namespace std::chrono_literals;
using plumb::TestOptions;
using plumb::TestResult;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

// Tickets, handed out by code without hooks: two that are taken look as if they had nothing to do with each other.
struct UnseenTickets {
  int next = 0;
  std::atomic<int> looks{0};
  [[gnu::noinline, gnu::no_sanitize_thread]] int take() { return next++; }
  int look() { return looks.fetch_add(1); }
};

// A value that is left before the one step that is seen: get() may have it too early.
struct UnseenValue {
  int value = 0;
  std::atomic<int> count{0};
  [[gnu::noinline, gnu::no_sanitize_thread]] void leave(int v) { value = v; }
  [[gnu::noinline, gnu::no_sanitize_thread]] int get() { return value; }
  int put(int v) {
    leave(v);
    return count.fetch_add(1);
  }
};

TEST(Budgets, OrdersThatAreNoneAreNoBudget) {
  const TestResult result = plumb::check<UnseenTickets>(
      [](auto& test) {
        test.operation("take", &UnseenTickets::take);
        test.operation("look", &UnseenTickets::look);
      },
      {.threads = 2, .operations = 2, .jobs = 1});
  EXPECT_EQ(result.verdict, Outcome::kHolds) << result.report;
  EXPECT_TRUE(result.exhausted);
  EXPECT_GT(result.unseen, 0U);
  EXPECT_THAT(result.report, HasSubstr("depends on more than plumb sees"));
  EXPECT_THAT(result.json(), HasSubstr(R"("unseen":)"));
}

// Looks fifty times before it gives up.
struct Impatient {
  std::atomic<bool> is_set{false};
  void set() { is_set.store(true); }
  bool wait() {
    for (int look = 0; look < 50; ++look) {
      if (is_set.load()) return true;
    }
    return false;
  }
};

TEST(Budgets, LoopsThatAreHeldBackAreCounted) {
  const auto define = [](auto& test) {
    test.operation("set", &Impatient::set);
    test.operation("wait", &Impatient::wait);
  };
  for (const auto model : {plumb::MemoryModel::kSequential, plumb::MemoryModel::kRc11}) {
    plumb::TestOptions options{
        .threads = 2, .operations = 1, .samples = 10, .jobs = 1, .memory_model = model};
    const TestResult some = plumb::check<Impatient>(define, options);
    EXPECT_EQ(some.verdict, Outcome::kHolds) << some.report;
    EXPECT_GT(some.held_back, 0U);
    EXPECT_LT(some.held_back, some.scenarios) << "two that set it do not wait";
    EXPECT_THAT(some.report, HasSubstr("--patience"));
    EXPECT_THAT(some.json(), HasSubstr(R"("held_back":)"));
    options.explore.patience = 51;
    const TestResult all = plumb::check<Impatient>(define, options);
    EXPECT_EQ(all.held_back, 0U) << all.report;
    EXPECT_THAT(all.json(), Not(HasSubstr("held_back")));
  }
}

TEST(Budgets, WhatOnlyTheSimplestSearchFindsIsFound) {
  const auto define = [](auto& test) {
    test.operation("put", &UnseenValue::put, plumb::values(1, 2));
    test.operation("get", &UnseenValue::get);
  };
  for (const auto strategy : {plumb::SearchOrder::kDepthFirst, plumb::SearchOrder::kReduced}) {
    const TestResult result = plumb::check<UnseenValue>(
        define, {.threads = 2, .operations = 2, .jobs = 1, .explore = {.order = strategy}});
    EXPECT_EQ(result.verdict, Outcome::kViolation) << result.report;
    EXPECT_EQ(result.kind, plumb::ViolationKind::kNotLinearizable);
  }
}

// One scenario takes nearly all of the time that the test needs, and has to wait for it until the others have had theirs.
struct TestOfUnequals {
  std::size_t small = 29;
  void operator()(plumb::Test<LockedQueue>& test) const {
    using plumb::call;
    test.operation("push", &LockedQueue::push, plumb::values(1, 2));
    test.operation("pop", &LockedQueue::pop);
    test.scenario({{call("push", 1), call("pop"), call("push", 2)},
                   {call("push", 2), call("pop"), call("push", 1)},
                   {call("pop"), call("push", 1), call("pop")}});
    for (std::size_t i = 0; i < small; ++i) test.scenario({{call("push", 1)}, {call("pop")}});
  }
};

TEST(Budgets, TheTimeIsForTheTestAsAWhole) {
  for (const unsigned jobs : {1U, 2U}) {
    const TestOptions options{.jobs = jobs, .explore = {.preemptions = 3}};
    const TestResult free = plumb::check<LockedQueue>(TestOfUnequals{}, options);
    ASSERT_EQ(free.verdict, Outcome::kHolds) << free.report;
    TestOptions timed = options;
    timed.timeout = 10 * free.elapsed;  // a thirtieth of it is not enough for the large one
    const TestResult result = plumb::check<LockedQueue>(TestOfUnequals{}, timed);
    EXPECT_EQ(result.verdict, Outcome::kHolds) << free.elapsed.count() << " s without; " << result.report;
    EXPECT_EQ(result.executions, free.executions);
    EXPECT_EQ(result.planned, 30U);
    EXPECT_TRUE(result.unfinished.empty());
  }
}

TEST(Budgets, UnknownMeansThatTheTimeIsSpentAndSaysForWhat) {
  const TestResult result = plumb::check<LockedQueue>(
      [](plumb::Test<LockedQueue>& test) {
        using plumb::call;
        TestOfUnequals{2}(test);
        test.scenario({{call("push", 1), call("push", 2), call("push", 1), call("pop")},
                       {call("push", 2), call("pop"), call("push", 1), call("pop")},
                       {call("pop"), call("push", 2), call("push", 1), call("pop")},
                       {call("pop"), call("push", 2), call("push", 1), call("pop")}});
      },
      {.timeout = 4s, .jobs = 1, .explore = {.preemptions = 1}});
  EXPECT_EQ(result.verdict, Outcome::kUnknown) << result.report;
  EXPECT_GE(result.elapsed, 4s);
  EXPECT_EQ(result.ended_by, CutOff::kTimeout);
  EXPECT_THAT(result.unfinished, ElementsAre(4))
      << "63 million serial orders; the others take far less than a second";
  EXPECT_FALSE(result.exhausted);
  EXPECT_THAT(result.report, HasSubstr("3 of 4 scenarios finished, 1 cut off (4x4), "));
  EXPECT_THAT(result.report, HasSubstr("--timeout 4 was too short"));
  EXPECT_THAT(result.report, HasSubstr("Not finished: 4\n"));
  EXPECT_THAT(
      result.json(),
      HasSubstr(
          R"("planned":4,"finished":3,"unfinished":[4],"cut_off":[{"scenario":4,"threads":[4,4,4,4]}],"ended_by":"timeout")"));
}

// A thousand more like the first would take a thousand times as long; but the time ends before.
TEST(Budgets, TheRestTakesNoLongerThanThereIsTime) {
  const plumb::testing::TimeShares limited(1s);
  const plumb::testing::TimeShares unlimited(std::nullopt);
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
  const auto rest = limited.estimate(1, 1'001);
  EXPECT_LE(rest.time, 1s);
  EXPECT_TRUE(rest.at_most);
  EXPECT_GE(unlimited.estimate(1, 1'001).time, 20s);
  EXPECT_FALSE(unlimited.estimate(1, 1'001).at_most);
  EXPECT_FALSE(limited.estimate(1, 1).at_most);
}

TEST(Budgets, UnknownNamesWhatEndedIt) {
  const auto ended = [](TestOptions options) {
    options.jobs = 1;
    const TestResult result = plumb::check<LockedQueue>(TestOfUnequals{1}, options);
    EXPECT_EQ(result.verdict, Outcome::kUnknown) << result.report;
    return result;
  };
  const TestResult few = ended({.explore = {.executions = 20}});
  EXPECT_EQ(few.ended_by, CutOff::kExecutions);
  EXPECT_THAT(few.unfinished, ElementsAre(1));
  EXPECT_THAT(few.report, HasSubstr("1 of 2 scenarios finished"));
  EXPECT_THAT(few.message, HasSubstr("--executions 20"));
  const TestResult random = ended({.explore = {.order = plumb::SearchOrder::kRandom, .executions = 50}});
  EXPECT_EQ(random.ended_by, CutOff::kRandom);
  EXPECT_THAT(random.message, HasSubstr("--strategy reduced"));
  const std::atomic<bool> stop{true};
  const TestResult stopped = ended({.stop = &stop});
  EXPECT_EQ(stopped.ended_by, CutOff::kInterrupt);
  EXPECT_THAT(stopped.unfinished, ElementsAre(1, 2));
}

// A campaign that is stopped when everything small is done passes, and says that it was interrupted.
struct One {
  std::atomic<int> count{0};
  int add() { return count.fetch_add(1); }
};
TEST(Budgets, AnInterruptedPassSaysSo) {
  std::atomic<bool> stop{false};
  plumb::TestOptions options;
  options.jobs = 1;
  options.stop = &stop;
  options.budget = plumb::Seconds(600);
  options.progress = [&](const std::string& line) {
    stop = stop || line.find(" 3 of 3 small scenarios") != std::string::npos;
  };
  const TestResult result =
      plumb::check<One>([](plumb::Test<One>& test) { test.operation("add", &One::add); }, options);
  EXPECT_TRUE(result.passed()) << result.report;
  EXPECT_THAT(result.report, HasSubstr("It was interrupted: everything small had been run by then"));
}

// An operation that never comes back tells so whenever it is called: seconds each time.
struct Endless {
  static inline int told = -1;
  int run() {
    (void)!write(told, "x", 1);
    for (;;) asm volatile("");
  }
};

// The result, and how often it was called.
std::pair<TestResult, ssize_t> run_endless(std::optional<Seconds> timeout) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  Endless::told = ends[1];
  TestResult result = plumb::check<Endless>(
      [](auto& test) {
        test.operation("run", [](Endless& endless) { return endless.run(); });
        test.scenario({{plumb::call("run")}});
      },
      {.timeout = timeout, .jobs = 1});
  char calls[16];
  const ssize_t count = read(ends[0], calls, sizeof calls);
  close(ends[0]);
  close(ends[1]);
  return {std::move(result), count};
}

// To warm up, and to see it: what is wrong with the test is not looked for again to be told.
TEST(Budgets, AnErrorIsMetOnce) {
  const auto [result, calls] = run_endless(std::nullopt);
  EXPECT_TRUE(result.refused);
  EXPECT_THAT(result.report, HasSubstr("run() does not return although nothing else runs"));
  EXPECT_EQ(calls, 2);
  // Where the time ends in the second of these, there is no third. Unknown: on a busy machine it ends in the first.
  const auto [cut_off, calls_in_time] = run_endless(result.elapsed * 0.7);
  EXPECT_EQ(cut_off.verdict, Outcome::kUnknown) << "refused or not";
  EXPECT_LE(calls_in_time, 2);
}

TEST(Budgets, SharesOfTheTime) {
  plumb::testing::TimeShares none(std::nullopt);
  EXPECT_EQ(none.share(3, 100, 2), std::nullopt) << "no limit";
  EXPECT_FALSE(none.spent());
  plumb::testing::TimeShares shares(800s);
  EXPECT_DOUBLE_EQ(shares.share(0, 100, 1)->count(), 1) << "an eighth for the first pass";
  EXPECT_DOUBLE_EQ(shares.share(1, 100, 2)->count(), 2);
  EXPECT_NEAR(shares.share(0, 10, 1)->count(), 600, 50) << "three quarters of what is left";
  EXPECT_NEAR(shares.share(0, 10, 1)->count(), 800, 50) << "not less than before";
  EXPECT_NEAR(shares.share(1, 2, 2)->count(), 800, 50) << "nobody else wants it";
}

TEST(Budgets, WorkersTellWhatCutAScenarioOff) {
  plumb::testing::ScenarioResult outcome;
  outcome.cut = CutOff::kChecker;
  outcome.kind = plumb::ViolationKind::kLeak;
  outcome.refused = true;
  outcome.message = "memory budget spent";
  outcome.serial_time = 250ms;
  outcome.unseen = outcome.held_back = true;
  const auto read = plumb::testing::from_answer(to_answer(outcome));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->cut, outcome.cut);
  EXPECT_EQ(read->message, outcome.message);
  EXPECT_EQ(read->kind, outcome.kind);
  EXPECT_TRUE(read->refused);
  EXPECT_EQ(read->serial_time, 250ms);
  EXPECT_TRUE(read->unseen);
  EXPECT_TRUE(read->held_back);
  EXPECT_FALSE(plumb::testing::from_answer("1 2 3"));
}

TEST(Budgets, WorkersTellEveryKindAndNoOther) {
  const auto told = [](std::optional<CutOff> cut, std::optional<plumb::ViolationKind> kind) {
    plumb::testing::ScenarioResult outcome;
    outcome.cut = cut;
    outcome.kind = kind;
    const auto read = plumb::testing::from_answer(to_answer(outcome));
    return read && read->cut == cut && read->kind == kind;
  };
  for (std::size_t i = 0; i <= plumb::testing::kCutOffs; ++i)
    EXPECT_EQ(told(static_cast<CutOff>(i), {}), i < plumb::testing::kCutOffs) << i;
  for (std::size_t i = 0; i <= plumb::testing::kViolationKinds; ++i)
    EXPECT_EQ(told({}, static_cast<plumb::ViolationKind>(i)), i < plumb::testing::kViolationKinds) << i;
#define PLUMB_VIOLATION_KIND(name, text) EXPECT_EQ(to_string(plumb::ViolationKind::name), text);
#include "plumb/detail/violation_kinds.def"
#undef PLUMB_VIOLATION_KIND
#define PLUMB_CUT_OFF(name, text) EXPECT_EQ(to_string(CutOff::name), text);
#include "plumb/detail/cut_offs.def"
#undef PLUMB_CUT_OFF
}

}  // namespace
}  // namespace plumb_tests
