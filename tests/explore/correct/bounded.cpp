// The reduction under a preemption bound: choices that are no thread's, a cache that is full, and how much it
// saves.
#include <atomic>
#include <condition_variable>
#include <mutex>

#include "explore/programs.hpp"

namespace {

using plumb::SearchOrder;

// One of two waiters is woken, the other one's time-out comes: both ways are run.
void who_is_woken(plumb::Program& p) {
  std::mutex mutex;
  std::condition_variable changed;
  std::atomic<int> order{0};
  for (int i = 1; i <= 2; ++i) {
    p.thread([&, i] {
      std::unique_lock lock(mutex);
      if (changed.wait_for(lock, std::chrono::seconds(1)) == std::cv_status::no_timeout)
        order = order * 10 + i;
    });
  }
  p.thread([&] { changed.notify_one(); });
  p.check([&] { return order < 3; });
}

TEST(Bounded, WhoIsWokenIsPartOfTheState) { plumb_tests::expect_same_traces_within(&who_is_woken, 3); }

void two_counters(plumb::Program& p) {
  std::atomic<int> a{0};
  std::atomic<int> b{0};
  for (int i = 0; i < 3; ++i) {
    p.thread([&] {
      a.fetch_add(1);
      b.fetch_add(1);
      a.load();
    });
  }
  p.check([&] { return a == 3 && b == 3; });
}

TEST(Bounded, AFullCacheLosesNothing) {
  const auto all = plumb::explore(&two_counters, {.preemptions = 2, .count_traces = true});
  const auto full = plumb::explore(&two_counters, {.preemptions = 2, .memory = 0, .count_traces = true});
  EXPECT_TRUE(all.passed() && full.passed()) << all.text() << full.text();
  EXPECT_EQ(all.traces, full.traces);
}

TEST(Bounded, ItSaves) {
  const auto few = plumb::explore(&two_counters, {.preemptions = 3});
  const auto all = plumb::explore(&two_counters, {.order = SearchOrder::kDepthFirst, .preemptions = 3});
  EXPECT_TRUE(few.exhausted && all.exhausted);
  EXPECT_EQ(few.executions, 252);
  EXPECT_EQ(few.pruned, 102);  // few: what leads to a state that was searched is not run
  EXPECT_EQ(all.executions, 792);
}

// With no bound that bites, every trace is run: as many as sleep sets find.
TEST(Bounded, AWideBoundFindsWhatSleepSetsFind) {
  const auto bounded = plumb::explore(&two_counters, {.preemptions = 100, .count_traces = true});
  const auto reduced = plumb::explore(&two_counters, {.count_traces = true});
  EXPECT_TRUE(bounded.exhausted && reduced.exhausted);
  EXPECT_EQ(bounded.traces, reduced.traces);
}

}  // namespace
