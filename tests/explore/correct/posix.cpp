// What C programs use, and C++ programs that are older than the standard's threads: sem_t, barriers, timed
// locks, sleep. And atomics of sixteen bytes, which not every compiler makes inline.
#include <pthread.h>
#include <semaphore.h>
#include <sys/time.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>

#include "explore/programs.hpp"

namespace {

using plumb_tests::expect_pass;
using plumb_tests::kDependsOnTheCompiler;

TEST(Posix, ASemaphoreHandsOver) {
  expect_pass(
      [](plumb::Program& p) {
        sem_t ready;
        sem_init(&ready, 0, 0);
        int data = 0;
        int seen = 0;
        p.thread([&] {
          data = 7;
          sem_post(&ready);
        });
        p.thread([&] {
          sem_wait(&ready);
          seen = data;
        });
        p.check([&] { return seen == 7; });
        sem_destroy(&ready);
      },
      1, 1);
}

TEST(Posix, ASemaphoreLetsOneIn) {
  expect_pass(
      [](plumb::Program& p) {
        sem_t free;
        sem_init(&free, 0, 1);
        int n = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            sem_wait(&free);
            ++n;
            sem_post(&free);
          });
        }
        p.check([&] { return n == 2; });
      },
      2, 2);
}

TEST(Posix, NobodyWaitsWithTrywait) {
  expect_pass(
      [](plumb::Program& p) {
        sem_t free;
        sem_init(&free, 0, 1);
        std::array<int, 2> got{};
        for (int i = 0; i < 2; ++i) {
          p.thread([&, i] {
            got[i] = sem_trywait(&free) == 0 ? 1 : -errno;
            if (got[i] == 1) sem_post(&free);
          });
        }
        p.check([&] {
          const bool one_failed = got[0] == -EAGAIN || got[1] == -EAGAIN;
          return one_failed ? got[0] + got[1] == 1 - EAGAIN : got[0] + got[1] == 2;
        });
      },
      4, 4);
}

int wait_for_an_hour(plumb::Program& p) {
  sem_t free;
  sem_init(&free, 0, 0);
  int got = 0;
  p.thread([&] {
    timespec until{};
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 3600;
    got = sem_timedwait(&free, &until) == 0 ? 0 : errno;
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    p.require(got == 0 || now.tv_sec >= until.tv_sec, "it has waited");
  });
  p.thread([&] { sem_post(&free); });
  p.run();
  return got;
}

// That it waits in vain is one outcome, that somebody comes is the other.
TEST(Posix, ASemaphoreIsWaitedForUntilATime) {
  expect_pass(
      [](plumb::Program& p) {
        const int got = wait_for_an_hour(p);
        p.require(got == 0 || got == ETIMEDOUT, "one of the two");
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
  const auto never = [](plumb::Program& p) { p.require(wait_for_an_hour(p) == ETIMEDOUT, "in vain"); };
  EXPECT_EQ(plumb::explore(never).kind, plumb::FindingKind::kCheck);
  const auto always = [](plumb::Program& p) { p.require(wait_for_an_hour(p) == 0, "taken"); };
  EXPECT_EQ(plumb::explore(always).kind, plumb::FindingKind::kCheck);
}

TEST(Posix, ABarrierKeepsRoundsApart) {
  expect_pass(
      [](plumb::Program& p) {
        pthread_barrier_t barrier;
        pthread_barrier_init(&barrier, nullptr, 2);
        std::array<int, 2> mine{};
        std::array<int, 2> seen{};
        std::array<int, 2> last{};
        for (int i = 0; i < 2; ++i) {
          p.thread([&, i] {
            mine[i] = i + 1;
            last[i] = pthread_barrier_wait(&barrier);
            seen[i] = mine[1 - i];
            pthread_barrier_wait(&barrier);
            mine[i] = 9;
          });
        }
        p.check([&] {
          const int serial = PTHREAD_BARRIER_SERIAL_THREAD;
          return seen[0] == 2 && seen[1] == 1 && (last[0] == serial) != (last[1] == serial);
        });
        pthread_barrier_destroy(&barrier);
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}

// An hour is nothing: the clock is the scheduler's.
TEST(Posix, SleepTakesNoTime) {
  expect_pass(
      [](plumb::Program& p) {
        p.thread([&] {
          const time_t before = time(nullptr);
          timeval begin{};
          gettimeofday(&begin, nullptr);
          sleep(3600);
          usleep(1'000'000);
          const timespec second{.tv_sec = 1, .tv_nsec = 0};
          nanosleep(&second, nullptr);
          clock_nanosleep(CLOCK_MONOTONIC, 0, &second, nullptr);
          timespec until{};
          clock_gettime(CLOCK_MONOTONIC, &until);
          ++until.tv_sec;
          clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr);
          timeval end{};
          gettimeofday(&end, nullptr);
          p.require(time(nullptr) - before == 3604, "by time()");
          p.require(end.tv_sec - begin.tv_sec == 3604, "by gettimeofday()");
        });
        p.run();
      },
      1, 1);
}

TEST(Posix, LocksThatAreWaitedForUntilATime) {
  expect_pass(
      [](plumb::Program& p) {
        pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
        pthread_rwlock_t shared = PTHREAD_RWLOCK_INITIALIZER;
        int n = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            timespec until{};
            clock_gettime(CLOCK_REALTIME, &until);
            ++until.tv_sec;
            if (pthread_mutex_timedlock(&mutex, &until) == 0) {
              ++n;
              pthread_mutex_unlock(&mutex);
            }
            if (pthread_rwlock_timedrdlock(&shared, &until) == 0) pthread_rwlock_unlock(&shared);
            if (pthread_rwlock_trywrlock(&shared) == 0) pthread_rwlock_unlock(&shared);
          });
        }
        p.check([&] { return n >= 1 && n <= 2; });
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}

// A pointer and a count, changed together.
struct alignas(16) Tagged {
  void* top = nullptr;
  std::uint64_t changes = 0;
};

TEST(Posix, SixteenBytesAtOnce) {
  expect_pass(
      [](plumb::Program& p) {
        std::atomic<Tagged> head{Tagged{}};
        std::array<int, 2> nodes{};
        for (int i = 0; i < 2; ++i) {
          p.thread([&, i] {
            Tagged old = head.load();
            while (!head.compare_exchange_strong(old, Tagged{&nodes[i], old.changes + 1})) {
            }
          });
        }
        p.check([&] {
          const Tagged last = head.exchange(Tagged{});
          return last.changes == 2 && (last.top == &nodes[0] || last.top == &nodes[1]);
        });
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}

}  // namespace
