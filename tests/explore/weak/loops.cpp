// Loops that wait, and count, or look at the clock, or poll, under the C++ memory model: they come to an end, and what is never true is a deadlock.
#include <gtest/gtest.h>
#include <plumb/explore.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr auto kRelaxed = std::memory_order_relaxed;

plumb::ExploreOptions rc11() { return {.memory_model = plumb::MemoryModel::kRc11}; }

std::string outcomes_of(void (*program)(plumb::Program&)) {
  const auto all = plumb::explore(program, rc11());
  EXPECT_TRUE(all.passed()) << all.text();
  std::string text;
  for (const auto& [outcome, executions] : all.outcomes) text += outcome + " ";
  return text;
}

void waits_for_it(plumb::Program& program) {
  std::atomic<bool> ready{false};
  program.thread([&] { ready.store(true, kRelaxed); });
  program.thread([&] {
    while (!ready.load(kRelaxed)) {
    }
  });
  program.run();
}

template <int kRounds>
void tries_often(plumb::Program& program) {
  std::atomic<bool> ready{false};
  bool seen = false;
  program.thread([&] { ready.store(true, kRelaxed); });
  program.thread([&] {
    for (int round = 0; round < kRounds && !seen; ++round) seen = ready.load(kRelaxed);
  });
  program.run();
  program.observe(seen ? "seen" : "tired");
}
TEST(WeakLoops, ALoopThatCountsMayGiveUp) {
  EXPECT_EQ(outcomes_of(&tries_often<5>), "seen tired ");
  EXPECT_EQ(plumb::explore(&tries_often<5>, rc11()).executions, 6U);
}
// After `patience` rounds it sees what is newest, and the exploration says so.
TEST(WeakLoops, ALoopThatCountsLongSeesTheNewestInTheEnd) {
  EXPECT_EQ(outcomes_of(&tries_often<100>), "seen ");
  EXPECT_TRUE(plumb::explore(&tries_often<100>, rc11()).held_back);
  auto jobs = rc11();
  jobs.jobs = 2;
  EXPECT_TRUE(plumb::explore(&tries_often<100>, jobs).held_back);
  auto patient = rc11();
  patient.patience = 101;
  const auto all = plumb::explore(&tries_often<100>, patient);
  EXPECT_FALSE(all.held_back);
  EXPECT_EQ(all.outcomes.size(), 2U) << all.text();
}
TEST(WeakLoops, NothingIsHeldBackWhereTheRoundsAreFew) {
  EXPECT_FALSE(plumb::explore(&tries_often<5>, rc11()).held_back);
  EXPECT_FALSE(plumb::explore(&waits_for_it, rc11()).held_back) << "it does the same each time";
}

// Nobody makes it ready: it ends by itself.
template <int kRounds>
void tries_in_vain(plumb::Program& program) {
  std::atomic<bool> ready{false};
  program.thread([&] { ready.load(kRelaxed); });
  program.thread([&] {
    for (int round = 0; round < kRounds && !ready.load(kRelaxed); ++round) {
    }
  });
  program.run();
  program.observe("tired");
}
TEST(WeakLoops, ALoopThatCountsLongEndsThoughNothingChanges) {
  EXPECT_EQ(outcomes_of(&tries_in_vain<200>), "tired ");
  EXPECT_EQ(outcomes_of(&tries_in_vain<1000>), "tired ");
}

void counts_for_ever(plumb::Program& program) {
  std::atomic<int> ready{0};
  std::atomic<int> rounds{0};
  program.thread([&] { ready.store(2, kRelaxed); });
  program.thread([&] {
    int count = 0;
    while (ready.load(kRelaxed) != 1) ++count;
    rounds.store(count);
  });
  program.run();
}
TEST(WeakLoops, ALoopThatCountsForEverIsADeadlock) {
  const auto found = plumb::explore(&counts_for_ever, rc11());
  EXPECT_EQ(found.kind, plumb::FindingKind::kDeadlock) << found.text();
}

void waits_until_a_time(plumb::Program& program) {
  std::atomic<bool> ready{false};
  bool seen = false;
  program.thread([&] { ready.store(true, kRelaxed); });
  program.thread([&] {
    const auto end = Clock::now() + 1s;
    while (!seen && Clock::now() < end) seen = ready.load(kRelaxed);
  });
  program.run();
  program.observe(seen ? "seen" : "late");
}
TEST(WeakLoops, ALoopUntilATimeEnds) { EXPECT_EQ(outcomes_of(&waits_until_a_time), "late seen "); }

void sleeps_and_looks(plumb::Program& program) {
  std::atomic<bool> ready{false};
  program.thread([&] { ready.store(true, kRelaxed); });
  program.thread([&] {
    while (!ready.load(kRelaxed)) std::this_thread::sleep_for(1ms);
  });
  program.run();
}
TEST(WeakLoops, PollingWithSleeps) { outcomes_of(&sleeps_and_looks); }

void waits_in_slices(plumb::Program& program) {
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
    while (!changed.wait_for(lock, 5ms, [&] { return ready; })) {
    }
  });
  program.run();
}
TEST(WeakLoops, PollingWithTimeOuts) { outcomes_of(&waits_in_slices); }

void polls_with_yields(plumb::Program& program) {
  std::mutex mutex;
  bool ready = false;
  program.thread([&] {
    const std::lock_guard lock(mutex);
    ready = true;
  });
  program.thread([&] {
    for (;;) {
      {
        const std::lock_guard lock(mutex);
        if (ready) break;
      }
      std::this_thread::yield();
    }
  });
  program.run();
}
TEST(WeakLoops, PollingUnderALock) { outcomes_of(&polls_with_yields); }

void tries_both(plumb::Program& program) {
  std::mutex a;
  std::mutex b;
  int count = 0;
  program.thread([&] {
    const std::scoped_lock lock(a, b);
    ++count;
  });
  program.thread([&] {
    const std::scoped_lock lock(b, a);
    ++count;
  });
  program.check([&] { return count == 2; });
}
// They back off as often as they like: there is no end of executions.
TEST(WeakLoops, TwoLocksAtOnce) {
  auto options = rc11();
  options.order = plumb::SearchOrder::kRandom;
  options.executions = 200;
  const auto all = plumb::explore(&tries_both, options);
  EXPECT_NE(all.verdict, plumb::Outcome::kViolation) << all.text();
}

}  // namespace
