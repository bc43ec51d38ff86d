// The end of an object's life as an operation: who has waited destroys the object, while those who let it go may still be inside theirs.
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>
#include <plumb/stress.hpp>

#include "testing/campaign_plan.hpp"
#include "testing/scenario.hpp"

namespace plumb_tests {
namespace {

using plumb::Outcome;
using plumb::Seconds;
using plumb::TestOptions;
using plumb::TestResult;
using plumb::ViolationKind;
using ::testing::AnyOf;
using ::testing::HasSubstr;

// The count is the last thing that count_down() touches.
struct Latch {
  std::atomic<int> left{1};
  void count_down() { left.fetch_sub(1); }
  void wait() const {
    while (left.load() > 0) {
    }
  }
};

// Looks at itself when whoever waits may be gone.
struct TouchingLatch : Latch {
  std::atomic<int> opened{0};
  void count_down() {
    if (left.fetch_sub(1) == 1) opened.store(1);
  }
};

// The same, by a mutex and a condition variable: notifies when it has let the mutex go.
struct NotifyingLatch {
  std::mutex mutex;
  std::condition_variable opened;
  int left = 1;
  void count_down() {
    {
      const std::lock_guard lock(mutex);
      --left;
    }
    opened.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex);
    opened.wait(lock, [&] { return left <= 0; });
  }
};

// Plain memory, when it has let go.
struct CountingLatch : Latch {
  int opened = 0;
  void count_down() {
    if (left.fetch_sub(1) == 1) opened = 1;
  }
};

// wait() does not wait: nobody could destroy it then.
struct OpenLatch : Latch {
  void wait() const { (void)left.load(); }
};

template <class L>
auto definition(bool destroys = true) {
  return [=](auto& test) {
    test.operation("count_down", &L::count_down);
    test.operation("wait", &L::wait);
    if (destroys) test.destroys_after("wait");
  };
}

const TestOptions kSmall{.threads = 2, .operations = 2, .budget = Seconds(120), .jobs = 1};

const TestOptions kSmallest{.threads = 2, .operations = 1, .budget = Seconds(120), .jobs = 1};

template <class L>
TestResult run(TestOptions options = kSmall, bool destroys = true) {
  return plumb::check<L>(definition<L>(destroys), options);
}

TEST(Destruction, ALatchThatLetsGoOfItselfIsRight) {
  const TestResult result = run<Latch>();
  EXPECT_TRUE(result) << result.report;
  EXPECT_EQ(result.verdict, Outcome::kHolds);
  EXPECT_THAT(result.coverage->warnings, ::testing::IsEmpty()) << result.report;
}

TEST(Destruction, ALatchThatTouchesItselfAfterwardsIsUsedAfterFree) {
  const TestResult result = run<TouchingLatch>();
  ASSERT_EQ(result.verdict, Outcome::kViolation) << result.report;
  EXPECT_EQ(result.kind, ViolationKind::kUseAfterFree) << result.report;
  EXPECT_THAT(result.report, HasSubstr("TouchingLatch::count_down"));
  EXPECT_EQ(result.scenario.size(), 2U);  // made smaller: one counts down, one waits
  EXPECT_EQ(result.scenario[0].size() + result.scenario[1].size(), 2U) << result.report;
}

TEST(Destruction, WithoutItNothingIsWrongWithThat) {
  EXPECT_TRUE(run<TouchingLatch>(kSmallest, false));
  EXPECT_TRUE(run<NotifyingLatch>(kSmallest, false));
}

TEST(Destruction, ANotificationAfterTheUnlockComesTooLate) {
  const TestResult result = run<NotifyingLatch>();
  ASSERT_EQ(result.verdict, Outcome::kViolation) << result.report;
  EXPECT_THAT(result.kind, AnyOf(ViolationKind::kUseAfterFree, ViolationKind::kCrash)) << result.report;
  EXPECT_THAT(result.report, HasSubstr("NotifyingLatch::count_down"));
}

TEST(Destruction, PlainMemoryIsFound) {
  const TestResult result = run<CountingLatch>();
  ASSERT_EQ(result.verdict, Outcome::kViolation) << result.report;
  EXPECT_THAT(result.kind, AnyOf(ViolationKind::kUseAfterFree, ViolationKind::kRace)) << result.report;
}

// A pass in which nobody could ever destroy the object says nothing of that, and is said to.
TEST(Destruction, AnObjectThatCouldNeverBeDestroyedIsSuspicious) {
  const TestResult result = run<OpenLatch>();
  EXPECT_TRUE(result) << result.report;
  EXPECT_THAT(result.coverage->warnings,
              ::testing::Contains(HasSubstr("the object was never destroyed after wait()")));
}

// Whoever waits already is let go by the first that counts down, and too early: there ought to be two.
struct HastyLatch {
  std::atomic<int> waits{0};
  std::atomic<int> left{2};
  void count_down() { left.fetch_sub(1 + waits.load()); }
  void wait() {
    waits.store(1);
    while (left.load() > 0) {
    }
  }
};

TEST(Destruction, CallsThatAreLeftAreNotMadeOnAnObjectThatIsGone) {
  const TestResult result = plumb::check<HastyLatch>(
      [](auto& test) {
        definition<HastyLatch>()(test);
        test.scenario({{plumb::call("count_down"), plumb::call("count_down")}, {plumb::call("wait")}});
      },
      {.jobs = 1, .minimise = false});
  ASSERT_EQ(result.verdict, Outcome::kViolation) << result.report;
  EXPECT_EQ(result.kind, ViolationKind::kNotLinearizable) << result.report;
  EXPECT_THAT(result.report, HasSubstr("(not reached)"));
}

// Every strategy that goes through all schedules, and walks: the same verdicts.
TEST(Destruction, WhateverTheStrategy) {
  for (const plumb::SearchOrder order : {plumb::SearchOrder::kReduced, plumb::SearchOrder::kDepthFirst,
                                         plumb::SearchOrder::kStates, plumb::SearchOrder::kRandom}) {
    TestOptions options = kSmallest;
    options.samples = 10;
    options.explore.order = order;
    const TestResult wrong = run<TouchingLatch>(options);
    EXPECT_EQ(wrong.kind, ViolationKind::kUseAfterFree) << wrong.report;
    EXPECT_NE(run<Latch>(options).verdict, Outcome::kViolation);
  }
  TestOptions larger = kSmall;
  larger.threads = 3;
  larger.budget = Seconds(1);
  EXPECT_NE(run<Latch>(larger).verdict, Outcome::kViolation);  // walks, too
}

TEST(Destruction, AFailureIsReplayed) {
  const TestResult result = run<TouchingLatch>();
  ASSERT_EQ(result.verdict, Outcome::kViolation) << result.report;
  TestOptions options = kSmall;
  options.replay = result.replay;
  const TestResult again = run<TouchingLatch>(options);
  EXPECT_EQ(again.kind, ViolationKind::kUseAfterFree) << again.report;
}

TEST(Destruction, TheOperationIsTheLastOfItsThreadAndCalledOnce) {
  plumb::Test<Latch> made("Latch", 1);
  definition<Latch>()(made);
  plumb::TestCase& test = case_of(made);
  ASSERT_TRUE(test.finish().ok());
  const auto check = [&](const plumb::testing::Scenario& scenario) {
    EXPECT_TRUE(ends_life_once(scenario, test)) << described(scenario, test);
  };
  const auto plan = plumb::testing::plan_campaign(test, {3, 3}, 1);
  for (const auto& scenario : plan.scenarios) check(scenario);
  EXPECT_GT(plan.scenarios.size(), 5U);
  const auto drawn = plumb::testing::sample(test, {.threads = 3, .operations = 3, .samples = 10, .seed = 1});
  EXPECT_FALSE(drawn.empty());
  for (const auto& scenario : drawn) check(scenario);
  for (const auto& scenario : plumb::testing::all_of(test, 2)) check(scenario);
}

template <class Define>
std::string error(Define define, const TestOptions& options = kSmall) {
  const TestResult result = plumb::check<Latch>(define, options);
  EXPECT_TRUE(result.refused) << result.report;
  return result.message;
}

TEST(Destruction, WhatMakesNoSenseIsRefused) {
  const auto with = [](auto more) {
    return [=](auto& test) {
      definition<Latch>()(test);
      more(test);
    };
  };
  EXPECT_THAT(error(with([](auto& test) { test.destroys_after("wiat"); })), HasSubstr("did you mean 'wait'"));
  EXPECT_THAT(error(with([](auto& test) { test.after(plumb::call("wait")); })),
              HasSubstr("destroyed already"));
  EXPECT_THAT(error(with([](auto& test) { test.before(plumb::call("wait")); })),
              HasSubstr("no thread has begun"));
  EXPECT_THAT(error(with([](auto& test) { test.model("counter"); })),
              HasSubstr("a test with a model has none"));
  EXPECT_THAT(error(with([](auto& test) {
                test.scenario({{plumb::call("wait"), plumb::call("count_down")}});
              })),
              HasSubstr("goes on after"));
  TestOptions weak = kSmall;
  weak.memory_model = plumb::MemoryModel::kRc11;
  EXPECT_THAT(error(definition<Latch>(), weak), HasSubstr("under the memory model sc only"));
}

TEST(Destruction, StressRefusesIt) {
  plumb::Test<Latch> made("Latch", 1);
  definition<Latch>()(made);
  const TestResult result = plumb::run_stress(case_of(made), {});
  EXPECT_TRUE(result.refused);
  EXPECT_THAT(result.message, HasSubstr("without --mode stress"));
}

}  // namespace
}  // namespace plumb_tests
