// Loops as an unoptimised build has them: all that they keep is in the frame, beside what earlier calls left there. This file is
// compiled with -O0.
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include <chrono>
#include <mutex>

namespace {

using namespace std::chrono_literals;

const plumb::TestOptions kSmall{.threads = 2, .operations = 2, .samples = 20, .jobs = 1};

// More executions than come before the second survey.
struct TimedCounter {
  std::timed_mutex mutex;
  int n = 0;
  int increment() {
    while (!mutex.try_lock_for(1ms)) {
    }
    const int result = ++n;
    mutex.unlock();
    return result;
  }
};
TEST(Unoptimised, ATimedLoopIsToldInTheSameRoundEachTime) {
  const auto result = plumb::check<TimedCounter>(
      [](auto& test) { test.operation("increment", &TimedCounter::increment); }, kSmall);
  EXPECT_TRUE(result) << result;
  EXPECT_GT(result.executions, 256U);
}

}  // namespace
