// Programs that get nowhere: deadlock, lost wake-up, endless loops with and without steps.
#include <pthread.h>
#include <semaphore.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <future>
#include <mutex>
#include <semaphore>
#include <thread>

#include "explore/gate.hpp"
#include "explore/programs.hpp"

namespace {

using plumb::FindingKind;
using plumb_tests::expect_found;

TEST(Deadlocks, TwoMutexesInBothOrders) {
  expect_found(
      [](plumb::Program& p) {
        std::mutex a;
        std::mutex b;
        p.thread([&] {
          const std::lock_guard first(a);
          const std::lock_guard second(b);
        });
        p.thread([&] {
          const std::lock_guard first(b);
          const std::lock_guard second(a);
        });
        p.check([] { return true; });
      },
      FindingKind::kDeadlock);
}

TEST(Deadlocks, ASemaphoreThatNobodyPosts) {
  expect_found(
      [](plumb::Program& p) {
        sem_t free;
        sem_init(&free, 0, 1);
        for (int i = 0; i < 2; ++i) {
          p.thread([&] { sem_wait(&free); });
        }
        p.run();
      },
      FindingKind::kDeadlock);
}

// In loops of timed waits: they wait all the same.
TEST(Deadlocks, TimedWaitsForASemaphoreThatIsPostedOnce) {
  expect_found(
      [](plumb::Program& p) {
        std::counting_semaphore<2> free{0};
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            while (!free.try_acquire_for(std::chrono::milliseconds(2))) {
            }
          });
        }
        p.thread([&] { free.release(); });
        p.run();
      },
      FindingKind::kDeadlock);
}
TEST(Deadlocks, TimedWaitsForAPromiseThatNobodyKeeps) {
  expect_found(
      [](plumb::Program& p) {
        std::promise<int> promise;
        const std::shared_future<int> future = promise.get_future().share();
        for (int i = 0; i < 2; ++i) {
          p.thread([future] {
            while (future.wait_for(std::chrono::milliseconds(1)) != std::future_status::ready) {
            }
          });
        }
        p.run();
      },
      FindingKind::kDeadlock);
}
// To look at the clock between two looks changes nothing: what it shows does not end the loop.
TEST(Deadlocks, ALoopThatLooksAtTheClock) {
  expect_found(
      [](plumb::Program& p) {
        std::atomic<bool> never{false};
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            auto last = std::chrono::steady_clock::now();
            while (!never) last = std::chrono::steady_clock::now();
            p.require(last.time_since_epoch().count() > 0, "it was over");
          });
        }
        p.run();
      },
      FindingKind::kDeadlock);
}

TEST(Deadlocks, ABarrierForOneMore) {
  expect_found(
      [](plumb::Program& p) {
        pthread_barrier_t barrier;
        pthread_barrier_init(&barrier, nullptr, 3);
        for (int i = 0; i < 2; ++i) {
          p.thread([&] { pthread_barrier_wait(&barrier); });
        }
        p.run();
      },
      FindingKind::kDeadlock);
}

TEST(Deadlocks, LostWakeUp) {
  expect_found(
      [](plumb::Program& p) {
        std::mutex mutex;
        std::condition_variable changed;
        std::atomic<bool> ready{false};
        p.thread([&] {
          std::unique_lock lock(mutex);
          if (!ready) changed.wait(lock);
        });
        p.thread([&] {  // without the mutex: the signal can come between the look and the wait
          ready = true;
          changed.notify_one();
        });
        p.check([&] { return ready.load(); });
      },
      FindingKind::kDeadlock);
}

TEST(Deadlocks, OneSignalForTwoWaiters) {
  expect_found(
      [](plumb::Program& p) {
        plumb_tests::Gate gate;
        for (int i = 0; i < 2; ++i) p.thread([&] { gate.wait(); });
        p.thread([&] { gate.open(); });
        p.check([] { return true; });
      },
      FindingKind::kDeadlock);
}

TEST(Deadlocks, AFlagThatNobodySets) {
  expect_found(
      [](plumb::Program& p) {
        std::atomic<bool> flag{false};
        p.thread([&] {
          while (!flag) std::this_thread::yield();
        });
        p.check([] { return true; });
      },
      FindingKind::kDeadlock);
}

// std::atomic::wait looks sixteen times before it goes to sleep: only then is a missing notify_one() missed.
TEST(Deadlocks, AWaitThatNobodyNotifies) {
  expect_found(
      [](plumb::Program& p) {
        std::atomic<int> n{0};
        p.thread([&] { n.wait(0); });
        p.thread([&] { n = 1; });
        p.check([&] { return n == 1; });
      },
      FindingKind::kDeadlock);
}

