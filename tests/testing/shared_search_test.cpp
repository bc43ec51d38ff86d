// A scenario that several processes search against the same by one: what is decided, found, counted and covered is the same. Under a bound on
// preemptions executions are not compared: two processes may come to a state in another order.
#include <unistd.h>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include <csignal>
#include <string>

#include "explore/search_parts.hpp"
#include "support/scale.hpp"
#include "testing/line_up.hpp"
#include "testing/scenario_answer.hpp"
#include "testing/subjects.hpp"

namespace plumb::testing {
namespace {

using plumb_tests::BlockingQueue;
using plumb_tests::Counter;
using plumb_tests::LockedQueue;
using plumb_tests::LostUpdate;
using plumb_tests::LostWakeUp;

// Its results are no small numbers, so each process numbers them as it meets them.
struct Names {
  std::atomic<int> first{0};
  std::atomic<int> second{0};
  std::string set(int n) {
    const int before = first.exchange(n);
    return "was " + std::to_string(before) + std::to_string(second.exchange(n));
  }
  std::string get() { return "is " + std::to_string(first.load()) + std::to_string(second.load()); }
};

class SharedSearch : public ::testing::Test {
 protected:
  SharedSearch() { engine::share_out_at_once(true); }
  ~SharedSearch() override { engine::share_out_at_once(false); }

  ScenarioResult run(const TestCase& test, const Scenario& scenario, const ExploreOptions& explore,
                     int others) {
    cores_.set_idle(others);
    cores_.forget_taken();
    return LineUp(test, scenario).run({.explore = explore, .trace = false, .cores = &cores_});
  }

  // All of it that does not depend on time, or on how many executions were run where that is not told.
  static std::string outcome(ScenarioResult result, bool counts) {
    result.serial_time = result.concurrent_time = Seconds::zero();
    if (!counts) {
      result.executions = 0;
      if (result.has_finding()) {  // another of several
        result.token.clear();
        result.coverage = {};
        result.histories = 0;
      }
    }
    return to_answer(result);
  }

  void compare(TestCase& test, const Scenario& scenario, const ExploreOptions& explore) {
    const bool counts = !explore.preemptions->most() || explore.order == SearchOrder::kDepthFirst;
    const ScenarioResult alone = run(test, scenario, explore, 0);
    for (const int others : {1, 3}) {
      const std::uint64_t before = engine::parts_handed_over();
      const ScenarioResult together = run(test, scenario, explore, others);
      parts_ += engine::parts_handed_over() - before;
      const std::string what = to_text(scenario) + ": " + alone.message + " or " + together.message;
      ASSERT_EQ(together.verdict, alone.verdict) << what;
      ASSERT_EQ(together.exhausted, alone.exhausted) << what;
      ASSERT_EQ(together.kind, alone.kind) << what;
      if (counts) {
        EXPECT_EQ(together.executions, alone.executions) << what;
        EXPECT_EQ(together.token, alone.token) << what;
      }
      if (counts || !alone.has_finding()) EXPECT_EQ(together.histories, alone.histories) << what;
      EXPECT_EQ(outcome(together, counts), outcome(alone, counts)) << what;
    }
    found_ += alone.has_finding() ? 1 : 0;
  }

  template <class S, class Define>
  void compare(Define define, std::size_t samples, bool wrong) {
    plumb::Test<S> defined("S", 1);
    define(defined);
    TestCase& test = case_of(defined);
    ASSERT_TRUE(test.finish().ok());
    found_ = parts_ = 0;
    for (const Scenario& scenario :
         sample(test, {.threads = 2, .operations = 2, .samples = samples, .seed = 7})) {
      for (const SearchOrder order : {SearchOrder::kReduced, SearchOrder::kDepthFirst}) {
        for (const PreemptionBound bound : {PreemptionBound(2), kAnyPreemptions}) {
          compare(test, scenario, {.order = order, .preemptions = bound});
          if (HasFatalFailure()) return;
        }
      }
      compare(test, scenario, {.memory_model = MemoryModel::kRc11, .preemptions = kAnyPreemptions});
      if (HasFatalFailure()) return;
    }
    EXPECT_EQ(found_ > 0, wrong);
    EXPECT_GT(parts_, 0U);
  }

