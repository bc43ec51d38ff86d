// What a trace knows of the graph that it was run along: whose value a step has read, which newer one it has not seen, and with what it
// synchronises.
#include <algorithm>
#include <atomic>
#include <mutex>
#include <string>

#include <gtest/gtest.h>

#include <plumb/explore.hpp>

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;
const plumb::ExploreOptions kRc11{.memory_model = plumb::MemoryModel::kRc11};

// The last step of a thread that does this.
const plumb::TraceStep* find(const plumb::Exploration& found, int thread, const std::string& what) {
  const auto step = std::find_if(found.trace.rbegin(), found.trace.rend(), [&](const plumb::TraceStep& each) {
    return each.thread == thread && each.what + " " + each.object == what;
  });
  return step == found.trace.rend() ? nullptr : &*step;
}

TEST(WeakTraces, SayWhoseValueWasReadAndWhichNewerOneWasNotSeen) {
  const auto found = plumb::explore(
      [](plumb::Program& p) {
        std::atomic<int> data{0};
        std::atomic<int> flag{0};
        p.name(&data, "data");
        p.name(&flag, "flag");
        p.thread([&] {
          data.store(1, kRelaxed);
          flag.store(1, kRelaxed);
        });
        p.thread([&] {
          if (flag.load(kRelaxed) == 1) p.require(data.load(kRelaxed) == 1, "it is there");
        });
        p.run();
      },
      kRc11);
  ASSERT_FALSE(found.trace.empty()) << found.text();
  const auto* flag = find(found, 2, "load flag");
  const auto* data = find(found, 2, "load data");
  ASSERT_TRUE(flag != nullptr && data != nullptr) << found.text();
  EXPECT_EQ(flag->read_from, find(found, 1, "store flag")->number);
  EXPECT_TRUE(flag->synchronises_with.empty());
  EXPECT_EQ(flag->newer, 0U);
  EXPECT_EQ(data->read_from, 0U);
  EXPECT_EQ(data->newer, find(found, 1, "store data")->number);
}

TEST(WeakTraces, SayWhichReadSynchronises) {
  const auto found = plumb::explore(
      [](plumb::Program& p) {
        std::atomic<int> flag{0};
        p.name(&flag, "flag");
        p.thread([&] { flag.store(1, std::memory_order_release); });
        p.thread([&] { p.require(flag.load(std::memory_order_acquire) == 0, "it is not there"); });
        p.run();
      },
      kRc11);
  const auto* load = find(found, 2, "load flag");
  ASSERT_NE(load, nullptr) << found.text();
  EXPECT_EQ(load->read_from, find(found, 1, "store flag")->number);
  EXPECT_EQ(load->synchronises_with, std::vector{load->read_from});
}

// Where fences release and acquire, the edge is between these.
template <bool kReleaseFence, bool kAcquireFence>
void pass_by_fences(plumb::Program& p) {
  std::atomic<int> flag{0};
  p.name(&flag, "flag");
  p.thread([&] {
    if constexpr (kReleaseFence) std::atomic_thread_fence(std::memory_order_release);
    flag.store(1, kReleaseFence ? kRelaxed : std::memory_order_release);
  });
  p.thread([&] {
    const int seen = flag.load(kAcquireFence ? kRelaxed : std::memory_order_acquire);
    if constexpr (kAcquireFence) std::atomic_thread_fence(std::memory_order_acquire);
    p.require(seen == 0, "it is not there");
  });
  p.run();
}

TEST(WeakTraces, SayWhichFencesSynchronise) {
  const auto both = plumb::explore(pass_by_fences<true, true>, kRc11);
  const auto* load = find(both, 2, "load flag");
  const auto* fence = find(both, 2, "fence ");
  ASSERT_TRUE(load != nullptr && fence != nullptr) << both.text();
  EXPECT_EQ(load->read_from, find(both, 1, "store flag")->number);
  EXPECT_TRUE(load->synchronises_with.empty()) << "it is relaxed";
  EXPECT_EQ(fence->synchronises_with, std::vector{find(both, 1, "fence ")->number});
  EXPECT_EQ(fence->note.rfind("synchronises with the fence of thread 1 (traces.cpp:", 0), 0U) << fence->note;
  EXPECT_TRUE(find(both, 1, "fence ")->note.empty());

  const auto first = plumb::explore(pass_by_fences<true, false>, kRc11);
  ASSERT_NE(find(first, 2, "load flag"), nullptr) << first.text();
  EXPECT_EQ(find(first, 2, "load flag")->synchronises_with, std::vector{find(first, 1, "fence ")->number});

  const auto second = plumb::explore(pass_by_fences<false, true>, kRc11);
  ASSERT_NE(find(second, 2, "fence "), nullptr) << second.text();
  EXPECT_EQ(find(second, 2, "fence ")->synchronises_with, std::vector{find(second, 1, "store flag")->number});
}

