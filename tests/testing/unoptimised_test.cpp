// Loops as an unoptimised build has them: all that they keep is in the frame, beside what earlier calls left
// there. This file is compiled with -O0.
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

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

// Wrong: the datum is read also when the time was over.
struct Datum {
  std::atomic<bool> there{false};
  int datum = 0;
  void set() {
    datum = 1;
    there = true;
  }
};
struct ByDouble : Datum {
  int get() {
    const auto begin = Clock::now();
    while (!there && Seconds(Clock::now() - begin).count() < 0.01) {
    }
    return datum;
  }
};
struct ByDate : Datum {
  int get() {
    const double begin = Seconds(Clock::now().time_since_epoch()).count();
    while (!there && Seconds(Clock::now().time_since_epoch()).count() - begin < 0.01) {
    }
    return datum;
  }
};
struct Counting : Datum {
  int get() {
    const auto end = Clock::now() + 10ms;
    int rounds = 0;
    while (!there && Clock::now() < end) ++rounds;
    return datum;
  }
};
struct SeldomLooking : Datum {
  int get() {
    const auto end = Clock::now() + 10ms;
    for (int rounds = 1; !there; ++rounds) {
      if (rounds % 10 == 0 && Clock::now() > end) break;
    }
    return datum;
  }
};
struct Yielding : Datum {
  int get() {
    const auto end = Clock::now() + 10ms;
    for (int rounds = 0; !there && Clock::now() < end; ++rounds) std::this_thread::yield();
    return datum;
  }
};
template <class S>
void expect_race() {
  const auto result = plumb::check<S>(
      [](auto& test) {
        test.operation("set", &S::set);
        test.operation("get", &S::get);
        test.scenario({{plumb::call("set")}, {plumb::call("get")}});
      },
      kSmall);
  EXPECT_EQ(result.kind, plumb::ViolationKind::kRace) << result;
}
TEST(Unoptimised, ALoopThatKeepsMoreThanTheTimeSeesThatItIsOver) {
  expect_race<ByDouble>();
  expect_race<ByDate>();
  expect_race<Counting>();
  expect_race<SeldomLooking>();
  expect_race<Yielding>();
}

}  // namespace
