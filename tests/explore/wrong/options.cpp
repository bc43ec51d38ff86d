// Faults that only an option brings to light: without it the program passes, with it every search finds the fault, and the
// token runs it again.
#include <atomic>
#include <mutex>

#include "explore/gate.hpp"
#include "explore/programs.hpp"

namespace {

using plumb::ExploreOptions;
using plumb::FindingKind;
using plumb::SearchOrder;

void expect_only_with(plumb_tests::Body program, ExploreOptions without, ExploreOptions with,
                      FindingKind kind) {
  for (const SearchOrder order : {SearchOrder::kReduced, SearchOrder::kDepthFirst}) {
    without.order = with.order = order;
    for (const auto preemptions : {plumb::kAnyPreemptions, plumb::PreemptionBound(2)}) {
      without.preemptions = with.preemptions = preemptions;
      const auto passes = plumb::explore(program, without);
      EXPECT_TRUE(passes.passed()) << passes.text();
      const auto fails = plumb::explore(program, with);
      EXPECT_EQ(fails.kind, kind) << fails.text();
      ExploreOptions again = with;
      again.replay = fails.replay;
      EXPECT_EQ(plumb::explore(program, again).kind, kind);
    }
  }
}

// A weak compare-exchange that is asked only once: it may fail although nobody was in the way.
TEST(Options, WeakCompareExchangeFails) {
#ifdef __clang__
  GTEST_SKIP() << "clang's hooks do not tell weak from strong";
#endif
  expect_only_with(
      [](plumb::Program& p) {
        std::atomic<int> owner{0};
        std::atomic<int> winners{0};
        for (int i = 1; i <= 2; ++i) {
          p.thread([&, i] {
            int nobody = 0;
            if (owner.compare_exchange_weak(nobody, i)) winners.fetch_add(1);
          });
        }
        p.check([&] { return winners == 1; });
      },
      {}, {.spurious_cas_failures = 1}, FindingKind::kCheck);
}

// `if` where `while` is needed.
TEST(Options, ConditionVariableWakes) {
  expect_only_with(
      [](plumb::Program& p) {
        plumb_tests::Gate gate;
        p.thread([&] {
          std::unique_lock lock(gate.mutex);
          if (!gate.ready) gate.changed.wait(lock);
          p.require(gate.ready, "it is ready after the wait");
        });
        p.thread([&] { gate.open(); });
        p.check([&] { return gate.ready; });
      },
      {}, {.spurious_wakeups = 1}, FindingKind::kCheck);
}

// With a loop around the wait it is right, however often it wakes.
TEST(Options, ALoopAroundTheWaitIsRight) {
  const auto result = plumb::explore(
      [](plumb::Program& p) {
        plumb_tests::Gate gate;
        p.thread([&] {
          gate.wait();
          p.require(gate.ready, "it is ready after the wait");
        });
        p.thread([&] { gate.open(); });
        p.check([&] { return gate.ready; });
      },
      {.spurious_wakeups = 3});
  EXPECT_TRUE(result.passed()) << result.text();
}

// Two increments of a plain variable, in code that has its races on purpose.
TEST(Options, PlainAccessesArePoints) {
  expect_only_with(
      [](plumb::Program& p) {
        int n = 0;
        for (int i = 0; i < 2; ++i) p.thread([&] { ++n; });
        p.check([&] { return n == 2; });
      },
      {.races = false}, {.races = false, .plain_points = true}, FindingKind::kCheck);
}

// A loop that waits for a plain variable ends when it is written.
TEST(Options, ALoopOverAPlainVariableWaits) {
  const auto result = plumb::explore(
      [](plumb::Program& p) {
        volatile bool ready = false;
        int n = 0;
        p.thread([&] {
          while (!ready) {
          }
          ++n;
        });
        p.thread([&] { ready = true; });
        p.check([&] { return n == 1; });
      },
      {.races = false, .plain_points = true});
  EXPECT_TRUE(result.passed()) << result.text();
}

// The ABA problem between threads that do not share a cache of freed memory: the second takes and frees, the third allocates
// at the same place, and the first takes it for what it saw.
void taken_twice(plumb::Program& p) {
  int* original = new int(1);
  std::atomic<int*> slot{original};
  std::atomic<bool> stored{false};
  bool first_took = false;
  bool second_took = false;
  p.thread([&] {
    int* seen = slot.load();
    if (seen != nullptr && !stored) first_took = slot.compare_exchange_strong(seen, nullptr);
  });
  p.thread([&] {
    int* old = slot.exchange(nullptr);
    second_took = old == original;
    delete old;
  });
  p.thread([&] {
    int* other = new int(2);
    stored = true;
    slot = other;
  });
  p.check([&] { return !first_took || !second_took; });
}

TEST(Options, FreedMemoryGoesToOtherThreads) {
  expect_only_with(&taken_twice, {.leaks = false}, {.leaks = false, .reuse_by_others = true},
                   FindingKind::kCheck);
}

// Allocations and frees of the same size do not commute then: the reduction finds what depth-first search finds.
TEST(Options, TheReductionSeesWhoAllocatesFirst) {
  const auto program = [](plumb::Program& p) {
    for (int i = 0; i < 2; ++i) {
      p.thread([] {
        for (int round = 0; round < 2; ++round) {
          int* block = new int(round);
          asm volatile("" : "+r"(block));  // not to be optimised away
          delete block;
        }
      });
    }
    p.check([] { return true; });
  };
  ExploreOptions options{.reuse_by_others = true, .count_traces = true};
  const auto few = plumb::explore(program, options);
  options.order = SearchOrder::kDepthFirst;
  const auto all = plumb::explore(program, options);
  EXPECT_TRUE(few.passed() && all.passed()) << few.text() << all.text();
  EXPECT_EQ(few.traces, all.traces);
  EXPECT_EQ(few.traces, 70);  // all orders of four and four
}

}  // namespace
