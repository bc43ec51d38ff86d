// Right programs with <threads.h>: no false races, and all that a call may return.
#include <threads.h>

#include <array>
#include <ctime>
#include <mutex>

#include "explore/programs.hpp"

namespace {

using plumb_tests::expect_pass;
using plumb_tests::expect_pass_reduced;
using plumb_tests::kDependsOnTheCompiler;

timespec in_an_hour() {
  timespec time{};
  timespec_get(&time, TIME_UTC);
  time.tv_sec += 3600;
  return time;
}

TEST(CThreads, AMutexLetsOneIn) {
  expect_pass(
      [](plumb::Program& p) {
        mtx_t lock;
        mtx_init(&lock, mtx_plain);
        int n = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            mtx_lock(&lock);
            ++n;
            mtx_unlock(&lock);
          });
        }
        p.check([&] { return n == 2; });
        mtx_destroy(&lock);
      },
      2, 2);
}
TEST(CThreads, AMutexThatIsTriedOrWaitedForUntilATime) {
  expect_pass(
      [](plumb::Program& p) {
        mtx_t lock;
        mtx_init(&lock, mtx_timed);
        int n = 0;
        std::array<int, 2> got{};
        p.thread([&] {
          got[0] = mtx_trylock(&lock);
          if (got[0] != thrd_success) return;
          ++n;
          mtx_unlock(&lock);
        });
        p.thread([&] {
          const timespec deadline = in_an_hour();
          got[1] = mtx_timedlock(&lock, &deadline);
          if (got[1] != thrd_success) return;
          ++n;
          mtx_unlock(&lock);
        });
        p.check([&] {
          return (got[0] == thrd_success || got[0] == thrd_busy) &&
                 (got[1] == thrd_success || got[1] == thrd_timedout) &&
                 n == (got[0] == thrd_success ? 1 : 0) + (got[1] == thrd_success ? 1 : 0) && n > 0;
        });
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}
TEST(CThreads, ARecursiveMutex) {
  expect_pass(
      [](plumb::Program& p) {
        mtx_t lock;
        mtx_init(&lock, mtx_recursive);
        int n = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            mtx_lock(&lock);
            mtx_lock(&lock);
            mtx_unlock(&lock);
            ++n;
            mtx_unlock(&lock);
            p.require(mtx_unlock(&lock) == thrd_error, "it is not held");
          });
        }
        p.check([&] { return n == 2; });
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}
TEST(CThreads, AConditionVariableHandsOver) {
  expect_pass(
      [](plumb::Program& p) {
        mtx_t lock;
        cnd_t changed;
        mtx_init(&lock, mtx_plain);
        cnd_init(&changed);
        bool ready = false;
        int data = 0;
        p.thread([&] {
          mtx_lock(&lock);
          while (!ready) cnd_wait(&changed, &lock);
          p.require(data == 7, "what came before");
          mtx_unlock(&lock);
        });
        p.thread([&] {
          mtx_lock(&lock);
          data = 7;
          ready = true;
          mtx_unlock(&lock);
          cnd_broadcast(&changed);
        });
        p.run();
        cnd_destroy(&changed);
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}
TEST(CThreads, AWaitUntilATime) {
  const auto program = [](plumb::Program& p, bool& late) {
    mtx_t lock;
    cnd_t changed;
    mtx_init(&lock, mtx_plain);
    cnd_init(&changed);
    bool ready = false;
    p.thread([&] {
      const timespec deadline = in_an_hour();
      mtx_lock(&lock);
      while (!ready && !late) late = cnd_timedwait(&changed, &lock, &deadline) == thrd_timedout;
      mtx_unlock(&lock);
    });
    p.thread([&] {
      mtx_lock(&lock);
      ready = true;
      mtx_unlock(&lock);
      cnd_signal(&changed);
    });
    p.run();
  };
  std::array<bool, 2> seen{};
  const auto result = plumb::explore([&](plumb::Program& p) {
    bool late = false;
    program(p, late);
    seen[late ? 1 : 0] = true;
  });
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  EXPECT_TRUE(seen[0] && seen[1]);
}
TEST(CThreads, ThreadsReturnExitAndAreJoined) {
  expect_pass(
      [](plumb::Program& p) {
        p.thread([&] {
          int n = 0;
          thrd_t first = 0;
          thrd_t second = 0;
          thrd_create(
              &first, [](void* to) { return ++*static_cast<int*>(to) - 6; }, &n);
          int result = 0;
          p.require(thrd_join(first, &result) == thrd_success && result == -5 && n == 1, "it returned");
          thrd_create(
              &second,
              [](void* to) -> int {
                ++*static_cast<int*>(to);
                const timespec moment{.tv_sec = 0, .tv_nsec = 1000};
                thrd_sleep(&moment, nullptr);
                thrd_yield();
                thrd_exit(9);
              },
              &n);
          p.require(thrd_join(second, &result) == thrd_success && result == 9 && n == 2, "it exited");
          p.require(thrd_equal(thrd_current(), first) == 0, "another one");
        });
        p.run();
      },
      1, 1);
}
int g_destroyed = 0;
TEST(CThreads, ValuesOfThreads) {
  expect_pass(
      [](plumb::Program& p) {
        tss_t key = 0;
        tss_t gone = 0;
        p.require(
            tss_create(&key, [](void* value) { g_destroyed += *static_cast<int*>(value); }) == thrd_success,
            "made");
        tss_create(&gone, [](void*) { g_destroyed = -1000; });
        std::array<int, 2> mine{1, 2};
        std::mutex lock;
        for (int i = 0; i < 2; ++i) {
          p.thread([&, i] {
            const std::lock_guard held(lock);
            p.require(tss_get(key) == nullptr, "none yet");
            tss_set(key, &mine[i]);
            tss_set(gone, &mine[i]);
            p.require(tss_get(key) == &mine[i], "its own");
          });
        }
        tss_delete(key);
        p.require(tss_set(key, &mine[0]) == thrd_error, "deleted");
        tss_create(&key, nullptr);
        tss_delete(gone);
        p.run();
        p.require(g_destroyed == 0, "no destructor of a deleted key");
      },
      2, 2);
}
int g_calls = 0;
TEST(CThreads, Once) {
  expect_pass_reduced(
      [](plumb::Program& p) {
        static once_flag flag = ONCE_FLAG_INIT;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            call_once(&flag, [] { ++g_calls; });
            p.require(g_calls == 1, "done");
          });
        }
        p.run();
      },
      kDependsOnTheCompiler);
}

}  // namespace
