// Stress runs: faults are found within a bounded number of operations, what is right is never called wrong, and what was asked for is what
// is run. Real threads: which round finds a fault differs from run to run, that one does must not.
#include <atomic>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <thread>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <plumb/check.hpp>
#include <plumb/files.hpp>
#include <plumb/plumb.hpp>
#include <plumb/report.hpp>

#include "support/scale.hpp"
#include "testing/subjects.hpp"

namespace plumb_tests {
namespace {

using plumb::Outcome;
using namespace std::chrono_literals;
using plumb::StressOptions;
using plumb::TestResult;

// A fault has to show within a million operations.
const StressOptions kUntilFound{.operations = 500, .rounds = 500};

StressOptions some_rounds(std::size_t rounds) {
  return {.operations = 500, .rounds = plumb::test::scaled(rounds)};
}

template <class S>
void queue(plumb::Test<S>& test) {
  test.operation("push", &S::push, plumb::values(1, 2));
  test.operation("pop", &S::pop);
  test.model("queue");
}

// A queue that looks, and takes later.
struct TakesLater : LockedQueue {
  std::optional<int> pop() {
    std::unique_lock lock(mutex);
    if (items.empty()) return std::nullopt;
    const int v = items.front();
    lock.unlock();
    lock.lock();
    if (!items.empty()) items.pop_front();
    return v;
  }
};

TEST(Stress, RightClassesPassAndAllOfIt) {
  const StressOptions options = some_rounds(20);
  const TestResult result = plumb::stress<LockedQueue>(queue<LockedQueue>, options);
  ASSERT_EQ(result.verdict, Outcome::kHolds) << result.report;
  EXPECT_EQ(result.stress->rounds, options.rounds);
  EXPECT_EQ(result.stress->operations, *options.rounds * 4 * 500);
  EXPECT_EQ(result.stress->engine, "monitor") << result.report;  // the values were made distinct
  EXPECT_LE(result.stress->lag_rounds, options.ahead + 1);
}

TEST(Stress, RoundsCanBeCheckedBetweenThem) {
  StressOptions options = some_rounds(10);
  options.ahead = 0;
  const TestResult result = plumb::stress<LockedQueue>(queue<LockedQueue>, options);
  ASSERT_EQ(result.verdict, Outcome::kHolds) << result.report;
  EXPECT_EQ(result.stress->rounds, options.rounds);
  EXPECT_EQ(result.stress->lag_rounds, 1U);
  EXPECT_GT(result.stress->checking_time, 0s);
}

TEST(Stress, FindsAFaultAndExplainsIt) {
  const std::string file = ::testing::TempDir() + "takes_later.plumb";
  StressOptions options = kUntilFound;
  options.save = file;
  const TestResult result = plumb::stress<TakesLater>(queue<TakesLater>, options, "TakesLater");
  ASSERT_EQ(result.verdict, Outcome::kViolation) << result.report;
  EXPECT_EQ(result.kind, plumb::ViolationKind::kNotLinearizable);
  EXPECT_THAT(result.report, ::testing::HasSubstr("is impossible"));
  EXPECT_THAT(result.report, ::testing::ContainsRegex("of 2000 proves? it by"));
  EXPECT_THAT(result.rendered(plumb::ReportFormat::kHtml), ::testing::HasSubstr("<html"));
  EXPECT_THAT(result.json(), ::testing::HasSubstr(R"("mode":"stress")"));
  // The file has the round, with its model.
  const auto histories = plumb::read_histories(file);
  ASSERT_TRUE(histories.ok()) << histories.error().text();
  ASSERT_EQ(histories->size(), 1U);
  EXPECT_EQ(histories->front().size(), 4U * 500);
  EXPECT_EQ(histories->front().model(), "queue");
  const auto verdict = plumb::check(histories->front(), *plumb::find_model("queue").value());
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->outcome, plumb::Outcome::kViolation);
  std::filesystem::remove(file);
}

template <class S>
void counter(plumb::Test<S>& test) {
  test.operation("increment", &S::increment);
  test.operation("get", &S::get);
}

TEST(Stress, WithoutAModelTheObjectRunSeriallySaysWhatIsRight) {
  const TestResult right = plumb::stress<Counter>(counter<Counter>, some_rounds(30));
  EXPECT_EQ(right.verdict, Outcome::kHolds) << right.report;
  EXPECT_EQ(right.stress->engine, "line-up");
  EXPECT_GT(right.histories, 1U);
  StressOptions options = kUntilFound;
  options.save = ::testing::TempDir() + "lost_update.plumb";
  const TestResult wrong = plumb::stress<LostUpdate>(counter<LostUpdate>, options);
  EXPECT_EQ(wrong.verdict, Outcome::kViolation) << wrong.report;
  EXPECT_EQ(wrong.kind, plumb::ViolationKind::kNotLinearizable);
  EXPECT_THAT(wrong.report, ::testing::HasSubstr("plumb explain " + options.save + " --model NAME"));
  std::filesystem::remove(options.save);
}

// The calls before and after the threads are part of the history: with them gone, some pops would be impossible.
template <class S>
void scenario(plumb::Test<S>& test) {
  using plumb::call;
  test.operation("push", &S::push, plumb::values(1, 2, 3));
  test.operation("pop", &S::pop);
  test.before(call("push", 3));
  test.after(call("pop"));
  test.scenario({{call("push", 1), call("pop")}, {call("push", 2), call("pop")}});
}

TEST(Stress, RunsTheScenariosOfTheTest) {
  for (const bool with_model : {false, true}) {
    const auto define = [&](auto& test) {
      scenario(test);
      if (with_model) test.model("queue");
    };
    const TestResult right = plumb::stress<LockedQueue>(define, some_rounds(10));
    EXPECT_EQ(right.verdict, Outcome::kHolds) << right.report;
    EXPECT_EQ(right.scenarios, 1U);
    const TestResult wrong = plumb::stress<TakesLater>(define, kUntilFound);
    EXPECT_EQ(wrong.verdict, Outcome::kViolation) << wrong.report;
  }
}

// Counts who calls what, and returns 1 where it should not have been called so.
struct WhoCalls {
  static inline std::atomic<int> rare{0};
  static inline std::atomic<int> often{0};
  std::atomic<std::size_t> producer{0};
  int call_rare() { return rare.fetch_add(1) < 0 ? 1 : 0; }
  int call_often() { return often.fetch_add(1) < 0 ? 1 : 0; }
  int call_never() { return 1; }
  int produce() {
    const std::size_t self = std::hash<std::thread::id>()(std::this_thread::get_id());
    std::size_t known = 0;
    return producer.compare_exchange_strong(known, self) || known == self ? 0 : 1;
  }
};

struct Zero {
  int zero() const { return 0; }
  auto fields() const { return std::tie(); }
  bool operator==(const Zero&) const = default;
};

TEST(Stress, KeepsToWeightsAndGroups) {
  const TestResult result = plumb::stress<WhoCalls>(
      [](plumb::Test<WhoCalls>& test) {
        auto model = std::make_shared<plumb::ObjectModel<Zero>>("zero");
        for (const char* name : {"rare", "often", "never", "produce"}) model->operation(name, &Zero::zero);
        test.model(model);
        test.operation("rare", &WhoCalls::call_rare);
        test.operation("often", &WhoCalls::call_often).weight(9);
        test.operation("never", &WhoCalls::call_never).weight(0);
        test.operation("produce", &WhoCalls::produce).one_thread("producer").weight(5);
      },
      {.operations = 1'000, .rounds = 3, .pauses = 10});  // so that operations overlap on a busy machine, too
  EXPECT_EQ(result.verdict, Outcome::kHolds) << result.report;
  EXPECT_GT(WhoCalls::rare, 0);
  EXPECT_GT(WhoCalls::often, 5 * WhoCalls::rare);
}

// Values of one byte, which soon come again; their tags do not.
struct ByteQueue {
  using Item = plumb::Tagged<std::int8_t>;
  std::mutex mutex;
  std::deque<Item> items;
  void push(Item v) {
    const std::lock_guard lock(mutex);
    items.push_back(v);
  }
  std::optional<Item> pop() {
    const std::lock_guard lock(mutex);
    if (items.empty()) return std::nullopt;
    const Item v = items.front();
    items.pop_front();
    return v;
  }
};

TEST(Stress, TagsMakeSmallValuesDistinct) {
  const auto define = [](plumb::Test<ByteQueue>& test) {
    test.operation("push", &ByteQueue::push, plumb::values<std::int8_t>(1, 2));
    test.operation("pop", &ByteQueue::pop);
    test.model("queue");
  };
  const TestResult stressed = plumb::stress<ByteQueue>(define, some_rounds(5));
  EXPECT_EQ(stressed.verdict, Outcome::kHolds) << stressed.report;
  EXPECT_EQ(stressed.stress->engine, "monitor") << stressed.report;
  EXPECT_TRUE(plumb::check<ByteQueue>(define, {.threads = 2, .operations = 2, .samples = 5, .jobs = 1}));
}

// A queue that stores small numbers only.
struct SmallQueue : LockedQueue {
  void push(int v) { LockedQueue::push(v < 10 ? v : 0); }
};

TEST(Stress, ExactlyTheseValues) {
  const TestResult result = plumb::stress<SmallQueue>(
      [](plumb::Test<SmallQueue>& test) {
        test.operation("push", &SmallQueue::push, plumb::exactly(1, 2));
        test.operation("pop", [](SmallQueue& subject) { return subject.pop(); });
        test.model("queue");
      },
      {.threads = 2, .operations = 50, .rounds = 10});
  EXPECT_EQ(result.verdict, Outcome::kHolds) << result.report;
}

struct Register {
  std::atomic<int> value{0};
  void write(int v) { value = v; }
  int read() const { return value; }
  bool cas(int expected, int desired) { return value.compare_exchange_strong(expected, desired); }
};

TEST(Stress, EveryClockGivesSoundRecords) {
  using plumb::ClockKind;
  for (const ClockKind clock : {ClockKind::kHardware, ClockKind::kSystem, ClockKind::kCounter}) {
    StressOptions options = some_rounds(10);
    options.clock = clock;
    const TestResult result = plumb::stress<Register>(
        [](plumb::Test<Register>& test) {
          test.operation("write", &Register::write, plumb::values(1, 2));
          test.operation("read", &Register::read);
          test.operation("cas", &Register::cas, plumb::values(1, 2), plumb::values(1, 2));
          test.before(plumb::call("write", 0));
          test.model("register");
        },
        options);
    if (result.refused && clock == ClockKind::kHardware) continue;  // not to be trusted here
    EXPECT_EQ(result.verdict, Outcome::kHolds) << clock_name(clock) << "\n" << result.report;
    EXPECT_EQ(result.stress->clock, clock);
  }
}

struct Throws {
  int increment() { throw std::runtime_error("never"); }
  int get() const { return 0; }
};

TEST(Stress, AnExceptionIsAResult) {
  const TestResult result = plumb::stress<Throws>(counter<Throws>, some_rounds(5));
  EXPECT_EQ(result.verdict, Outcome::kHolds) << result.report;
}

TEST(Stress, WhatCannotBeRunIsAnError) {
  const auto error = [](auto define, const StressOptions& options = {.rounds = 1}) {
    const TestResult result = plumb::stress<LockedQueue>(define, options);
    EXPECT_TRUE(result.refused) << result.report;
    return result.message;
  };
  const auto good = queue<LockedQueue>;
  EXPECT_THAT(error(good, {.threads = 0, .rounds = 1}), ::testing::HasSubstr("a thread and an operation"));
  EXPECT_THAT(error([](plumb::Test<LockedQueue>& test) {
                test.operation("pop", &LockedQueue::pop).weight(0);
                test.model("queue");
              }),
              ::testing::HasSubstr("weight 0"));
  EXPECT_THAT(error([](plumb::Test<LockedQueue>& test) {
                test.operation("pull", &LockedQueue::pop);
                test.model("queue");
              }),
              ::testing::HasSubstr("does not fit the model"));
}

TEST(Stress, ABudgetThatEndsItEarlyIsNoPass) {
  const std::atomic<bool> stop{true};
  StressOptions options{.rounds = 5, .stop = &stop};
  EXPECT_EQ(plumb::stress<LockedQueue>(queue<LockedQueue>, options).verdict, Outcome::kUnknown);
  options = {.rounds = 1'000'000, .timeout = 100ms};
  EXPECT_EQ(plumb::stress<LockedQueue>(queue<LockedQueue>, options).verdict, Outcome::kUnknown);
}

// Waits forever when it is empty, as a model of a queue would not.
TEST(Stress, ARoundThatDoesNotEndIsGivenUp) {
  const TestResult result = plumb::stress<BlockingQueue>(
      [](plumb::Test<BlockingQueue>& test) {
        test.operation("push", &BlockingQueue::push, plumb::values(1)).weight(0);
        test.operation("pop", &BlockingQueue::take);
        test.model("queue");
      },
      {.threads = 2, .rounds = 2, .stuck = 200ms});
  EXPECT_EQ(result.verdict, Outcome::kUnknown);
  EXPECT_THAT(result.message, ::testing::HasSubstr("pop() -> (pending)"));
}

template <class S>
void blocking(plumb::Test<S>& test) {
  test.operation("push", &S::push, plumb::values(1, 2));
  test.operation("take", &S::take);
}

// Takes the newest, where it had said it would take the oldest, if others are at it, too.
struct BlockingMixUp : BlockingQueue {
  std::atomic<int> inside{0};
  int take() {
    inside.fetch_add(1);
    std::unique_lock lock(mutex);
    filled.wait(lock, [&] { return !items.empty(); });
    const bool alone = inside.load() == 1;
    const int v = alone ? items.front() : items.back();
    alone ? items.pop_front() : items.pop_back();
    inside.fetch_sub(1);
    return v;
  }
};

TEST(Stress, OperationsThatBlockAreCalledWhereTheyCanEnd) {
  const TestResult right = plumb::stress<BlockingQueue>(blocking<BlockingQueue>, some_rounds(40));
  EXPECT_EQ(right.verdict, Outcome::kHolds) << right.report;
  EXPECT_GT(right.stress->operations, 0U);
  EXPECT_GT(right.stress->left_out, 0U);
  EXPECT_EQ(right.stress->judged, right.stress->rounds);
  EXPECT_GT(right.stress->overlapping, 0U);
  EXPECT_THAT(right.report, ::testing::HasSubstr("left out in which threads may wait forever"));
  const TestResult wrong = plumb::stress<BlockingMixUp>(blocking<BlockingMixUp>, kUntilFound);
  EXPECT_EQ(wrong.verdict, Outcome::kViolation) << wrong.report;
}

TEST(Stress, AScenarioThatDoesNotEndIsReleasedOrLeftOut) {
  using plumb::call;
  const TestResult released = plumb::stress<BlockingQueue>(
      [](plumb::Test<BlockingQueue>& test) {
        blocking(test);
        test.scenario({{call("take"), call("take")}, {call("push", 1)}});
      },
      some_rounds(10));
  EXPECT_EQ(released.verdict, Outcome::kHolds) << released.report;
  EXPECT_EQ(released.stress->released, 1U);
  EXPECT_THAT(released.json(), ::testing::HasSubstr(R"("left_out":0,"released":1)"));
  // Six are too many to be added; the other one is run, but that is not all that was asked for.
  const TestResult some = plumb::stress<BlockingQueue>(
      [](plumb::Test<BlockingQueue>& test) {
        blocking(test);
        test.scenario(
            {{call("take"), call("take"), call("take")}, {call("take"), call("take"), call("take")}});
        test.scenario({{call("push", 1), call("push", 2)}, {call("take")}});
      },
      some_rounds(5));
  EXPECT_EQ(some.verdict, Outcome::kUnknown) << some.report;
  EXPECT_EQ(some.stress->left_out, 1U);
  EXPECT_GT(some.stress->judged, 0U);
  EXPECT_THAT(some.message, ::testing::HasSubstr("take(), take() at once"));
  const TestResult none = plumb::stress<BlockingQueue>(
      [](plumb::Test<BlockingQueue>& test) { test.operation("take", &BlockingQueue::take); }, some_rounds(5));
  EXPECT_EQ(none.verdict, Outcome::kUnknown) << none.report;
  EXPECT_EQ(none.stress->rounds, 0U);
  EXPECT_THAT(none.message, ::testing::HasSubstr("Name an operation that releases them"));
}

TEST(Stress, LittleThatWasRunIsNoPass) {
  const TestResult moment = plumb::stress<Counter>(counter<Counter>, {.duration = 1us});
  EXPECT_EQ(moment.verdict, Outcome::kUnknown) << moment.report;
  EXPECT_THAT(moment.message, ::testing::HasSubstr("scenarios were run"));
  // However busy the machine is: where it passes, every scenario was run.
  const TestResult some = plumb::stress<Counter>(counter<Counter>, {.duration = 2s});
  EXPECT_TRUE(some.verdict == Outcome::kUnknown || some.stress->judged >= some.scenarios) << some.report;
  const TestResult in_turn = plumb::stress<LockedQueue>(
      [](plumb::Test<LockedQueue>& test) {
        test.operation("push", &LockedQueue::push, plumb::values(1, 2)).one_thread("only");
        test.operation("pop", &LockedQueue::pop).one_thread("only");
        test.model("queue");
      },
      some_rounds(5));
  EXPECT_EQ(in_turn.verdict, Outcome::kUnknown) << in_turn.report;
  EXPECT_THAT(in_turn.message, ::testing::HasSubstr("no two operations overlapped"));
}

}  // namespace
}  // namespace plumb_tests
