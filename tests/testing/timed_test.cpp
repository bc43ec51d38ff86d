// Classes whose operations wait for a time at most: what they do when it is over is what they do alone.
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include <atomic>
#include <chrono>
#include <future>
#include <semaphore>
#include <thread>

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using plumb::TestOptions;

const TestOptions kSmall{.threads = 2, .operations = 2, .samples = 20, .jobs = 1};
const TestOptions kOneEach{.threads = 2, .operations = 1, .samples = 20, .jobs = 1};

template <class S>
void flag(plumb::Test<S>& test) {
  test.operation("set", &S::set);
  test.operation("wait", &S::wait);
}

struct Flag {
  std::atomic<int> v{0};
  void set() { v = 1; }
};
struct SpinFlag : Flag {
  bool wait() {
    const auto end = Clock::now() + 5ms;
    while (v == 0 && Clock::now() < end) {
    }
    return v != 0;
  }
};
struct YieldFlag : Flag {
  bool wait() {
    const auto end = Clock::now() + 5ms;
    while (v == 0 && Clock::now() < end) std::this_thread::yield();
    return v != 0;
  }
};
// One flag each, and the clock is asked first: a thread whose flag is set must not miss it
// because another one waits.
struct TwoFlags {
  std::atomic<int> v[2] = {0, 0};
  void set(int i) { v[i] = 1; }
  bool wait(int i) {
    const auto end = Clock::now() + 5ms;
    while (Clock::now() < end) {
      if (v[i] != 0) return true;
    }
    return false;
  }
};
// The last look was before the time was over, and what it saw is forgotten.
struct ForgetfulFlag : Flag {
  bool wait() {
    const auto end = Clock::now() + 5ms;
    while (v == 0 && Clock::now() < end) {
    }
    return v.exchange(0) != 0 && v != 0;
  }
};

TEST(Timed, ALoopUntilATimeIsATimedWait) {
  const auto spin = plumb::check<SpinFlag>(&flag<SpinFlag>, kSmall);
  EXPECT_TRUE(spin) << spin;
  const auto yield = plumb::check<YieldFlag>(&flag<YieldFlag>, kSmall);
  EXPECT_TRUE(yield) << yield;
  const auto two = plumb::check<TwoFlags>(
      [](auto& test) {
        test.operation("set", &TwoFlags::set, plumb::values(0, 1));
        test.operation("wait", &TwoFlags::wait, plumb::values(0, 1));
      },
      kSmall);
  EXPECT_TRUE(two) << two;
}
TEST(Timed, AFaultIsFoundAllTheSame) {
  const auto result = plumb::check<ForgetfulFlag>(&flag<ForgetfulFlag>, kSmall);
  EXPECT_EQ(result.kind, plumb::ViolationKind::kNotLinearizable) << result;
}

struct Semaphore {
  std::counting_semaphore<4> free{0};
  void set() { free.release(); }
  void wait() {
    while (!free.try_acquire_for(2ms)) {
    }
  }
};
TEST(Timed, ASemaphoreInALoopWaits) {
  const auto result = plumb::check<Semaphore>(&flag<Semaphore>, kOneEach);
  EXPECT_TRUE(result) << result;
}

struct Promise {
  std::promise<int> promise;
  std::shared_future<int> future{promise.get_future().share()};
  bool set() {
    try {
      promise.set_value(7);
      return true;
    } catch (const std::future_error&) {
      return false;
    }
  }
  int wait() {
    const auto mine = future;
    while (mine.wait_for(1ms) != std::future_status::ready) {
    }
    return mine.get();
  }
};
TEST(Timed, ASharedFutureInALoopWaits) {
  const auto result = plumb::check<Promise>(&flag<Promise>, kOneEach);
  EXPECT_TRUE(result) << result;
}

}  // namespace