  engine::SpareCores cores_;
  std::size_t found_ = 0;
  std::uint64_t parts_ = 0;
};

const auto kCounter = []<class S>(plumb::Test<S>& test) {
  test.operation("increment", &S::increment);
  test.operation("get", &S::get);
};
const auto kQueue = []<class S>(plumb::Test<S>& test) {
  test.operation("push", &S::push, plumb::values(1, 2));
  test.operation("take", &S::take);
};

TEST_F(SharedSearch, DecidesFindsAndCountsTheSame) {
  const auto samples = plumb::test::scaled(6);
  compare<Counter>(kCounter, samples, false);
  compare<LostUpdate>(kCounter, samples, true);
  compare<BlockingQueue>(kQueue, samples, false);
  compare<LostWakeUp>(kQueue, samples, true);
  compare<Names>(
      [](plumb::Test<Names>& test) {
        test.operation("set", &Names::set, plumb::values(1, 2));
        test.operation("get", &Names::get);
      },
      samples, true);
}

// Judged by a model, and by serial runs that are made when histories ask for them: then processes learn of results by themselves.
TEST_F(SharedSearch, WhateverJudges) {
  const auto samples = plumb::test::scaled(4);
  compare<LockedQueue>(
      [](plumb::Test<LockedQueue>& test) {
        test.model("queue");
        test.operation("push", &LockedQueue::push, plumb::values(1, 2));
        test.operation("pop", &LockedQueue::pop);
      },
      samples, false);
  compare<Names>(
      [](plumb::Test<Names>& test) {
        test.operation("set", &Names::set, plumb::values(1, 2));
        test.operation("get", &Names::get).may_fail(std::string("is 00"));
      },
      samples, true);
}

// The process that runs the scenario for the test is a child of this one; a part of the search is searched by a child of that.
const pid_t g_test = getpid();
bool is_part() { return getpid() != g_test && getppid() != g_test; }

template <int kSignal>
struct EndedInAPart {
  std::atomic<int> n{0};
  int increment() {
    const int before = n.fetch_add(1);
    if (before == 1 && is_part()) kill(getpid(), kSignal);
    return before + n.load() - n.load();
  }
};

template <int kSignal>
TestResult run_ended() {
  return plumb::check<EndedInAPart<kSignal>>(
      [](auto& test) {
        test.operation("increment", &EndedInAPart<kSignal>::increment);
        test.scenario({{plumb::call("increment"), plumb::call("increment")}, {plumb::call("increment")}});
      },
      {.jobs = 2, .memory_model = MemoryModel::kSequential});
}

TEST_F(SharedSearch, APartThatIsKilledLeavesTheScenarioUnknown) {
  const TestResult result = run_ended<SIGKILL>();
  EXPECT_EQ(result.verdict, Outcome::kUnknown) << result.report;
  EXPECT_THAT(result.report, ::testing::HasSubstr("was ended from outside, by signal 9")) << result.report;
}

TEST_F(SharedSearch, APartThatCrashesIsACrash) {
  const TestResult result = run_ended<SIGSYS>();
  EXPECT_EQ(result.verdict, Outcome::kViolation) << result.report;
}

// Of the test as a whole, with its scenarios in order: the first that fails counts, whoever comes to it.
TEST_F(SharedSearch, TheSameScenarioFailsWithAnyNumberOfProcesses) {
  const auto define = [](plumb::Test<LostUpdate>& test) {
    using plumb::call;
    kCounter(test);
    test.scenario({{call("get"), call("increment"), call("get")}, {call("get")}});
    test.scenario({{call("increment"), call("get")}, {call("increment"), call("get")}});
    test.scenario({{call("increment")}, {call("increment")}, {call("get"), call("get")}});
  };
  const TestResult one = plumb::check<LostUpdate>(define, {.jobs = 1});
  for (const unsigned jobs : {2U, 4U}) {
    const TestResult several = plumb::check<LostUpdate>(define, {.jobs = jobs});
    EXPECT_EQ(several.verdict, Outcome::kViolation);
    EXPECT_EQ(several.kind, one.kind);
    EXPECT_EQ(several.message, one.message);
    EXPECT_EQ(several.scenario, one.scenario);
    EXPECT_EQ(several.replay, one.replay);
  }
}

}  // namespace
}  // namespace plumb::testing
