// A recorder never reorders: what happened before something else, by whatever the threads could see of each other, does not come
// after it in the record. And it never invents: a correct object is correct in its record, finished or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>

#include <plumb/check.hpp>
#include <plumb/model.hpp>
#include <plumb/record.hpp>

#include "record/support.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

constexpr int kThreads = 4;

// Threads that do nothing but take time from the others.
class Load {
 public:
  Load() {
    for (int i = 0; i < 2; ++i)
      threads_.emplace_back([this] {
        while (!stop_) std::this_thread::yield();
      });
  }
  ~Load() {
    stop_ = true;
    for (std::thread& thread : threads_) thread.join();
  }
  Load(const Load&) = delete;
  Load& operator=(const Load&) = delete;

 private:
  std::atomic<bool> stop_ = false;
  std::vector<std::thread> threads_;
};

template <class Work>
void run_threads(Work work) {
  std::vector<std::thread> threads;
  for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
  for (std::thread& thread : threads) thread.join();
}

void expect_linearizable(const Result<History>& history, const char* model) {
  ASSERT_TRUE(history.ok()) << history.error().text();
  const auto verdict = check(*history, **find_model(model));
  ASSERT_TRUE(verdict.ok()) << verdict.error().text();
  EXPECT_EQ(verdict->outcome, Outcome::kLinearizable)
      << (verdict->violation ? verdict->violation->reason : "");
}

class Order : public testing::TestWithParam<ClockKind> {};
INSTANTIATE_TEST_SUITE_P(Clocks, Order,
                         testing::Values(ClockKind::kHardware, ClockKind::kSystem, ClockKind::kCounter),
                         [](const auto& clock) { return std::string(clock_name(clock.param)); });