// A fault of the standard library (GCC bug 104928, there up to version 12): acquire() remembers the count
// from before it looked for the last time, and goes to sleep although the semaphore is free again.
#if defined(_GLIBCXX_RELEASE) && _GLIBCXX_RELEASE <= 12
TEST(Deadlocks, StandardSemaphoreSleepsThoughItIsFree) {
  const auto result = plumb_tests::explore_and_replay([](plumb::Program& p) {
    std::counting_semaphore<2> free(1);
    for (int i = 0; i < 2; ++i) {
      p.thread([&] {
        free.acquire();
        free.release();
      });
    }
    p.check([] { return true; });
  });
  EXPECT_EQ(result.kind, FindingKind::kDeadlock) << result.text();
}
#endif

// Loops that wait a little each time, for what never comes: a deadlock, and it is said of all threads that wait.
TEST(Deadlocks, TimedWaitsForWhatNeverComes) {
  expect_found(
      [](plumb::Program& p) {
        std::mutex mutex;
        std::condition_variable changed;
        const bool ready = false;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            std::unique_lock lock(mutex);
            while (!changed.wait_for(lock, std::chrono::milliseconds(5), [&] { return ready; })) {
            }
          });
        }
        p.run();
      },
      FindingKind::kDeadlock);
}
TEST(Deadlocks, SleepsForWhatNeverComes) {
  expect_found(
      [](plumb::Program& p) {
        std::mutex mutex;
        int ready = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            for (;;) {
              {
                const std::lock_guard lock(mutex);
                if (ready > 0) break;
              }
              std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
          });
        }
        p.check([&] { return ready == 0; });
      },
      FindingKind::kDeadlock);
}
TEST(Deadlocks, TriesToLockInBothOrders) {
  expect_found(
      [](plumb::Program& p) {
        std::timed_mutex a;
        std::timed_mutex b;
        for (int i = 0; i < 2; ++i) {
          p.thread([&, i] {
            std::timed_mutex& first = i == 0 ? a : b;
            std::timed_mutex& second = i == 0 ? b : a;
            first.lock();
            while (!second.try_lock_for(std::chrono::milliseconds(5))) {
            }
            second.unlock();
            first.unlock();
          });
        }
        p.run();
      },
      FindingKind::kDeadlock);
}
TEST(Deadlocks, NamesTheConditionVariable) {
  const auto result = plumb_tests::explore_and_replay([](plumb::Program& p) {
    std::mutex mutex;
    std::mutex held;
    std::condition_variable changed;
    held.lock();
    p.thread([&] {
      std::unique_lock lock(mutex);
      changed.wait(lock);
    });
    p.thread([&] { held.lock(); });
    p.run();
  });
  EXPECT_EQ(result.message, "no thread is enabled: thread 1 waits at wait; thread 2 waits at lock");
  ASSERT_EQ(result.evidence.size(), 2U) << result.text();
  EXPECT_EQ(result.evidence[0].what, "thread 1 waits: signal of changed");
  EXPECT_EQ(result.evidence[1].what, "thread 2 waits: lock held");
}

TEST(Deadlocks, ALoopThatCountsItsRoundsIsNotStuck) {
  const auto result = plumb_tests::explore_and_replay([](plumb::Program& p) {
    std::atomic<bool> flag{false};
    p.thread([&] {
      for (int i = 0; i < 50 && !flag; ++i) {
      }
    });
    p.check([] { return true; });
  });
  EXPECT_TRUE(result.passed()) << result.text();
}

TEST(Livelock, BothGiveWayForEver) {
  const auto result = plumb_tests::explore_and_replay(
      [](plumb::Program& p) {
        std::atomic<int> turns{0};
        p.thread([&] {
          while (true) turns.fetch_add(1);
        });
        p.check([] { return true; });
      },
      {.steps = 500});
  EXPECT_EQ(result.kind, FindingKind::kLivelock) << result.text();
}

// Each takes its first lock, does not get the other's, and gives back.
TEST(Livelock, TwoThatBackOffInStep) {
  const auto result = plumb_tests::explore_and_replay(
      [](plumb::Program& p) {
        std::mutex a;
        std::mutex b;
        p.thread([&] { const std::scoped_lock both(a, b); });
        p.thread([&] { const std::scoped_lock both(b, a); });
        p.check([] { return true; });
      },
      {.preemptions = plumb::kAnyPreemptions});
  EXPECT_EQ(result.kind, FindingKind::kLivelock) << result.text();
  EXPECT_NE(result.message.find("round and round"), std::string::npos) << result.text();
}

TEST(Livelock, AnEndlessLoopWithoutSteps) {
  const auto result = plumb_tests::explore_and_replay(
      [](plumb::Program& p) {
        p.thread([] {
          volatile int i = 0;
          while (i == 0) {
          }
        });
        p.check([] { return true; });
      },
      {.watchdog = std::chrono::seconds(1)});
  EXPECT_EQ(result.kind, FindingKind::kLivelock) << result.text();
}

}  // namespace
