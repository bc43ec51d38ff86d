// Condition variables, semaphores, barriers, read-write locks, futexes, what is done once, time-outs and threads made by several threads, under the
// C++ memory model: small programs whose executions can be counted by hand, and what each object orders.
#include <pthread.h>
#include <semaphore.h>

#include <gtest/gtest.h>
#include <plumb/explore.hpp>

#include <atomic>
#include <barrier>
#include <chrono>
#include <condition_variable>
#include <latch>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;

constexpr auto kRelaxed = std::memory_order_relaxed;

plumb::ExploreOptions rc11() { return {.memory_model = plumb::MemoryModel::kRc11}; }

std::string outcomes_of(const plumb::Exploration& result) {
  std::string text;
  for (const auto& [outcome, executions] : result.outcomes) text += outcome + " ";
  return text;
}

void expect_pass(void (*program)(plumb::Program&), std::uint64_t executions = 0) {
  const auto all = plumb::explore(program, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
  if (executions != 0) EXPECT_EQ(all.executions, executions) << all.text();
  EXPECT_EQ(outcomes_of(all), outcomes_of(plumb::explore(program)));
}

void expect_found(void (*program)(plumb::Program&), plumb::FindingKind kind) {
  const auto found = plumb::explore(program, rc11());
  EXPECT_EQ(plumb::to_string(found.kind), std::string(plumb::to_string(kind))) << found.text();
  EXPECT_FALSE(found.refused) << found.text();
  auto options = rc11();
  options.replay = found.replay;
  const auto again = plumb::explore(program, options);
  EXPECT_EQ(again.kind, found.kind) << again.text();
  EXPECT_EQ(again.message, found.message);
}

// One way: the post comes first. A wait before it is no execution.
void hands_over(plumb::Program& program) {
  sem_t full;
  sem_init(&full, 0, 0);
  int value = 0;
  program.thread([&] {
    value = 7;
    sem_post(&full);
  });
  program.thread([&] {
    sem_wait(&full);
    program.require(value == 7, "too early");
  });
  program.run();
  sem_destroy(&full);
}
TEST(WeakObjects, ASemaphoreHandsOver) { expect_pass(&hands_over, 1); }

// Two permits, three threads: each order of the three, and where the first to leave does so.
template <unsigned kPermits>
void share_permits(plumb::Program& program) {
  sem_t free;
  sem_init(&free, 0, kPermits);
  std::atomic<int> inside{0};
  for (int thread = 0; thread < 2; ++thread) {
    program.thread([&] {
      sem_wait(&free);
      program.require(inside.fetch_add(1, kRelaxed) < static_cast<int>(kPermits), "too many");
      inside.fetch_sub(1, kRelaxed);
      sem_post(&free);
    });
  }
  program.run();
}
TEST(WeakObjects, ASemaphoreCountsPermits) {
  expect_pass(&share_permits<1>, 2);
  expect_pass(&share_permits<2>);
}

void waits_for_nobody(plumb::Program& program) {
  sem_t full;
  sem_init(&full, 0, 0);
  program.thread([&] { sem_wait(&full); });
  program.run();
}
TEST(WeakObjects, ASemaphoreThatNobodyPostsIsADeadlock) {
  expect_found(&waits_for_nobody, plumb::FindingKind::kDeadlock);
}

void tries_a_semaphore(plumb::Program& program) {
  sem_t full;
  sem_init(&full, 0, 0);
  int got = 0;
  program.thread([&] { sem_post(&full); });
  program.thread([&] { got = sem_trywait(&full) == 0 ? 1 : 0; });
  program.run();
  program.observe(std::to_string(got));
}
TEST(WeakObjects, ASemaphoreIsTried) { expect_pass(&tries_a_semaphore, 2); }

// A permit that is not to be had orders nothing: the post may have been before, unseen.
void learns_nothing_from_failure(plumb::Program& program) {
  sem_t full;
  sem_init(&full, 0, 0);
  int value = 0;
  program.thread([&] {
    sem_trywait(&full);
    value = 1;
  });
  program.thread([&] {
    sem_post(&full);
    value = 2;
  });
  program.run();
}
TEST(WeakObjects, WhatFailsOrdersNothing) {
  expect_found(&learns_nothing_from_failure, plumb::FindingKind::kRace);
}

void waits_for_flag(plumb::Program& program) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  program.thread([&] {
    const std::lock_guard lock(mutex);
    ready = true;
    changed.notify_one();
  });
  program.thread([&] {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return ready; });
    program.require(ready, "woken in vain");
  });
  program.run();
}
TEST(WeakObjects, AConditionVariableWakes) { expect_pass(&waits_for_flag, 2); }

