// Right programs with what <pthread.h> has beside plain mutexes and condition variables: no false races, and
// all that a call may return.
#include <pthread.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <ctime>
#include <mutex>
#include <shared_mutex>

#include "explore/programs.hpp"

namespace {

using plumb_tests::expect_pass;
using plumb_tests::kDependsOnTheCompiler;

timespec in_an_hour() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  time.tv_sec += 3600;
  return time;
}

TEST(Pthreads, ASpinLockLetsOneIn) {
  expect_pass(
      [](plumb::Program& p) {
        pthread_spinlock_t lock = 0;
        pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
        int n = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            pthread_spin_lock(&lock);
            ++n;
            pthread_spin_unlock(&lock);
          });
        }
        p.check([&] { return n == 2; });
        pthread_spin_destroy(&lock);
      },
      2, 2);
}
TEST(Pthreads, ASpinLockThatIsTried) {
  expect_pass(
      [](plumb::Program& p) {
        pthread_spinlock_t lock = 0;
        pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
        std::atomic<int> failed{0};
        int n = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            if (pthread_spin_trylock(&lock) == EBUSY) {
              ++failed;
            } else {
              ++n;
              pthread_spin_unlock(&lock);
            }
          });
        }
        p.check([&] { return n + failed == 2 && n >= 1; });
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}
TEST(Pthreads, AReaderWriterLockChecksWhatItCan) {
  expect_pass(
      [](plumb::Program& p) {
        pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
        int n = 0;
        p.thread([&] {
          pthread_rwlock_wrlock(&lock);
          p.require(pthread_rwlock_wrlock(&lock) == EDEADLK && pthread_rwlock_rdlock(&lock) == EDEADLK &&
                        pthread_rwlock_tryrdlock(&lock) == EBUSY,
                    "it writes itself");
          ++n;
          pthread_rwlock_unlock(&lock);
        });
        p.thread([&] {
          pthread_rwlock_rdlock(&lock);
          pthread_rwlock_rdlock(&lock);
          const int seen = n;
          pthread_rwlock_unlock(&lock);
          p.require(seen == n && pthread_rwlock_trywrlock(&lock) == EBUSY, "it reads still");
          pthread_rwlock_unlock(&lock);
        });
        p.check([&] { return n == 1; });
        pthread_rwlock_destroy(&lock);
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}
// Both of these take a time by the steady clock.
TEST(Pthreads, SharedLocksThatAreWaitedForUntilATime) {
  expect_pass(
      [](plumb::Program& p) {
        std::shared_timed_mutex lock;
        int n = 0;
        p.thread([&] {
          if (!lock.try_lock_for(std::chrono::seconds(1))) return;
          ++n;
          lock.unlock();
        });
        p.thread([&] {
          if (!lock.try_lock_shared_for(std::chrono::seconds(1))) return;
          p.require(n == 0 || n == 1, "nobody writes");
          lock.unlock_shared();
        });
        p.run();
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}
TEST(Pthreads, AMutexThatChecksForErrors) {
  expect_pass(
      [](plumb::Program& p) {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
        pthread_mutex_t lock;
        pthread_mutex_init(&lock, &attributes);
        int n = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            pthread_mutex_lock(&lock);
            p.require(pthread_mutex_lock(&lock) == EDEADLK && pthread_mutex_trylock(&lock) == EBUSY, "mine");
            ++n;
            pthread_mutex_unlock(&lock);
            p.require(pthread_mutex_unlock(&lock) == EPERM, "not mine");
          });
        }
        p.check([&] { return n == 2; });
      },
      kDependsOnTheCompiler, kDependsOnTheCompiler);
}
// Whose holder ends goes to the next one, who is told, and puts right what it guards, or nobody has it any
// more.
TEST(Pthreads, ARobustMutex) {
  expect_pass(
      [](plumb::Program& p) {
        pthread_mutexattr_t attributes;
        pthread_mutexattr_init(&attributes);
        pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
        pthread_mutex_t lock;
        pthread_mutex_init(&lock, &attributes);
        int n = 0;
        p.thread([&] {
          pthread_mutex_lock(&lock);
          ++n;
        });
        p.run();
        for (int i = 0; i < 2; ++i) {
          p.thread([&, i] {
            const int told = pthread_mutex_lock(&lock);
            p.require(told == (n == 1 ? EOWNERDEAD : 0), "the first one is told");
            if (told == EOWNERDEAD) pthread_mutex_consistent(&lock);
            n = 2 + i;
            pthread_mutex_unlock(&lock);
          });
        }
        p.run();
        p.thread([&] { pthread_mutex_lock(&lock); });
        p.run();
        p.require(pthread_mutex_lock(&lock) == EOWNERDEAD, "told");
        pthread_mutex_unlock(&lock);
        p.require(pthread_mutex_lock(&lock) == ENOTRECOVERABLE, "not put right");
      },
      2, 2);
}
TEST(Pthreads, ThreadsThatAreJoinedInTime) {
  std::array<bool, 2> seen{};
  std::array<bool, 2> seen_in_time{};
  const auto result = plumb::explore([&](plumb::Program& p) {
    p.thread([&] {
      pthread_t thread = 0;
      auto* nothing = +[](void* argument) -> void* { return argument; };
      pthread_create(&thread, nullptr, nothing, &p);
      void* returned = nullptr;
      int error = pthread_tryjoin_np(thread, &returned);
      seen[error == 0 ? 1 : 0] = true;
      if (error == EBUSY) {
        const timespec deadline = in_an_hour();
        error = pthread_timedjoin_np(thread, &returned, &deadline);
        seen_in_time[error == 0 ? 1 : 0] = true;
      }
      if (error == ETIMEDOUT) error = pthread_clockjoin_np(thread, &returned, CLOCK_MONOTONIC, nullptr);
      p.require(error == 0 && returned == &p, "joined");
    });
    p.run();
  });
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  EXPECT_TRUE(seen[0] && seen[1] && seen_in_time[0] && seen_in_time[1]);
}
// Whoever exits leaves the functions that it is in as an exception does.
TEST(Pthreads, AThreadThatExitsDestroysWhatItHas) {
  expect_pass(
      [](plumb::Program& p) {
        std::mutex lock;
        std::atomic<int> cleaned{0};
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            const std::lock_guard held(lock);
            pthread_cleanup_push([](void* to) { ++*static_cast<std::atomic<int>*>(to); }, &cleaned);
            [] { pthread_exit(nullptr); }();
            pthread_cleanup_pop(0);
          });
        }
        p.check([&] { return cleaned == 2; });
      },
      2, 2);
}
TEST(Pthreads, NamesAndStacksAreThoseOfTheThread) {
  expect_pass(
      [](plumb::Program& p) {
        std::atomic<int> n{0};
        p.thread([&] {
          ++n;
          std::array<char, 16> name{};
          p.require(pthread_setname_np(pthread_self(), "a name that is too long") == ERANGE, "too long");
          pthread_setname_np(pthread_self(), "worker");
          pthread_getname_np(pthread_self(), name.data(), name.size());
          p.require(name == std::array<char, 16>{"worker"}, "its name");
          pthread_attr_t attributes;
          pthread_getattr_np(pthread_self(), &attributes);
          void* low = nullptr;
          std::size_t size = 0;
          pthread_attr_getstack(&attributes, &low, &size);
          pthread_attr_destroy(&attributes);
          const char here = 0;
          p.require(&here > low && &here < static_cast<char*>(low) + size, "its stack");
        });
        p.run();
      },
      1, 1);
}

}  // namespace
