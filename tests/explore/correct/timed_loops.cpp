// Loops that wait a little, look, and wait again. They are let go on when something they look at has changed:
// that they time out without an end is no execution. What they do when they have had enough is one.
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <thread>
#include <vector>

#include "explore/programs.hpp"

namespace {

using namespace std::chrono_literals;
using plumb::SearchOrder;

// Every search passes and comes to its end; depth first only where that is not too much.
void expect_all_pass(plumb_tests::Body program, bool depth_first = true) {
  const std::pair<SearchOrder, plumb::PreemptionBound> searches[] = {
      {SearchOrder::kReduced, plumb::kAnyPreemptions},
      {SearchOrder::kReduced, 2},
      {SearchOrder::kDepthFirst, 2}};
  for (const auto& [order, preemptions] : searches) {
    if (order == SearchOrder::kDepthFirst && !depth_first) continue;
    const auto result = plumb::explore(program, {.order = order, .preemptions = preemptions});
    EXPECT_TRUE(result.passed() && result.exhausted) << static_cast<int>(order) << "\n" << result.text();
  }
  for (const SearchOrder order : {SearchOrder::kRandom, SearchOrder::kPct}) {
    const auto result = plumb::explore(program, {.order = order, .executions = 200});
    EXPECT_NE(result.verdict, plumb::Outcome::kViolation) << result.text();
  }
}

// What several waiters wait for: somebody else sets `ready` and perhaps says so.
struct Shared {
  std::mutex mutex;
  std::timed_mutex timed;
  std::condition_variable changed;
  bool ready = false;
  std::atomic<bool> flag{false};
};

template <int kWaiters, class Wait, class Set>
void waiters(plumb::Program& p, Wait wait, Set set) {
  Shared shared;
  for (int i = 0; i < kWaiters; ++i) {
    p.thread([&] { wait(shared); });
  }
  p.thread([&] { set(shared); });
  p.run();
}
void set_ready(Shared& shared) {
  const std::lock_guard lock(shared.mutex);
  shared.ready = true;
}
void set_and_notify(Shared& shared) {
  set_ready(shared);
  shared.changed.notify_one();
}
void wait_for(Shared& shared) {
  std::unique_lock lock(shared.mutex);
  while (!shared.changed.wait_for(lock, 5ms, [&] { return shared.ready; })) {
  }
}
void wait_until(Shared& shared) {
  std::unique_lock lock(shared.mutex);
  while (!shared.ready) shared.changed.wait_until(lock, std::chrono::system_clock::now() + 5ms);
}
void sleep_and_look(Shared& shared) {
  for (;;) {
    {
      const std::lock_guard lock(shared.mutex);
      if (shared.ready) return;
    }
    std::this_thread::sleep_for(5ms);
  }
}
void yield_and_look(Shared& shared) {
  for (;;) {
    {
      const std::lock_guard lock(shared.mutex);
      if (shared.ready) return;
    }
    std::this_thread::yield();
  }
}

TEST(TimedLoops, WaitForUntilItIsSo) {
  expect_all_pass([](plumb::Program& p) { waiters<1>(p, wait_for, set_and_notify); });
}
// Nobody says so: each of them looks when it has timed out.
TEST(TimedLoops, WaitForWithoutANotification) {
  expect_all_pass([](plumb::Program& p) { waiters<1>(p, wait_for, set_ready); });
}
TEST(TimedLoops, TwoWaitFor) {
  expect_all_pass([](plumb::Program& p) { waiters<2>(p, wait_for, set_and_notify); }, false);
}
TEST(TimedLoops, WaitUntil) {
  expect_all_pass([](plumb::Program& p) { waiters<1>(p, wait_until, set_ready); });
}
TEST(TimedLoops, TwoSleepAndLook) {
  expect_all_pass([](plumb::Program& p) { waiters<2>(p, sleep_and_look, set_ready); }, false);
}
TEST(TimedLoops, TwoYieldAndLook) {
  const auto result =
      plumb::explore([](plumb::Program& p) { waiters<2>(p, yield_and_look, set_ready); }, {.preemptions = 1});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}
TEST(TimedLoops, SleepUntilAFlag) {
  expect_all_pass([](plumb::Program& p) {
    waiters<2>(
        p,
        [](Shared& shared) {
          while (!shared.flag) std::this_thread::sleep_for(1ms);
        },
        [](Shared& shared) { shared.flag = true; });
  });
}
TEST(TimedLoops, TryLockFor) {
  expect_all_pass([](plumb::Program& p) {
    Shared shared;
    int n = 0;
    for (int i = 0; i < 2; ++i) {
      p.thread([&] {
        while (!shared.timed.try_lock_for(5ms)) {
        }
        ++n;
        shared.timed.unlock();
      });
    }
    p.check([&] { return n == 2; });
  });
}
TEST(TimedLoops, SharedLockFor) {
  expect_all_pass([](plumb::Program& p) {
    std::shared_timed_mutex lock;
    int n = 0;
    p.thread([&] {
      while (!lock.try_lock_for(5ms)) {
      }
      n = 1;
      lock.unlock();
    });
    p.thread([&] {
      while (!lock.try_lock_shared_for(5ms)) {
      }
      p.require(n == 0 || n == 1, "nobody writes");
      lock.unlock_shared();
    });
    p.run();
  });
}
TEST(TimedLoops, SemaphoreForAWhile) {
  expect_all_pass([](plumb::Program& p) {
    sem_t free;
    sem_init(&free, 0, 0);
    int data = 0;
    p.thread([&] {
      timespec deadline{};
      do {
        clock_gettime(CLOCK_REALTIME, &deadline);
        ++deadline.tv_sec;
      } while (sem_timedwait(&free, &deadline) != 0);
      p.require(data == 7, "posted");
    });
    p.thread([&] {
      data = 7;
      sem_post(&free);
    });
    p.run();
  });
}
TEST(TimedLoops, JoinForAWhile) {
  expect_all_pass([](plumb::Program& p) {
    p.thread([&] {
      int n = 0;
      pthread_t thread = 0;
      pthread_create(
          &thread, nullptr,
          [](void* to) -> void* {
            std::this_thread::yield();
            ++*static_cast<int*>(to);
            return nullptr;
          },
          &n);
      timespec deadline{};
      do {
        clock_gettime(CLOCK_REALTIME, &deadline);
        ++deadline.tv_sec;
      } while (pthread_timedjoin_np(thread, nullptr, &deadline) != 0);
      p.require(n == 1, "joined");
    });
    p.run();
  });
}
TEST(TimedLoops, FutureForAWhile) {
  const auto result = plumb::explore(
      [](plumb::Program& p) {
        p.thread([&] {
          auto answer = std::async(std::launch::async, [] { return 42; });
          while (answer.wait_for(5ms) != std::future_status::ready) {
          }
          p.require(answer.get() == 42, "the answer arrives");
        });
        p.run();
      },
      {.preemptions = 1});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}

// How often a thread waited, and whether in vain, over all executions.
template <class F>
std::set<int> outcomes(F body) {
  std::vector<int> all;
  all.reserve(100'000);  // memory made during an execution is gone after it
  const auto result = plumb::explore([&](plumb::Program& p) {
    int outcome = 0;
    body(p, outcome);
    all.push_back(outcome);
  });
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  return {all.begin(), all.end()};
}
// Three times, and then it gives up: each of that is possible, be the other one as slow as it likes.
TEST(TimedLoops, ALoopThatCountsLosesNothing) {
  const auto counts = [](plumb::Program& p, int& outcome) {
    Shared shared;
    p.thread([&] {
      std::unique_lock lock(shared.mutex);
      int times = 0;
      while (times < 3 && !shared.changed.wait_for(lock, 5ms, [&] { return shared.ready; })) ++times;
      outcome = times;
    });
    p.thread([&] { set_and_notify(shared); });
    p.run();
  };
  EXPECT_EQ(outcomes(counts), (std::set{0, 1, 2, 3}));
}
// Until a second has passed: so it may, whatever the other one does.
TEST(TimedLoops, ALoopUntilATimeEnds) {
  const auto until = [](plumb::Program& p, int& outcome) {
    Shared shared;
    p.thread([&] {
      const auto end = std::chrono::steady_clock::now() + 1s;
      std::unique_lock lock(shared.mutex);
      while (!shared.ready && std::chrono::steady_clock::now() < end) shared.changed.wait_for(lock, 5ms);
      outcome = shared.ready ? 1 : 2;
    });
    p.thread([&] { set_and_notify(shared); });
    p.run();
  };
  EXPECT_EQ(outcomes(until), (std::set{1, 2}));
  const auto alone = [](plumb::Program& p, int& outcome) {
    std::atomic<bool> never{false};
    p.thread([&] {
      const auto end = std::chrono::system_clock::now() + 10min;
      while (!never && std::chrono::system_clock::now() < end) std::this_thread::sleep_for(1ms);
      outcome = 2;
    });
    p.run();
  };
  EXPECT_EQ(outcomes(alone), (std::set{2}));
}

}  // namespace