void loses_a_signal(plumb::Program& program) {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<bool> ready{false};
  program.thread([&] {
    ready = true;
    changed.notify_one();
  });
  program.thread([&] {
    std::unique_lock lock(mutex);
    if (!ready) changed.wait(lock);
  });
  program.run();
}
TEST(WeakObjects, ALostSignalIsADeadlock) { expect_found(&loses_a_signal, plumb::FindingKind::kDeadlock); }

// Three ways: one, or the other, or the signal comes before both.
template <bool kAll>
void wakes_some(plumb::Program& program) {
  std::mutex mutex;
  std::condition_variable changed;
  std::string woken;
  woken.reserve(8);
  for (int thread = 1; thread <= 2; ++thread) {
    program.thread([&, thread] {
      std::unique_lock lock(mutex);
      if (changed.wait_for(lock, 1s) == std::cv_status::no_timeout) woken += std::to_string(thread);
    });
  }
  program.thread([&] {
    const std::lock_guard lock(mutex);
    kAll ? changed.notify_all() : changed.notify_one();
  });
  program.run();
  program.observe(woken.empty() ? "-" : woken);
}
TEST(WeakObjects, ASignalWakesOneOfThoseThatWait) {
  expect_pass(&wakes_some<false>);
  expect_pass(&wakes_some<true>);
  EXPECT_EQ(outcomes_of(plumb::explore(&wakes_some<false>, rc11())), "- 1 2 ");
  EXPECT_EQ(outcomes_of(plumb::explore(&wakes_some<true>, rc11())), "- 1 12 2 21 ");
}

// To be woken orders nothing by itself: who signals without the mutex has told nothing.
void signals_without_the_mutex(plumb::Program& program) {
  std::mutex mutex;
  std::condition_variable changed;
  int value = 0;
  program.thread([&] {
    value = 1;
    changed.notify_one();
  });
  program.thread([&] {
    std::unique_lock lock(mutex);
    if (changed.wait_for(lock, 1s) == std::cv_status::no_timeout) program.require(value == 1, "old");
  });
  program.run();
}
TEST(WeakObjects, AWakeUpOrdersNothing) {
  expect_found(&signals_without_the_mutex, plumb::FindingKind::kRace);
}

void trusts_its_wake_up(plumb::Program& program) {
  std::mutex mutex;
  std::condition_variable changed;
  bool ready = false;
  program.thread([&] {
    const std::lock_guard lock(mutex);
    ready = true;
    changed.notify_one();
  });
  program.thread([&] {
    std::unique_lock lock(mutex);
    if (!ready) changed.wait(lock);
    program.require(ready, "woken in vain");
  });
  program.run();
}
TEST(WeakObjects, SpuriousWakeUpsAreAChoice) {
  expect_pass(&trusts_its_wake_up);
  auto options = rc11();
  options.spurious_wakeups = 1;
  EXPECT_EQ(plumb::explore(&trusts_its_wake_up, options).kind, plumb::FindingKind::kCheck);
}

