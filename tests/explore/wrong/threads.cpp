// Wrong programs with the functions of <threads.h>, <pthread.h> and <semaphore.h>: the wrong lock, deadlocks, lost wake-ups, and
// what may not be done with them at all.
#include <fcntl.h>
#include <pthread.h>
#include <semaphore.h>
#include <threads.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <mutex>
#include <thread>

#include "explore/programs.hpp"

namespace {

using plumb::FindingKind;
using plumb_tests::expect_found;

void expect_misuse(plumb_tests::Body program, const std::string& message) {
  const auto result = plumb_tests::explore_and_replay(program);
  EXPECT_EQ(result.kind, FindingKind::kMisuse) << result.text();
  EXPECT_NE(result.message.find(message), std::string::npos) << result.text();
}

TEST(WrongThreads, AnotherSpinLock) {
  expect_found(
      [](plumb::Program& p) {
        std::array<pthread_spinlock_t, 2> locks{};
        for (auto& lock : locks) pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
        int n = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&, i] {
            pthread_spin_lock(&locks[i]);
            ++n;
            pthread_spin_unlock(&locks[i]);
          });
        }
        p.run();
      },
      FindingKind::kRace);
}
TEST(WrongThreads, AnotherMutexOfC) {
  expect_found(
      [](plumb::Program& p) {
        std::array<mtx_t, 2> locks{};
        for (auto& lock : locks) mtx_init(&lock, mtx_plain);
        int n = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&, i] {
            mtx_lock(&locks[i]);
            ++n;
            mtx_unlock(&locks[i]);
          });
        }
        p.run();
      },
      FindingKind::kRace);
}
TEST(WrongThreads, AReaderThatWrites) {
  expect_found(
      [](plumb::Program& p) {
        pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
        int n = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            pthread_rwlock_rdlock(&lock);
            ++n;
            pthread_rwlock_unlock(&lock);
          });
        }
        p.run();
      },
      FindingKind::kRace);
}
TEST(WrongThreads, ATryThatIsNotLookedAt) {
  expect_found(
      [](plumb::Program& p) {
        mtx_t lock;
        mtx_init(&lock, mtx_plain);
        int n = 0;
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            const bool mine = mtx_trylock(&lock) == thrd_success;
            ++n;
            if (mine) mtx_unlock(&lock);
          });
        }
        p.run();
      },
      FindingKind::kRace);
}
// That the thread has ended is seen by a try that succeeds only.
TEST(WrongThreads, ATryToJoinThatIsNotLookedAt) {
  expect_found(
      [](plumb::Program& p) {
        int n = 0;
        p.thread([&] {
          pthread_t thread = 0;
          pthread_create(
              &thread, nullptr,
              [](void* to) -> void* {
                ++*static_cast<int*>(to);
                return nullptr;
              },
              &n);
          if (pthread_tryjoin_np(thread, nullptr) != 0) ++n;
        });
        p.check([&] { return n > 0; });
      },
      FindingKind::kRace);
}

// Each of two threads takes two locks, and each another one first.
template <class Lock>
void take_in_both_orders(plumb::Program& p, void (*initialise)(Lock*), int (*take)(Lock*),
                         int (*leave)(Lock*)) {
  std::array<Lock, 2> locks{};
  for (auto& lock : locks) initialise(&lock);
  for (int i = 0; i < 2; ++i) {
    p.thread([&, i] {
      take(&locks[i]);
      take(&locks[1 - i]);
      leave(&locks[1 - i]);
      leave(&locks[i]);
    });
  }
  p.run();
}
TEST(WrongThreads, SpinLocksInBothOrders) {
  expect_found(
      [](plumb::Program& p) {
        take_in_both_orders<pthread_spinlock_t>(
            p, [](auto* lock) { pthread_spin_init(lock, PTHREAD_PROCESS_PRIVATE); }, pthread_spin_lock,
            pthread_spin_unlock);
      },
      FindingKind::kDeadlock);
}
TEST(WrongThreads, MutexesOfCInBothOrders) {
  expect_found(
      [](plumb::Program& p) {
        take_in_both_orders<mtx_t>(
            p, [](auto* lock) { mtx_init(lock, mtx_plain); }, mtx_lock, mtx_unlock);
      },
      FindingKind::kDeadlock);
}
TEST(WrongThreads, AMutexOfCThatIsLockedTwice) {
  expect_found(
      [](plumb::Program& p) {
        mtx_t lock;
        mtx_init(&lock, mtx_plain);
        p.thread([&] {
          mtx_lock(&lock);
          mtx_lock(&lock);
        });
        p.run();
      },
      FindingKind::kDeadlock);
}
TEST(WrongThreads, AReaderThatWantsToWrite) {
  expect_found(
      [](plumb::Program& p) {
        pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
        p.thread([&] {
          pthread_rwlock_rdlock(&lock);
          pthread_rwlock_wrlock(&lock);
        });
        p.run();
      },
      FindingKind::kDeadlock);
}
TEST(WrongThreads, LostWakeUpOfC) {
  expect_found(
      [](plumb::Program& p) {
        mtx_t lock;
        cnd_t changed;
        mtx_init(&lock, mtx_plain);
        cnd_init(&changed);
        std::atomic<bool> ready{false};
        p.thread([&] {
          mtx_lock(&lock);
          if (!ready) cnd_wait(&changed, &lock);
          mtx_unlock(&lock);
        });
        p.thread([&] {  // without the mutex
          ready = true;
          cnd_signal(&changed);
        });
        p.run();
      },
      FindingKind::kDeadlock);
}
TEST(WrongThreads, ThreadsThatJoinEachOther) {
  expect_found(
      [](plumb::Program& p) {
        p.thread([] {
          static std::atomic<thrd_t> first;
          thrd_t me = 0;
          thrd_create(
              &me,
              [](void*) {
                while (first.load() == 0) thrd_yield();
                thrd_t other = 0;
                thrd_create(
                    &other, [](void*) { return thrd_join(first, nullptr); }, nullptr);
                return thrd_join(other, nullptr);
              },
              nullptr);
          first = me;
        });
        p.run();
      },
      FindingKind::kDeadlock);
}

