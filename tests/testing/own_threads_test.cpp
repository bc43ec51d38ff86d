// Threads that the object starts itself. The engine waits for them before the object is destroyed: one that
// only the destructor ends cannot be run, and that is no fault of the class.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>
#include <thread>

#include <plumb/plumb.hpp>

namespace {

using plumb::Outcome;
using plumb::TestResult;
using testing::HasSubstr;

// All is right with it.
struct Worker {
  std::mutex mutex;
  std::condition_variable changed;
  bool stop = false;
  int count = 0;
  std::thread thread{[this] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return stop; });
  }};
  ~Worker() {
    {
      const std::scoped_lock lock(mutex);
      stop = true;
    }
    changed.notify_all();
    thread.join();
  }
  Worker() = default;
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;
  int increment() {
    const std::scoped_lock lock(mutex);
    return ++count;
  }
  int read() {
    const std::scoped_lock lock(mutex);
    return count;
  }
};

TEST(OwnThreads, WhatOnlyTheDestructorEndsCannotBeRun) {
  const TestResult result =
      plumb::check<Worker>([](auto& test) { test.operation("increment", &Worker::increment); }, {.jobs = 1});
  EXPECT_TRUE(result.refused) << result.report;
  EXPECT_THAT(result.message, HasSubstr("a thread that the object started has not ended"));
}

TEST(OwnThreads, WhatOnlyTheDestructorEndsCannotBeRunWithAModelEither) {
  const TestResult result = plumb::check<Worker>(
      [](auto& test) {
        test.operation("read", &Worker::read);
        test.model("counter");
      },
      {.jobs = 1});
  EXPECT_TRUE(result.refused) << result.report;
  EXPECT_THAT(result.message, HasSubstr("a thread that the object started has not ended"));
}

// Its threads end by themselves, unless they are in each other's way.
struct OppositeLocks {
  std::mutex first;
  std::mutex second;
  static void lock_both(std::mutex& one, std::mutex& other) {
    std::thread([&] {
      const std::scoped_lock outer(one);
      const std::scoped_lock inner(other);
    }).detach();
  }
  void forth() { lock_both(first, second); }
  void back() { lock_both(second, first); }
};

TEST(OwnThreads, ThatEndInSerialRunsAndNotOtherwiseAreStuck) {
  const TestResult result = plumb::check<OppositeLocks>(
      [](auto& test) {
        test.operation("forth", &OppositeLocks::forth);
        test.operation("back", &OppositeLocks::back);
        test.scenario({{plumb::call("forth")}, {plumb::call("back")}});
      },
      {.jobs = 1});
  EXPECT_EQ(result.verdict, Outcome::kViolation) << result.report;
  EXPECT_EQ(result.kind, plumb::ViolationKind::kStuck);
  EXPECT_THAT(result.message, HasSubstr("threads that the object started never end"));
  EXPECT_FALSE(result.replay.empty());
}

struct BlockingDestructor {
  std::mutex mutex;
  int count = 0;
  int increment() {
    const std::scoped_lock lock(mutex);
    return ++count;
  }
  ~BlockingDestructor() {
    mutex.lock();
    std::thread([this] { const std::scoped_lock lock(mutex); }).join();
  }
  BlockingDestructor() = default;
  BlockingDestructor(const BlockingDestructor&) = delete;
  BlockingDestructor& operator=(const BlockingDestructor&) = delete;
};

TEST(OwnThreads, ADestructorThatBlocksIsStuck) {
  const TestResult result = plumb::check<BlockingDestructor>(
      [](auto& test) { test.operation("increment", &BlockingDestructor::increment); }, {.jobs = 1});
  EXPECT_EQ(result.verdict, Outcome::kViolation) << result.report;
  EXPECT_EQ(result.kind, plumb::ViolationKind::kStuck);
  EXPECT_THAT(result.message, HasSubstr("destructor blocks"));
}

}  // namespace