// A chain through an atomic counter: every link happened after all those before it.
TEST_P(Order, AChainThroughACounterIsRespected) {
  auto recorder = Recorder::in_memory({.clock = GetParam()});
  if (!recorder) GTEST_SKIP() << recorder.error().text();
  const int links = static_cast<int>(test::scaled(200'000));
  const auto add = (*recorder)->function("fetch_add");
  std::atomic<int> counter = 0;
  const Load load;
  run_threads([&](int thread) {
    ThreadLog& log = (*recorder)->thread();
    for (int i = 0; i < links; ++i) {
      log.call(add, 1);
      const int old = counter.fetch_add(1, std::memory_order_relaxed);
      log.ret(old);
      if ((i + thread) % 5000 == 0) std::this_thread::yield();
    }
  });
  const auto history = (*recorder)->history();
  ASSERT_TRUE(history.ok()) << history.error().text();
  ASSERT_EQ(history->size(), static_cast<std::size_t>(links) * kThreads);
  std::vector<OperationId> link(history->size());
  for (OperationId i = 0; i < history->size(); ++i)
    link[static_cast<std::size_t>(history->result(i).small_integer())] = i;
  Time latest_call = history->call(link[0]);
  for (const OperationId i : link) {
    ASSERT_LE(latest_call, history->ret(i)) << "an earlier link was called after this one had returned";
    latest_call = std::max(latest_call, history->call(i));
  }
  expect_linearizable(history, "counter");
}

// Stores wait in the core that makes them. A return is stamped only when they are there for all.
TEST_P(Order, AStoreIsThereWhenItReturns) {
  auto recorder = Recorder::in_memory({.model = "register", .initial = "0", .clock = GetParam()});
  if (!recorder) GTEST_SKIP() << recorder.error().text();
  const int operations = static_cast<int>(test::scaled(100'000));
  const auto write = (*recorder)->function("write");
  const auto read = (*recorder)->function("read");
  alignas(128) std::atomic<int> cell = 0;
  run_threads([&](int thread) {
    ThreadLog& log = (*recorder)->thread();
    for (int i = 0; i < operations; ++i) {
      if (thread == 0) {
        log.call(write, i + 1);
        cell.store(i + 1, std::memory_order_release);
        log.ret();
      } else {
        log.call(read);
        const int value = cell.load(std::memory_order_acquire);
        log.ret(value);
      }
    }
  });
  expect_linearizable((*recorder)->history(), "register");
}

// The stamps by themselves, as close together as they can be: a value that was overwritten by the stamp of one thread is not read
// after that stamp by another one. Without the fences a few in a hundred are.
TEST(Stamps, StandOnTheRightSide) {
  if (!Clock::make(ClockKind::kHardware)) GTEST_SKIP() << "no hardware clock";
  const auto samples = static_cast<int>(test::scaled(2'000'000));
  alignas(128) static std::atomic<int> cell;
  alignas(128) static std::atomic<int> started;
  cell = started = 0;
  std::vector<std::uint64_t> written(static_cast<std::size_t>(samples) + 1);
  std::vector<std::pair<std::uint64_t, int>> read(static_cast<std::size_t>(samples));
  const auto start = [] {
    ++started;
    while (started != 2) {  // without a yield: both must be running
    }
  };
  std::thread writer([&, to = written.data()] {
    start();
    for (int i = 1; i <= samples; ++i) {
      cell.store(i, std::memory_order_release);
      to[i] = Clock::hardware_after();
    }
  });
  std::thread reader([&, to = read.data()] {
    start();
    for (int i = 0; i < samples; ++i) {
      const std::uint64_t stamp = Clock::hardware_before();
      to[i] = {stamp, cell.load(std::memory_order_acquire)};
    }
  });
  writer.join();
  reader.join();
  for (const auto& [stamp, value] : read) {
    if (value == samples) continue;
    ASSERT_LE(stamp, written[static_cast<std::size_t>(value) + 1])
        << value << " was read, though the next one had been written";
  }
}

// What is read in the middle of a run is a history that could have ended there.
// A thread may come at any moment while the run is looked at.
TEST_P(Order, NobodyWhoComesMeanwhileIsMissing) {
  test::Folder folder;
  for (const bool in_memory : {true, false}) {
    const RecorderOptions options{.clock = GetParam(), .block_size = 1 << 14};
    auto recorder =
        in_memory ? Recorder::in_memory(options) : Recorder::open(folder.file("live.plumb"), options);
    if (!recorder) GTEST_SKIP() << recorder.error().text();
    const auto add = (*recorder)->function("fetch_add");
    std::atomic<int> counter = 0;
    std::atomic<int> running = kThreads;
    std::thread checker([&] {
      do {
        expect_linearizable((*recorder)->history(), "counter");
      } while (running != 0 && !testing::Test::HasFailure());
    });
    const int logs = static_cast<int>(test::scaled(300));
    run_threads([&](int) {
      for (int i = 0; i < logs; ++i) {
        ThreadLog& log = (*recorder)->thread();
        for (int k = 0; k < 20; ++k) {
          log.call(add, 1);
          log.ret(counter.fetch_add(1, std::memory_order_relaxed));
        }
      }
      --running;
    });
    checker.join();
    expect_linearizable((*recorder)->history(), "counter");
  }
}

TEST_P(Order, ARunThatGoesOnCanBeChecked) {
  test::Folder folder;
  for (const bool in_memory : {true, false}) {
    const int operations = static_cast<int>(test::scaled(50'000));
    const RecorderOptions options{.clock = GetParam(), .block_size = 1 << 14};
    auto recorder =
        in_memory ? Recorder::in_memory(options) : Recorder::open(folder.file("live.plumb"), options);
    if (!recorder) GTEST_SKIP() << recorder.error().text();
    const auto add = (*recorder)->function("fetch_add");
    std::atomic<int> counter = 0;
    std::atomic<int> running = kThreads;
    std::thread checker([&] {
      do {
        expect_linearizable((*recorder)->history(), "counter");
      } while (running != 0 && !testing::Test::HasFailure());
    });
    run_threads([&](int) {
      ThreadLog& log = (*recorder)->thread();
      for (int i = 0; i < operations; ++i) {
        log.call(add, 1);
        log.ret(counter.fetch_add(1, std::memory_order_relaxed));
      }
      --running;
    });
    checker.join();
    expect_linearizable((*recorder)->history(), "counter");
  }
}

}  // namespace
}  // namespace plumb