// What acquires stands behind the load; what is missing is the release.
TEST(WeakTraces, AFenceThatAcquiresIsNotAskedFor) {
  const auto found = plumb::explore(
      [](plumb::Program& p) {
        std::atomic<int> data{0};
        std::atomic<int> flag{0};
        p.name(&data, "data");
        p.name(&flag, "flag");
        p.thread([&] {
          data.store(1, kRelaxed);
          flag.store(1, kRelaxed);
        });
        p.thread([&] {
          if (flag.load(kRelaxed) == 0) return;
          std::atomic_thread_fence(std::memory_order_acquire);
          p.require(data.load(kRelaxed) == 1, "it is there");
        });
        p.run();
      },
      kRc11);
  const auto* data = find(found, 2, "load data");
  ASSERT_NE(data, nullptr) << found.text();
  EXPECT_NE(data->note.find("does not synchronise, that store would have to release"), std::string::npos)
      << data->note;
}

// A read-modify-write, however relaxed, goes on with what a store has released; what is known already is no news.
TEST(WeakTraces, AReleaseSequenceSynchronisesWithItsBeginning) {
  const auto found = plumb::explore(
      [](plumb::Program& p) {
        std::atomic<int> count{0};
        p.name(&count, "count");
        p.thread([&] { count.store(1, std::memory_order_release); });
        p.thread([&] { count.fetch_add(1, kRelaxed); });
        p.thread([&] {
          const int seen = count.load(std::memory_order_acquire);
          const int again = count.load(std::memory_order_acquire);
          p.require(seen != 2 || again != 2, "both came before");
        });
        p.run();
      },
      kRc11);
  const auto* again = find(found, 3, "load count");
  ASSERT_TRUE(again != nullptr && find(found, 2, "modify count") != nullptr) << found.text();
  const auto load = std::find_if(found.trace.begin(), found.trace.end(),
                                 [](const auto& each) { return each.thread == 3 && each.what == "load"; });
  EXPECT_EQ(load->read_from, find(found, 2, "modify count")->number) << found.text();
  EXPECT_EQ(load->synchronises_with, std::vector{find(found, 1, "store count")->number});
  EXPECT_TRUE(again->synchronises_with.empty()) << "it knows that";
}

TEST(WeakTraces, ALockSynchronisesWithTheUnlockBeforeIt) {
  const auto found = plumb::explore(
      [](plumb::Program& p) {
        std::mutex mutex;
        int value = 0;
        p.name(&mutex, "mutex");
        p.thread([&] {
          const std::scoped_lock lock(mutex);
          value = 1;
        });
        p.thread([&] {
          const std::scoped_lock lock(mutex);
          p.require(value == 0, "it is not there");
        });
        p.run();
      },
      kRc11);
  const auto* lock = find(found, 2, "lock mutex");
  ASSERT_NE(lock, nullptr) << found.text();
  EXPECT_EQ(lock->read_from, find(found, 1, "unlock mutex")->number);
  EXPECT_EQ(lock->synchronises_with, std::vector{lock->read_from});
  EXPECT_EQ(find(found, 1, "lock mutex")->read_from, 0U);
}

TEST(WeakTraces, UnderSequentialConsistencyNothingOfThisIsKnown) {
  const auto found = plumb::explore([](plumb::Program& p) {
    std::atomic<int> flag{0};
    p.name(&flag, "flag");
    p.thread([&] { flag.store(1); });
    p.thread([&] { p.require(flag.load() == 0, "it is not there"); });
    p.run();
  });
  const auto* load = find(found, 2, "load flag");
  ASSERT_NE(load, nullptr) << found.text();
  EXPECT_EQ(load->read_from, 0U);
  EXPECT_EQ(load->newer, 0U);
}

}  // namespace