void retries_once(plumb::Program& program) {
  std::atomic<int> value{0};
  int expected = 0;
  program.thread([&] { value.compare_exchange_weak(expected, 1, kRelaxed); });
  program.thread([&] { value.load(kRelaxed); });
  program.run();
  program.observe(std::to_string(value) + std::to_string(expected));
}
TEST(WeakObjects, SpuriousFailuresAreAChoice) {
  auto options = rc11();
  EXPECT_EQ(plumb::explore(&retries_once, options).executions, 2U);
  options.spurious_cas_failures = 1;
  const auto all = plumb::explore(&retries_once, options);
#ifndef __clang__  // whose hooks do not tell weak from strong
  EXPECT_EQ(all.executions, 3U);
  EXPECT_EQ(outcomes_of(all), "00 10 ");
#endif
  EXPECT_TRUE(all.passed());
}

void meets_at_barrier(plumb::Program& program) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 3);
  std::array<int, 3> values{};
  for (std::size_t thread = 0; thread < 3; ++thread) {
    program.thread([&, thread] {
      values[thread] = 1;
      pthread_barrier_wait(&barrier);
      program.require(values[0] + values[1] + values[2] == 3, "one is late");
    });
  }
  program.run();
  pthread_barrier_destroy(&barrier);
}
TEST(WeakObjects, ABarrierOrdersAll) { expect_pass(&meets_at_barrier, 6); }

void one_too_few(plumb::Program& program) {
  pthread_barrier_t barrier;
  pthread_barrier_init(&barrier, nullptr, 3);
  for (int thread = 0; thread < 2; ++thread) program.thread([&] { pthread_barrier_wait(&barrier); });
  program.run();
}
TEST(WeakObjects, ABarrierThatNotAllComeToIsADeadlock) {
  expect_found(&one_too_few, plumb::FindingKind::kDeadlock);
}

template <class Barrier>
void meets_at(plumb::Program& program) {
  Barrier barrier(2);
  std::array<int, 2> values{};
  for (std::size_t thread = 0; thread < 2; ++thread) {
    program.thread([&, thread] {
      values[thread] = 1;
      barrier.arrive_and_wait();
      program.require(values[0] + values[1] == 2, "one is late");
    });
  }
  program.run();
}
TEST(WeakObjects, LatchesAndBarriersOfTheLibrary) {
  expect_pass(&meets_at<std::latch>);
  expect_pass(&meets_at<std::barrier<>>);
}

void library_semaphore(plumb::Program& program) {
  std::binary_semaphore full(0);
  int value = 0;
  program.thread([&] {
    value = 1;
    full.release();
  });
  program.thread([&] {
    full.acquire();
    program.require(value == 1, "too early");
  });
  program.run();
}
TEST(WeakObjects, SemaphoresOfTheLibrary) { expect_pass(&library_semaphore); }

template <std::memory_order kStore, std::memory_order kWait>
void waits_for_atomic(plumb::Program& program) {
  std::atomic<int> ready{0};
  int value = 0;
  program.thread([&] {
    value = 1;
    ready.store(1, kStore);
    ready.notify_one();
  });
  program.thread([&] {
    ready.wait(0, kWait);
    program.require(value == 1, "too early");
  });
  program.run();
}
TEST(WeakObjects, AtomicsAreWaitedFor) {
  expect_pass(&waits_for_atomic<std::memory_order_release, std::memory_order_acquire>);
  expect_found(&waits_for_atomic<kRelaxed, std::memory_order_acquire>, plumb::FindingKind::kRace);
  expect_found(&waits_for_atomic<std::memory_order_release, kRelaxed>, plumb::FindingKind::kRace);
}

// What the library lacks so that no notification is lost is there for that alone: to notify, where nobody waits, orders nothing of the program.
template <class T>
void waits_for_relaxed(plumb::Program& program) {
  std::atomic<T> ready{0};
  program.thread([&] {
    ready.store(1, kRelaxed);
    ready.notify_one();
  });
  program.thread([&] { ready.wait(0, kRelaxed); });
  program.run();
}
TEST(WeakObjects, NoNotificationIsLost) {
  expect_pass(&waits_for_relaxed<int>);
  expect_pass(&waits_for_relaxed<char>);
}