TEST(WrongThreads, UnlockOfWhatIsNotHeld) {
  expect_misuse(
      [](plumb::Program& p) {
        mtx_t lock;
        mtx_init(&lock, mtx_plain);
        p.thread([&] { mtx_unlock(&lock); });
        p.run();
      },
      "unlock of a mutex that this thread does not hold");
  expect_misuse(
      [](plumb::Program& p) {
        pthread_spinlock_t lock = 0;
        pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
        p.thread([&] { pthread_spin_lock(&lock); });
        p.run();
        p.thread([&] { pthread_spin_unlock(&lock); });
        p.run();
      },
      "unlock of a spin lock that this thread does not hold");
  expect_misuse(
      [](plumb::Program& p) {
        pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
        p.thread([&] { pthread_rwlock_rdlock(&lock); });
        p.run();
        p.thread([&] { pthread_rwlock_unlock(&lock); });
        p.run();
      },
      "unlock of a reader-writer lock that this thread does not hold");
  expect_misuse(
      [](plumb::Program& p) {
        mtx_t lock;
        cnd_t changed;
        mtx_init(&lock, mtx_plain);
        cnd_init(&changed);
        p.thread([&] { cnd_wait(&changed, &lock); });
        p.run();
      },
      "wait with a mutex that this thread does not hold");
}
TEST(WrongThreads, DestroyedWhileInUse) {
  expect_misuse(
      [](plumb::Program& p) {
        mtx_t lock;
        mtx_init(&lock, mtx_plain);
        p.thread([&] {
          mtx_lock(&lock);
          mtx_destroy(&lock);
        });
        p.run();
      },
      "a mutex that a thread holds is destroyed");
  expect_misuse(
      [](plumb::Program& p) {
        pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
        p.thread([&] {
          pthread_rwlock_rdlock(&lock);
          pthread_rwlock_destroy(&lock);
        });
        p.run();
      },
      "a reader-writer lock that a thread holds is destroyed");
  expect_misuse(
      [](plumb::Program& p) {
        pthread_spinlock_t lock = 0;
        pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
        p.thread([&] {
          pthread_spin_lock(&lock);
          pthread_spin_destroy(&lock);
        });
        p.run();
      },
      "a spin lock that a thread holds is destroyed");
  expect_misuse(
      [](plumb::Program& p) {
        mtx_t lock;
        cnd_t changed;
        mtx_init(&lock, mtx_plain);
        cnd_init(&changed);
        p.thread([&] {
          mtx_lock(&lock);
          cnd_wait(&changed, &lock);
          mtx_unlock(&lock);
        });
        p.thread([&] { cnd_destroy(&changed); });
        p.run();
      },
      "a condition variable at which a thread waits is destroyed");
  expect_misuse(
      [](plumb::Program& p) {
        pthread_barrier_t barrier;
        pthread_barrier_init(&barrier, nullptr, 2);
        p.thread([&] { pthread_barrier_wait(&barrier); });
        p.thread([&] { pthread_barrier_destroy(&barrier); });
        p.run();
      },
      "a barrier at which a thread waits is destroyed");
}
TEST(WrongThreads, ASpinLockThatWasNeverInitialised) {
  expect_misuse(
      [](plumb::Program& p) {
        pthread_spinlock_t lock = 0;
        p.thread([&] { pthread_spin_lock(&lock); });
        p.run();
      },
      "never initialised");
}
int nothing(void*) { return 0; }
TEST(WrongThreads, JoinedOrDetachedTwice) {
  expect_misuse(
      [](plumb::Program& p) {
        p.thread([] {
          thrd_t thread = 0;
          thrd_create(&thread, nothing, nullptr);
          thrd_join(thread, nullptr);
          thrd_join(thread, nullptr);
        });
        p.run();
      },
      "join of a thread that was joined already");
  expect_misuse(
      [](plumb::Program& p) {
        p.thread([] {
          thrd_t thread = 0;
          thrd_create(&thread, nothing, nullptr);
          thrd_detach(thread);
          thrd_join(thread, nullptr);
        });
        p.run();
      },
      "join of a thread that was detached already");
}

TEST(WrongThreads, WhatIsRefused) {
  expect_misuse(
      [](plumb::Program& p) {
        p.thread([] {
          std::thread other([] {});
          pthread_cancel(other.native_handle());
          other.join();
        });
        p.run();
      },
      "pthread_cancel is not modelled");
  expect_misuse(
      [](plumb::Program& p) {
        p.thread([] { sem_open("/plumb-test", O_CREAT, 0600, 1); });
        p.run();
      },
      "sem_open is not modelled");
  expect_misuse(
      [](plumb::Program& p) {
        p.thread([] { pthread_atfork(nullptr, nullptr, nullptr); });
        p.run();
      },
      "pthread_atfork is not modelled");
  expect_misuse(
      [](plumb::Program& p) {
        p.thread([] { static_cast<void>(fork()); });
        p.run();
      },
      "fork is not modelled");
  expect_misuse(
      [](plumb::Program& p) {
        p.thread([] {
          pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
          int old = 0;
          pthread_mutex_setprioceiling(&mutex, 1, &old);
        });
        p.run();
      },
      "pthread_mutex_setprioceiling is not modelled");
}

}  // namespace
