// Line-Up from end to end: right classes pass, each kind of fault is found, made small, and found again by its token.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>
#include <plumb/report.hpp>

#include <memory>

#include "explore/strategies.hpp"
#include "report/renderers.hpp"
#include "testing/subjects.hpp"

namespace plumb_tests {
namespace {

using plumb::Outcome;
using plumb::SearchOrder;
using plumb::TestOptions;
using plumb::TestResult;
using plumb::ViolationKind;
using Columns = std::vector<std::vector<std::string>>;

const TestOptions kSmall{.threads = 2, .operations = 2, .samples = 20, .jobs = 1};

template <class S>
void counter(plumb::Test<S>& test) {
  test.operation("increment", &S::increment);
  test.operation("get", &S::get);
}

template <class S>
void queue(plumb::Test<S>& test) {
  test.operation("push", &S::push, plumb::values(1, 2));
  test.operation("pop", &S::pop);
}

template <class S>
void blocking_queue(plumb::Test<S>& test) {
  test.operation("push", &S::push, plumb::values(1, 2));
  test.operation("take", &S::take);
}

// A failure, and the same again by its token.
template <class S, class Define>
TestResult expect_violation(Define define, ViolationKind kind, TestOptions options = kSmall) {
  const TestResult result = plumb::check<S>(define, options);
  EXPECT_EQ(result.verdict, Outcome::kViolation) << result.report;
  EXPECT_EQ(result.kind, kind) << result.report;
  options.replay = result.replay;
  const TestResult again = plumb::check<S>(define, options);
  EXPECT_EQ(again.kind, kind) << again.report;
  EXPECT_EQ(again.replay, result.replay);
  EXPECT_EQ(again.executions, kind == ViolationKind::kNondeterministic ? 0 : 1);
  return result;
}

// libstdc++ has mutexes of its own for it, which outlive an execution.
struct SharedValue {
  std::shared_ptr<int> value = std::make_shared<int>(0);
  void set(int n) { std::atomic_store(&value, std::make_shared<int>(n)); }
  int get() { return *std::atomic_load(&value); }
};
TEST(LineUp, ASharedPointerThatIsStoredAtomically) {
  const TestResult result = plumb::check<SharedValue>(
      [](auto& test) {
        test.operation("set", &SharedValue::set, plumb::values(1, 2));
        test.operation("get", &SharedValue::get);
      },
      kSmall);
  EXPECT_TRUE(result) << result;
}

TEST(LineUp, RightClassesPassAndSayHowFar) {
  const TestResult result = plumb::check<Counter>(&counter<Counter>, kSmall);
  EXPECT_TRUE(result) << result;
  EXPECT_TRUE(result.exhausted);
  EXPECT_EQ(result.scenarios, 10)
      << "all there are: pairs of the 4 threads with two calls each, in any order";
  EXPECT_GT(result.executions, result.scenarios);
  EXPECT_TRUE(plumb::check<LockedQueue>(&queue<LockedQueue>, kSmall));
  EXPECT_TRUE(plumb::check<BlockingQueue>(&blocking_queue<BlockingQueue>, kSmall));
}

TEST(LineUp, LostUpdateIsFoundWithTheSmallestScenario) {
  const TestResult result =
      expect_violation<LostUpdate>(&counter<LostUpdate>, ViolationKind::kNotLinearizable, {.jobs = 1});
  EXPECT_EQ(result.scenario, (Columns{{"increment()"}, {"increment()"}}));
  EXPECT_THAT(result.report, ::testing::HasSubstr("increment() in thread 1 returned 1, which is impossible"));
  EXPECT_THAT(result.report, ::testing::HasSubstr("lostUpdate.n: 0 -> 1"));
  using plumb::ReportFormat;  // the test, and all that it was run with, is gone by now
  for (const plumb::Renderer& each : plumb::kRenderers)
    EXPECT_THAT(result.rendered(each.format), ::testing::HasSubstr("increment()"));
  EXPECT_THAT(result.rendered(ReportFormat::kHtml), ::testing::HasSubstr("<svg"));
  EXPECT_THAT(result.json(), ::testing::HasSubstr(R"x("scenario":[["increment()"],["increment()"]])x"));
}

TEST(LineUp, EveryStrategyAndBoundFindsIt) {
  for (const plumb::engine::StrategyRow& row : plumb::engine::strategies()) {
    SCOPED_TRACE(row.name);
    TestOptions options = kSmall;
    options.explore.order = row.order;
    expect_violation<LostUpdate>(&counter<LostUpdate>, ViolationKind::kNotLinearizable, options);
  }
  TestOptions unbounded = kSmall;
  unbounded.explore.preemptions = plumb::kAnyPreemptions;
  expect_violation<LostUpdate>(&counter<LostUpdate>, ViolationKind::kNotLinearizable, unbounded);
  TestOptions none = kSmall;
  none.explore.preemptions = 0;
  EXPECT_TRUE(plumb::check<LostUpdate>(&counter<LostUpdate>, none))
      << "without a preemption nothing can go wrong";
}

TEST(LineUp, BlockingIsRightWhereASerialRunBlocksToo) {
  // take() alone blocks serially: fine. A lost wake-up leaves take() asleep although the queue is filled.
  expect_violation<LostWakeUp>(&blocking_queue<LostWakeUp>, ViolationKind::kStuck);
  expect_violation<TwoLocks>(
      [](plumb::Test<TwoLocks>& test) {
        test.operation("ab", &TwoLocks::ab);
        test.operation("ba", &TwoLocks::ba);
      },
      ViolationKind::kStuck);
}

TEST(LineUp, ExceptionsAreResults) {
  const auto define = [](plumb::Test<Throws>& test) { test.operation("take", &Throws::take); };
  EXPECT_TRUE(plumb::check<Throws>(define, kSmall));
}

TEST(LineUp, RacesOfTheClassAreFound) {
  expect_violation<Racy>(
      [](plumb::Test<Racy>& test) {
        test.operation("set", &Racy::set, plumb::values(1));
        test.operation("get", &Racy::get);
      },
      ViolationKind::kRace);
}

struct Nondeterministic {
  int roll() { return (*counter)++ % 3; }
  static int* counter;  // to memory that no execution puts back
};
int* Nondeterministic::counter = nullptr;

TEST(LineUp, AnObjectThatIsNotDeterministicIsReportedWithBothHistories) {
  const auto count = std::make_unique<int>(0);
  Nondeterministic::counter = count.get();
  const TestResult result = plumb::check<Nondeterministic>(
      [](plumb::Test<Nondeterministic>& test) { test.operation("roll", &Nondeterministic::roll); }, kSmall);
  EXPECT_EQ(result.kind, ViolationKind::kNondeterministic) << result.report;
  EXPECT_THAT(result.report, ::testing::HasSubstr("one after another, roll() once returned "));
}

TEST(LineUp, AModelTakesThePlaceOfTheObject) {
  const auto define = []<class S>(plumb::Test<S>& test) {
    queue<S>(test);
    test.model("queue");
  };
  // `push` and `pop` are names of the queue's model as well.
  EXPECT_TRUE(plumb::check<LockedQueue>(define, kSmall));
  const TestResult result = expect_violation<LockedStack>(define, ViolationKind::kNotLinearizable);
  EXPECT_EQ(result.serial_histories, 0);
}

// A lock made of an atomic flag: nothing waits by name, but who holds it up holds up everybody.
struct SpinningCounter {
  std::atomic<bool> held{false};
  std::atomic<int> n{0};
  int increment() {
    while (held.exchange(true)) {
    }
    const int now = n.load() + 1;
    n.store(now);
    held.store(false);
    return now;
  }
  int get() const { return n.load(); }
};

TEST(LineUp, ClaimsOfProgressAreChecked) {
  const auto lock_free = []<class S>(plumb::Test<S>& test) {
    counter<S>(test);
    test.lock_free();
  };
  EXPECT_TRUE(plumb::check<Counter>(lock_free, kSmall));
  EXPECT_TRUE(plumb::check<SpinningCounter>(&counter<SpinningCounter>, kSmall)) << "linearizable it is";
  const TestResult spins = expect_violation<SpinningCounter>(lock_free, ViolationKind::kStuck);
  EXPECT_THAT(spins.message, ::testing::HasSubstr("is not enabled when it runs alone"));
  const auto queue_claims = [](plumb::Test<LockedQueue>& test) {
    queue<LockedQueue>(test);
    test.lock_free();
  };
  const TestResult waits = expect_violation<LockedQueue>(queue_claims, ViolationKind::kStuck);
  EXPECT_THAT(waits.message, ::testing::HasSubstr("is not lock-free: it may wait for another thread (lock)"));
}

// Takes the second oldest where there is one: a queue that is one place off.
struct SecondOldest : LockedQueue {
  std::optional<int> pop() {
    const std::lock_guard lock(mutex);
    if (items.empty()) return std::nullopt;
    const auto at = items.begin() + (items.size() > 1 ? 1 : 0);
    const int v = *at;
    items.erase(at);
    return v;
  }
};

TEST(LineUp, RelaxedOperationsMayMove) {
  const auto define = [](unsigned distance) {
    return [distance](plumb::Test<SecondOldest>& test) {
      test.operation("push", &SecondOldest::push, plumb::values(1, 2, 3));
      test.operation("pop", &SecondOldest::pop);
      test.model("queue");
      test.before(plumb::call("push", 7));
      test.before(plumb::call("push", 8));
      test.scenario({{plumb::call("pop")}, {plumb::call("pop")}});
      if (distance > 0) test.relax("pop", distance);
    };
  };
  EXPECT_TRUE(plumb::check<SecondOldest>(define(1), kSmall));
  expect_violation<SecondOldest>(define(0), ViolationKind::kNotLinearizable);
  const TestResult no_model = plumb::check<LockedQueue>(
      [](plumb::Test<LockedQueue>& test) {
        queue<LockedQueue>(test);
        test.relax("pop", 1);
      },
      kSmall);
  EXPECT_THAT(no_model.message, ::testing::HasSubstr("relax() needs to know"));
}

TEST(LineUp, FixedScenariosWithCallsAround) {
  const auto define = [](plumb::Test<LockedQueue>& test) {
    queue<LockedQueue>(test);
    test.before(plumb::call("push", 7));  // not among the listed values
    test.after(plumb::call("pop"));
    test.scenario({{plumb::call("push", 1), plumb::call("pop")}, {plumb::call("pop")}});
  };
  const TestResult result = plumb::check<LockedQueue>(define, {.jobs = 1});
  EXPECT_TRUE(result) << result;
  EXPECT_EQ(result.scenarios, 1);
  EXPECT_EQ(result.serial_histories, 3);
}

TEST(LineUp, ManyProcessesSayTheSameAsOne) {
  TestOptions two = kSmall;
  two.jobs = 2;
  const TestResult one = plumb::check<LockedQueue>(&queue<LockedQueue>, kSmall);
  const TestResult both = plumb::check<LockedQueue>(&queue<LockedQueue>, two);
  EXPECT_EQ(one.executions, both.executions);
  EXPECT_EQ(one.histories, both.histories);
  EXPECT_EQ(one.scenarios, both.scenarios);
  const TestResult found = plumb::check<LostUpdate>(&counter<LostUpdate>, two);
  EXPECT_EQ(found.scenario, plumb::check<LostUpdate>(&counter<LostUpdate>, kSmall).scenario);
}

TEST(LineUp, ASpentBudgetIsUnknown) {
  TestOptions few = kSmall;
  few.explore.executions = 1;
  const TestResult result = plumb::check<LockedQueue>(&queue<LockedQueue>, few);
  EXPECT_EQ(result.verdict, Outcome::kUnknown);
  EXPECT_FALSE(result.exhausted);
}

TEST(LineUp, WrongUseIsSaid) {
  using Test = plumb::Test<LockedQueue>;
  const auto message = [](auto define, TestOptions options = kSmall) {
    const TestResult result = plumb::check<LockedQueue>(define, options);
    EXPECT_TRUE(result.refused);
    return result.message;
  };
  EXPECT_THAT(message([](Test&) {}), ::testing::HasSubstr("names no operations"));
  EXPECT_THAT(message([](Test& test) {
                queue<LockedQueue>(test);
                test.operation("pop", &LockedQueue::pop);
              }),
              ::testing::HasSubstr("\"pop\" is registered twice"));
  EXPECT_THAT(message([](Test& test) {
                queue<LockedQueue>(test);
                test.scenario({{plumb::call("pusj", 1)}});
              }),
              ::testing::HasSubstr("did you mean 'push'"));
  EXPECT_THAT(message([](Test& test) {
                queue<LockedQueue>(test);
                test.scenario({{plumb::call("push", "one")}});
              }),
              ::testing::HasSubstr("not of the types"));
  TestOptions none = kSmall;
  none.threads = 0;
  EXPECT_THAT(message(&queue<LockedQueue>, none), ::testing::HasSubstr("needs a thread"));
}

}  // namespace
}  // namespace plumb_tests