void reads_and_notifies(plumb::Program& program) {
  std::atomic<bool> published{false};
  std::atomic<int> other{0};
  int value = 0;
  program.thread([&] {
    if (!published.load(kRelaxed)) return;
    other.notify_one();
    program.require(value == 1, "too early");
  });
  program.thread([&] {
    value = 1;
    published.store(true, std::memory_order_release);
  });
  program.run();
}
void notifies_and_writes(plumb::Program& program) {
  std::atomic<bool> published{false};
  std::atomic<int> other{0};
  int value = 0;
  program.thread([&] {
    if (published.load(std::memory_order_acquire)) program.require(value == 1, "too early");
  });
  program.thread([&] {
    value = 1;
    other.notify_one();
    published.store(true, kRelaxed);
  });
  program.run();
}
TEST(WeakObjects, ANotificationIsNoFence) {
  expect_found(&reads_and_notifies, plumb::FindingKind::kRace);
  expect_found(&notifies_and_writes, plumb::FindingKind::kRace);
}

void buffers_and_notifies(plumb::Program& program) {
  std::array<std::atomic<int>, 2> values{};
  std::array<int, 2> seen{};
  for (std::size_t thread = 0; thread < 2; ++thread) {
    program.thread([&, thread] {
      values[thread].store(1, kRelaxed);
      values[thread].notify_one();
      seen[thread] = values[1 - thread].load(kRelaxed);
    });
  }
  program.run();
  program.observe(std::to_string(seen[0]) + std::to_string(seen[1]));
}
TEST(WeakObjects, StoresAreBufferedBehindANotification) {
  const auto all = plumb::explore(&buffers_and_notifies, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(outcomes_of(all), "00 01 10 11 ");
}

void notifies_nobody(plumb::Program& program) {
  std::atomic<int> ready{0};
  program.thread([&] { ready.store(1); });
  program.thread([&] { ready.wait(0); });
  program.run();
}
TEST(WeakObjects, AMissingNotifyIsADeadlock) {
  expect_found(&notifies_nobody, plumb::FindingKind::kDeadlock);
}

// A writer alone, or two readers: 1 is written before both, after both, or between them.
void readers_and_writer(plumb::Program& program) {
  std::shared_mutex mutex;
  int value = 0;
  std::array<int, 2> seen{};
  program.thread([&] {
    const std::lock_guard lock(mutex);
    value = 1;
  });
  for (std::size_t thread = 0; thread < 2; ++thread) {
    program.thread([&, thread] {
      const std::shared_lock lock(mutex);
      seen[thread] = value;
    });
  }
  program.run();
  program.observe(std::to_string(seen[0]) + std::to_string(seen[1]));
}
TEST(WeakObjects, ReadersShareALock) { expect_pass(&readers_and_writer); }

void reader_writes(plumb::Program& program) {
  std::shared_mutex mutex;
  int value = 0;
  for (int thread = 0; thread < 2; ++thread) {
    program.thread([&] {
      const std::shared_lock lock(mutex);
      ++value;
    });
  }
  program.run();
}
TEST(WeakObjects, ReadersDoNotOrderEachOther) { expect_found(&reader_writes, plumb::FindingKind::kRace); }

void tries_shared(plumb::Program& program) {
  std::shared_mutex mutex;
  int value = 0;
  int seen = -1;
  program.thread([&] {
    if (mutex.try_lock()) {
      value = 1;
      mutex.unlock();
    }
  });
  program.thread([&] {
    if (mutex.try_lock_shared()) {
      seen = value;
      mutex.unlock_shared();
    }
  });
  program.run();
  program.observe(std::to_string(value) + std::to_string(seen));
}
TEST(WeakObjects, SharedLocksAreTried) { expect_pass(&tries_shared); }

void calls_once(plumb::Program& program) {
  std::once_flag flag;
  int value = 0;
  for (int thread = 0; thread < 2; ++thread) {
    program.thread([&] {
      std::call_once(flag, [&] { ++value; });
      program.require(value == 1, "not done");
    });
  }
  program.run();
}
TEST(WeakObjects, OnceIsOnce) { expect_pass(&calls_once, 2); }

int g_made = 0;
struct Made {
  Made() { ++g_made; }
  int value = 3;
};
int value_of_static() {
  static const Made made;
  return made.value;
}
void makes_static(plumb::Program& program) {
  for (int thread = 0; thread < 2; ++thread)
    program.thread([&] { program.require(value_of_static() == 3, "not made"); });
  program.run();
  program.require(g_made == 1, "made twice");
}
TEST(WeakObjects, FunctionLocalStaticsAreMadeOnce) { expect_pass(&makes_static); }

void locks_until(plumb::Program& program) {
  std::timed_mutex mutex;
  int count = 0;
  for (int thread = 0; thread < 2; ++thread) {
    program.thread([&] {
      const std::unique_lock lock(mutex, 1s);
      if (lock.owns_lock()) ++count;
    });
  }
  program.run();
  program.observe(std::to_string(count));
}
TEST(WeakObjects, ATimedLockMayTimeOut) {
  expect_pass(&locks_until);
  EXPECT_EQ(outcomes_of(plumb::explore(&locks_until, rc11())), "1 2 ");
}

void locks_again(plumb::Program& program) {
  std::recursive_timed_mutex mutex;
  int count = 0;
  for (int thread = 0; thread < 2; ++thread) {
    program.thread([&] {
      const std::lock_guard once(mutex);
      const std::unique_lock twice(mutex, std::try_to_lock);
      program.require(twice.owns_lock(), "its own");
      ++count;
    });
  }
  program.check([&] { return count == 2; });
}
TEST(WeakObjects, ARecursiveMutexIsTakenAgain) { expect_pass(&locks_again, 2); }

void makes_threads_in_threads(plumb::Program& program) {
  std::atomic<int> count{0};
  int plain = 0;
  for (int thread = 0; thread < 2; ++thread) {
    program.thread([&, thread] {
      std::thread inner([&] {
        count.fetch_add(1, kRelaxed);
        if (thread == 0) plain = 1;
      });
      inner.join();
      if (thread == 0) program.require(plain == 1, "not joined");
    });
  }
  program.check([&] { return count == 2; });
}
TEST(WeakObjects, ThreadsMakeThreads) { expect_pass(&makes_threads_in_threads, 2); }

void spins_until_free(plumb::Program& program) {
  pthread_spinlock_t lock;
  pthread_spin_init(&lock, PTHREAD_PROCESS_PRIVATE);
  int count = 0;
  program.thread([&] {
    pthread_spin_lock(&lock);
    ++count;
    pthread_spin_unlock(&lock);
  });
  program.thread([&] {
    if (pthread_spin_trylock(&lock) != 0) return;
    ++count;
    pthread_spin_unlock(&lock);
  });
  program.run();
  program.observe(std::to_string(count));
}
TEST(WeakObjects, SpinLocksAreTried) { expect_pass(&spins_until_free); }

// The time that another thread has told is not in the future.
void tells_the_time(plumb::Program& program) {
  std::atomic<std::int64_t> told{0};
  const auto now = [] { return std::chrono::steady_clock::now().time_since_epoch().count(); };
  program.thread([&] {
    std::this_thread::sleep_for(1s);
    told.store(now(), kRelaxed);
  });
  program.thread([&] {
    const std::int64_t theirs = told.load(kRelaxed);
    program.require(theirs <= now(), "from the future");
  });
  program.run();
}
TEST(WeakObjects, TimeGoesOn) { expect_pass(&tells_the_time, 2); }

}  // namespace
