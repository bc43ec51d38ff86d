// What a trace knows of the graph that it was run along: whose value a step has read, and which newer one it has not seen.
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
  EXPECT_FALSE(flag->synchronises);
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
  EXPECT_TRUE(load->synchronises);
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
  EXPECT_TRUE(lock->synchronises);
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
