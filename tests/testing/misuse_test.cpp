// What POSIX leaves undefined is a fault of the class, shown as any other; what the engine cannot run
// is an error of the test.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <mutex>
#include <thread>

#include <plumb/plumb.hpp>

namespace {

using plumb::TestResult;
using testing::HasSubstr;

// Unlocks although it did not get the lock: wrong where another has it.
struct UnlocksAnyway {
  std::mutex mutex;
  int count = 0;
  int increment() {
    const bool got = mutex.try_lock();
    const int result = got ? ++count : 0;
    mutex.unlock();
    return result;
  }
};

const auto kUnlocksAnyway = [](auto& test) { test.operation("increment", &UnlocksAnyway::increment); };

TEST(Misuse, UnderContentionIsAViolation) {
  const TestResult result = plumb::check<UnlocksAnyway>(kUnlocksAnyway, {.jobs = 1});
  EXPECT_EQ(result.verdict, plumb::Outcome::kViolation) << result.report;
  EXPECT_EQ(result.kind, plumb::ViolationKind::kCrash);
  EXPECT_EQ(result.message, "unlock of a mutex that this thread does not hold");
  const std::vector<std::vector<std::string>> smallest{{"increment()"}, {"increment()"}};
  EXPECT_EQ(result.scenario, smallest);
  EXPECT_THAT(result.report, HasSubstr("increment() (here)"));
  EXPECT_THAT(result.report, HasSubstr("misuse_test.cpp:24 UnlocksAnyway::increment"));
  EXPECT_THAT(result.report, HasSubstr("The interleaving:"));
  EXPECT_THAT(result.json(), HasSubstr(R"("verdict":"violation","kind":"crash")"));
  ASSERT_FALSE(result.replay.empty());
  const TestResult again = plumb::check<UnlocksAnyway>(kUnlocksAnyway, {.jobs = 1, .replay = result.replay});
  EXPECT_EQ(again.verdict, plumb::Outcome::kViolation) << again.report;
  EXPECT_EQ(again.message, result.message);
}

TEST(Misuse, InWorkersIsTheSame) {
  const TestResult result = plumb::check<UnlocksAnyway>(kUnlocksAnyway, {.jobs = 2});
  EXPECT_EQ(result.verdict, plumb::Outcome::kViolation) << result.report;
  EXPECT_EQ(result.kind, plumb::ViolationKind::kCrash);
  EXPECT_FALSE(result.replay.empty());
}

// Wrong whenever it is called first: that shows with nothing else running.
struct UnlocksFirst {
  std::mutex mutex;
  int count = 0;
  void close() { mutex.unlock(); }
  int increment() {
    const std::scoped_lock lock(mutex);
    return ++count;
  }
};

TEST(Misuse, InASerialRunIsAViolationOfTheSmallestScenario) {
  const auto define = [](auto& test) {
    test.operation("increment", &UnlocksFirst::increment);
    test.operation("close", &UnlocksFirst::close);
  };
  const TestResult result = plumb::check<UnlocksFirst>(define, {.jobs = 1});
  EXPECT_EQ(result.verdict, plumb::Outcome::kViolation) << result.report;
  EXPECT_EQ(result.kind, plumb::ViolationKind::kCrash);
  const std::vector<std::vector<std::string>> smallest{{"close()"}};
  EXPECT_EQ(result.scenario, smallest);
  EXPECT_THAT(result.report, HasSubstr("UnlocksFirst::close"));
  const TestResult again = plumb::check<UnlocksFirst>(define, {.jobs = 1, .replay = result.replay});
  EXPECT_EQ(again.verdict, plumb::Outcome::kViolation) << again.report;
}

struct Forks {
  std::mutex mutex;
  int begin() {
    const std::scoped_lock lock(mutex);
    return fork();
  }
};

TEST(Misuse, WhatTheEngineCannotRunIsNoFaultOfTheClass) {
  const TestResult result =
      plumb::check<Forks>([](auto& test) { test.operation("begin", &Forks::begin); }, {.jobs = 1});
  EXPECT_TRUE(result.refused) << result.report;
  EXPECT_THAT(result.message, HasSubstr("fork is not modelled"));
}

// Seventeen threads, where an execution has sixteen.
struct TooManyThreads {
  int count = 0;
  int run() {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 17; ++i) threads.emplace_back([] {});
    return ++count;
  }
};

TEST(Misuse, ALimitOfTheEngineIsNoFaultOfTheClass) {
  const TestResult result = plumb::check<TooManyThreads>(
      [](auto& test) { test.operation("run", &TooManyThreads::run); }, {.jobs = 1});
  EXPECT_TRUE(result.refused) << result.report;
  EXPECT_THAT(result.message, HasSubstr("more threads than one execution may have"));
}

}  // namespace
