// Mutexes, joins and loops that wait, under the C++ memory model. The order of critical sections is chosen without waiting, so that no
// execution of programs that only lock and unlock is given up.
#include <gtest/gtest.h>
#include <plumb/explore.hpp>

#include <atomic>
#include <mutex>
#include <thread>
#include <vector>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
constexpr auto kAcquire = std::memory_order_acquire;
constexpr auto kRelease = std::memory_order_release;

plumb::ExploreOptions rc11() { return {.memory_model = plumb::MemoryModel::kRc11}; }

template <int kThreads, int kRounds>
void counts_under_a_lock(plumb::Program& program) {
  std::mutex mutex;
  int count = 0;
  for (int thread = 0; thread < kThreads; ++thread) {
    program.thread([&] {
      for (int round = 0; round < kRounds; ++round) {
        const std::lock_guard lock(mutex);
        ++count;
      }
    });
  }
  program.check([&] { return count == kThreads * kRounds; });
}

template <int kThreads, int kRounds>
void expect_orders(std::uint64_t executions) {
  const auto all = plumb::explore(&counts_under_a_lock<kThreads, kRounds>, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(all.executions, executions);
  EXPECT_EQ(all.pruned, 0U);
}

TEST(WeakLocks, EveryOrderOfCriticalSectionsIsRunOnce) {
  expect_orders<2, 1>(2);
  expect_orders<3, 1>(6);
  expect_orders<4, 1>(24);
  expect_orders<2, 2>(6);
  expect_orders<3, 2>(90);
}

void lock_in_both_orders(plumb::Program& program) {
  std::mutex a;
  std::mutex b;
  program.thread([&] {
    const std::lock_guard first(a);
    const std::lock_guard second(b);
  });
  program.thread([&] {
    const std::lock_guard first(b);
    const std::lock_guard second(a);
  });
  program.run();
}

TEST(WeakLocks, ADeadlockIsFound) {
  const auto found = plumb::explore(&lock_in_both_orders, rc11());
  EXPECT_EQ(found.kind, plumb::FindingKind::kDeadlock) << found.text();
}

// Each round of such a loop writes what was there.
void spin_in_both_orders(plumb::Program& program) {
  std::atomic_flag a;
  std::atomic_flag b;
  const auto lock = [](std::atomic_flag& flag) {
    while (flag.test_and_set(std::memory_order_acquire)) {
    }
  };
  program.thread([&] {
    lock(a);
    lock(b);
    b.clear(std::memory_order_release);
    a.clear(std::memory_order_release);
  });
  program.thread([&] {
    lock(b);
    lock(a);
    a.clear(std::memory_order_release);
    b.clear(std::memory_order_release);
  });
  program.run();
}

TEST(WeakLocks, ADeadlockOfSpinLocksIsFound) {
  const auto found = plumb::explore(&spin_in_both_orders, rc11());
  EXPECT_EQ(found.kind, plumb::FindingKind::kDeadlock) << found.text();
  EXPECT_EQ(found.message.find("warms"), std::string::npos) << found.message;
}

void never_unlocked(plumb::Program& program) {
  std::atomic<int> lock{0};
  program.thread([&] {
    while (lock.exchange(1) != 0) {
    }
    lock.store(0);
  });
  program.thread([&] { lock.exchange(1); });
  program.run();
}

TEST(WeakLocks, ALockThatIsNeverReleasedIsADeadlock) {
  EXPECT_EQ(plumb::explore(&never_unlocked, rc11()).kind, plumb::FindingKind::kDeadlock);
}

// A lock that is not to be had, once more, is no more than a read of the same.
void polls(plumb::Program& program) {
  std::mutex mutex;
  int counter = 0;
  const auto add = [&] {
    while (!mutex.try_lock()) {
    }
    ++counter;
    mutex.unlock();
  };
  program.thread(add);
  program.thread(add);
  program.run();
}

TEST(WeakLocks, PollingEndsWhenTheLockIsFree) {
  const auto all = plumb::explore(&polls, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(all.executions, 2U);
}

// What another thread did before it unlocked, and nothing else, is known.
void passes_on(plumb::Program& program) {
  std::mutex mutex;
  std::atomic<int> value{0};
  bool is_set = false;
  program.thread([&] {
    value.store(1, kRelaxed);
    const std::lock_guard lock(mutex);
    is_set = true;
  });
  program.thread([&] {
    const std::lock_guard lock(mutex);
    if (is_set) program.require(value.load(kRelaxed) == 1, "the value is old");
  });
  program.run();
}

TEST(WeakLocks, OrderWhatTheyGuard) {
  const auto all = plumb::explore(&passes_on, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
}

void tries_to_lock(plumb::Program& program) {
  std::mutex mutex;
  int count = 0;
  std::atomic<int> failures{0};
  for (int thread = 0; thread < 2; ++thread) {
    program.thread([&] {
      if (mutex.try_lock()) {
        ++count;
        mutex.unlock();
      } else {
        failures.fetch_add(1, kRelaxed);
      }
    });
  }
  program.thread([&] {
    const std::lock_guard lock(mutex);
    ++count;
  });
  program.run();
  program.observe(std::to_string(count) + " " + std::to_string(failures));
  program.require(count + failures == 3, "lost");
}

TEST(WeakLocks, TryLockFailsAndSucceeds) {
  const auto weak = plumb::explore(&tries_to_lock, rc11());
  const auto sequential = plumb::explore(&tries_to_lock);
  EXPECT_TRUE(weak.passed()) << weak.text();
  std::vector<std::string> some;
  for (const auto& [outcome, executions] : weak.outcomes) some.push_back(outcome);
  std::vector<std::string> others;
  for (const auto& [outcome, executions] : sequential.outcomes) others.push_back(outcome);
  EXPECT_EQ(some, others);
}

void makes_threads(plumb::Program& program) {
  std::atomic<int> value{0};
  int plain = 0;
  std::thread first([&] {
    value.store(1, kRelaxed);
    plain = 1;
  });
  std::thread second([&] { value.fetch_add(2, kRelaxed); });
  first.join();
  program.require(plain == 1 && value.load(kRelaxed) != 0, "the end of the first thread is not known");
  second.join();
  program.observe(std::to_string(value));
}

TEST(WeakLocks, JoinsOrder) {
  const auto all = plumb::explore(&makes_threads, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(all.outcomes.size(), 2U);  // 1 and 3
}

template <std::memory_order kLock, std::memory_order kUnlock>
void spins(plumb::Program& program) {
  std::atomic<bool> locked{false};
  int count = 0;
  for (int thread = 0; thread < 2; ++thread) {
    program.thread([&] {
      for (;;) {
        while (locked.load(kRelaxed)) {
        }
        if (!locked.exchange(true, kLock)) break;
      }
      ++count;
      locked.store(false, kUnlock);
    });
  }
  program.check([&] { return count == 2; });
}

TEST(WeakLoops, ASpinLockIsRight) {
  const auto all = plumb::explore(&spins<kAcquire, kRelease>, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
}

TEST(WeakLoops, ASpinLockWithTooWeakAnOrderRaces) {
  EXPECT_EQ(plumb::explore(&spins<kRelaxed, kRelease>, rc11()).kind, plumb::FindingKind::kRace);
  EXPECT_EQ(plumb::explore(&spins<kAcquire, kRelaxed>, rc11()).kind, plumb::FindingKind::kRace);
}

void test_and_set(plumb::Program& program) {
  std::atomic_flag locked;
  int count = 0;
  for (int thread = 0; thread < 2; ++thread) {
    program.thread([&] {
      while (locked.test_and_set(kAcquire)) {
      }
      ++count;
      locked.clear(kRelease);
    });
  }
  program.check([&] { return count == 2; });
}

TEST(WeakLoops, AnExchangeThatChangesNothingIsARead) {
  const auto all = plumb::explore(&test_and_set, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
}

template <std::memory_order kServe>
void tickets(plumb::Program& program) {
  std::atomic<int> next{0};
  std::atomic<int> serving{0};
  int count = 0;
  for (int thread = 0; thread < 3; ++thread) {
    program.thread([&] {
      const int mine = next.fetch_add(1, kRelaxed);
      while (serving.load(kAcquire) != mine) {
      }
      ++count;
      serving.store(mine + 1, kServe);
    });
  }
  program.check([&] { return count == 3; });
}

TEST(WeakLoops, ATicketLockIsRight) {
  const auto all = plumb::explore(&tickets<kRelease>, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
  EXPECT_EQ(plumb::explore(&tickets<kRelaxed>, rc11()).kind, plumb::FindingKind::kRace);
}

void waits_in_vain(plumb::Program& program) {
  std::atomic<int> flag{0};
  program.thread([&] { flag.store(2, kRelease); });
  program.thread([&] {
    while (flag.load(kAcquire) != 1) {
    }
  });
  program.run();
}

TEST(WeakLoops, ALoopThatNeverEndsIsFound) {
  const auto found = plumb::explore(&waits_in_vain, rc11());
  EXPECT_EQ(found.kind, plumb::FindingKind::kDeadlock) << found.text();
}

}  // namespace
