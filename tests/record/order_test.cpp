// A recorder never reorders: what happened before something else, by whatever the threads could see of each
// other, does not come after it in the record. And it never invents: a correct object is correct in its
// record, finished or not.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
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
  EXPECT_EQ(verdict->outcome, Outcome::kHolds) << (verdict->violation ? verdict->violation->reason : "");
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

// Two operations of one thread are never told to overlap, however slowly the clock ticks:
// their order would be lost.
TEST_P(Order, AThreadDoesOneThingAfterAnother) {
  auto recorder = Recorder::in_memory({.clock = GetParam()});
  if (!recorder) GTEST_SKIP() << recorder.error().text();
  const auto nothing = (*recorder)->function("nothing");
  run_threads([&](int) {
    ThreadLog& log = (*recorder)->thread();
    for (std::size_t i = 0; i < test::scaled(50'000); ++i) {
      log.call(nothing);
      log.ret();
    }
  });
  const auto history = (*recorder)->history();
  ASSERT_TRUE(history.ok()) << history.error().text();
  std::map<std::int64_t, Time> last;
  for (OperationId i = 0; i < history->size(); ++i) {
    const std::int64_t process = history->process(i).small_integer();
    const auto [before, is_first] = last.try_emplace(process);
    if (!is_first) {
      ASSERT_GT(history->call(i), before->second);
    }
    before->second = history->ret(i);
  }
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

// Two threads that begin at the same moment, as near as can be.
template <class First, class Second>
void run_both(First first, Second second) {
  std::atomic<int> started = 0;
  const auto start = [&] {
    ++started;
    while (started != 2) {  // without a yield: both must be running
    }
  };
  std::thread other([&] {
    start();
    first();
  });
  start();
  second();
  other.join();
}

// The stamps by themselves, as close together as they can be. Without any one of the fences some
// in a thousand are wrong.
class Stamps : public testing::Test {
 protected:
  void SetUp() override {
    if (!Clock::make(ClockKind::kHardware)) GTEST_SKIP() << "no hardware clock";
  }

  struct Seen {
    std::uint64_t stamp = 0;
    int value = 0;
  };
  static constexpr int kGoes = 4;  // whether the threads meet is up to the machine
  const int samples_ = static_cast<int>(test::scaled(500'000));
  std::vector<std::uint64_t> written_ = std::vector<std::uint64_t>(static_cast<std::size_t>(samples_) + 1);
  std::vector<Seen> seen_ = std::vector<Seen>(static_cast<std::size_t>(samples_));
  alignas(128) std::atomic<int> cell_ = 0;

  // A value that was overwritten by the stamp of one thread is not read after that stamp by another one.
  template <class StampCall>
  void expect_nothing_stale(StampCall stamp_call) {
    cell_ = 0;
    run_both(
        [this, to = written_.data()] {
          for (int i = 1; i <= samples_; ++i) {
            cell_.store(i, std::memory_order_release);
            to[i] = Clock::hardware_after();
          }
        },
        [&, to = seen_.data()] {
          for (int i = 0; i < samples_; ++i) {
            stamp_call(to[i].stamp);
            to[i].value = cell_.load(std::memory_order_acquire);
          }
        });
    for (const auto& [stamp, value] : seen_) {
      if (value == samples_) continue;
      ASSERT_LE(stamp, written_[static_cast<std::size_t>(value) + 1])
          << value << " was read, though the next one had been written";
    }
  }

  // And no value was read before the stamp of the call that writes it.
  template <class StampCall>
  void expect_nothing_foreseen(StampCall stamp_call) {
    cell_ = 0;
    run_both(
        [&, to = written_.data()] {
          for (int i = 1; i <= samples_; ++i) {
            stamp_call(to[i]);
            cell_.store(i, std::memory_order_relaxed);
          }
        },
        [this, to = seen_.data()] {
          for (int i = 0; i < samples_; ++i) {
            to[i].value = cell_.load(std::memory_order_relaxed);
            to[i].stamp = Clock::hardware_after();
          }
        });
    for (const auto& [stamp, value] : seen_) {
      ASSERT_GE(stamp, written_[static_cast<std::size_t>(value)])
          << value << " was read before it was to be written";
    }
  }
};

TEST_F(Stamps, OfACallStandBeforeIt) {
  const auto stamp = [](std::uint64_t& to) { to = Clock::hardware_before(); };
  for (int go = 0; go < kGoes; ++go) {
    expect_nothing_stale(stamp);
    expect_nothing_foreseen(stamp);
  }
}

TEST_F(Stamps, OfACallThatAreKeptStandBeforeIt) {
  const auto stamp = [](std::uint64_t& to) { Clock::hardware_call(to); };
  for (int go = 0; go < kGoes; ++go) {
    expect_nothing_stale(stamp);
    expect_nothing_foreseen(stamp);
  }
}

// The same of whole records: one thread writes and one reads.
TEST_F(Stamps, OfARecordStandAroundIt) {
  auto recorder = Recorder::in_memory({.model = "register", .initial = "0", .clock = ClockKind::kHardware});
  ASSERT_TRUE(recorder.ok()) << recorder.error().text();
  const auto write = (*recorder)->function("write");
  const auto read = (*recorder)->function("read");
  run_both(
      [&] {
        ThreadLog& log = (*recorder)->thread();
        for (int i = 1; i <= samples_; ++i) {
          log.call(write, i);
          cell_.store(i, std::memory_order_relaxed);
          log.ret();
        }
      },
      [&] {
        ThreadLog& log = (*recorder)->thread();
        for (int i = 0; i < samples_; ++i) {
          log.call(read);
          log.ret(cell_.load(std::memory_order_relaxed));
        }
      });
  expect_linearizable((*recorder)->history(), "register");
}

// What is read in the middle of a run is a history that could have ended there. Each thread takes so many
// logs, one after another, for so many operations each.
void check_while_running(ClockKind clock, std::size_t logs, std::size_t operations) {
  test::Folder folder;
  for (const bool in_memory : {true, false}) {
    const RecorderOptions options{.clock = clock, .block_size = 1 << 14};
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
      for (std::size_t i = 0; i < logs; ++i) {
        ThreadLog& log = (*recorder)->thread();
        for (std::size_t k = 0; k < operations; ++k) {
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

TEST_P(Order, ARunThatGoesOnCanBeChecked) { check_while_running(GetParam(), 1, test::scaled(50'000)); }

// A thread may come at any moment while the run is looked at.
TEST_P(Order, NobodyWhoComesMeanwhileIsMissing) { check_while_running(GetParam(), test::scaled(300), 20); }

}  // namespace
}  // namespace plumb
