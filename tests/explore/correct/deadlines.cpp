// Loops that look at the clock until a time has passed, with nothing in them that waits: they end
// as a timed wait does, by what they look for or by the time, and the time is the same in every
// order of independent steps.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <mutex>
#include <semaphore>
#include <set>
#include <thread>
#include <vector>

#include <fmt/format.h>

#include "base/rng.hpp"
#include "explore/programs.hpp"
#include "support/scale.hpp"

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;
using plumb::SearchOrder;

constexpr int kSeen = 1;
constexpr int kTimedOut = 2;

using Outcome = std::array<int, 2>;  // of each thread
using Outcomes = std::set<Outcome>;
using Program = std::function<void(plumb::Program&, Outcome&)>;

Outcomes outcomes(const Program& program, SearchOrder order, plumb::PreemptionBound preemptions) {
  std::vector<Outcome> all;
  all.reserve(400'000);  // memory made during an execution is gone after it
  const auto result = plumb::explore(
      [&](plumb::Program& p) {
        Outcome outcome{};
        program(p, outcome);
        all.push_back(outcome);
      },
      {.order = order, .preemptions = preemptions});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
  EXPECT_LE(all.size(), 400'000U);
  return {all.begin(), all.end()};
}

// By every search: with a bound, the reduction finds what the search without it does.
Outcomes outcomes(const Program& program) {
  const Outcomes all = outcomes(program, SearchOrder::kDepthFirst, 2);
  EXPECT_EQ(outcomes(program, SearchOrder::kReduced, 2), all);
  const Outcomes more = outcomes(program, SearchOrder::kReduced, plumb::kAnyPreemptions);
  EXPECT_TRUE(std::includes(more.begin(), more.end(), all.begin(), all.end()));
  return all;
}

// Ways to look for something until a time.
template <class Time>
int look_first(const std::atomic<int>& v, typename Time::duration most) {
  const auto end = Time::now() + most;
  while (v == 0 && Time::now() < end) {
  }
  return v != 0 ? kSeen : kTimedOut;
}
int time_first(const std::atomic<int>& v) {
  const auto end = Clock::now() + 5ms;
  while (Clock::now() < end) {
    if (v != 0) return kSeen;
  }
  return kTimedOut;
}
int yield_and_look(const std::atomic<int>& v) {
  const auto end = Clock::now() + 5ms;
  while (v == 0) {
    if (Clock::now() >= end) return kTimedOut;
    std::this_thread::yield();
  }
  return kSeen;
}
int by_duration(const std::atomic<int>& v) {
  const auto begin = std::chrono::system_clock::now();
  while (v == 0) {
    if (std::chrono::system_clock::now() - begin > 1h) return kTimedOut;
  }
  return kSeen;
}

// These keep what does not look like a time, in memory: as all is in an unoptimised build.
int count_rounds(const std::atomic<int>& v) {
  const auto end = Clock::now() + 5ms;
  volatile int rounds = 0;
  while (v == 0) {
    if (Clock::now() >= end) return kTimedOut;
    rounds = rounds + 1;
  }
  return kSeen;
}
int by_double(const std::atomic<int>& v) {
  const auto begin = Clock::now();
  volatile double passed = 0;
  while (v == 0) {
    passed = std::chrono::duration<double>(Clock::now() - begin).count();
    if (passed > 0.005) return kTimedOut;
  }
  return kSeen;
}

int look(const std::atomic<int>& v) { return look_first<Clock>(v, 5ms); }
int look_for_an_hour(const std::atomic<int>& v) { return look_first<std::chrono::system_clock>(v, 1h); }

constexpr int (*kWays[])(const std::atomic<int>&) = {
    look, look_for_an_hour, time_first, yield_and_look, by_duration, count_rounds, by_double};

TEST(Deadlines, ALoopEndsByWhatItLooksForOrByTheTime) {
  for (const auto way : kWays) {
    const auto seen = outcomes([way](plumb::Program& p, Outcome& outcome) {
      std::atomic<int> v{0};
      p.thread([&] { outcome[0] = way(v); });
      p.thread([&] { v = 1; });
      p.run();
    });
    EXPECT_EQ(seen, (Outcomes{{kSeen, 0}, {kTimedOut, 0}}));
    const auto alone = outcomes([way](plumb::Program& p, Outcome& outcome) {
      std::atomic<int> v{0};
      for (std::size_t i : {0, 1}) {
        p.thread([&, i] { outcome[i] = way(v); });
      }
      p.run();
    });
    EXPECT_EQ(alone, (Outcomes{{kTimedOut, kTimedOut}})) << "it ends, although nothing comes";
    const auto there = outcomes([way](plumb::Program& p, Outcome& outcome) {
      std::atomic<int> never{0};
      std::atomic<int> v{1};
      p.thread([&] { outcome[0] = way(never); });
      p.thread([&] { outcome[1] = way(v); });
      p.thread([&] { std::this_thread::sleep_for(1h); });
      p.run();
    });
    EXPECT_EQ(there, (Outcomes{{kTimedOut, kSeen}})) << "others may wait as long as they like";
  }
}

// What one thread tells another of the time lies in the past, however they meet.
TEST(Deadlines, NobodyIsEarlierThanWhatHeWasTold) {
  const auto told = [](plumb::Program& p, Outcome& outcome) {
    std::atomic<Clock::rep> by_atomic{0};
    std::mutex mutex;
    Clock::time_point by_mutex;
    p.thread([&] {
      std::this_thread::sleep_for(1s);
      by_atomic = Clock::now().time_since_epoch().count();
      const std::lock_guard lock(mutex);
      by_mutex = Clock::now();
    });
    p.thread([&] {
      const auto time = by_atomic.load();
      p.require(Clock::now().time_since_epoch().count() > time, "the atomic's is over");
      const std::lock_guard lock(mutex);
      p.require(Clock::now() > by_mutex, "that under the lock is over");
      std::thread another([&] { p.require(Clock::now() > by_mutex, "also for a new thread"); });
      another.join();
    });
    p.run();
    outcome[0] = Clock::now() > by_mutex ? 1 : 0;
  };
  EXPECT_EQ(outcomes(told), (Outcomes{{1, 0}}));
}

// How far each of them came, whoever looks at the clock, sleeps, or touches the same: the time
// depends on nothing else.
TEST(Deadlines, RandomOutcomesAreThoseWithoutReduction) {
  plumb::Rng random(17 + plumb::test::soak_seed());
  const auto programs = plumb::test::scaled(60);
  for (std::size_t n = 0; n < programs; ++n) {
    std::vector<std::vector<std::size_t>> threads(2);
    for (auto& thread : threads) {
      thread.resize(1 + random.below(3));
      for (auto& operation : thread) operation = random.below(8);
    }
    const auto program = [&](plumb::Program& p, Outcome& outcome) {
      std::atomic<int> words[2] = {0, 0};
      std::mutex mutex;
      for (std::size_t i = 0; i < threads.size(); ++i) {
        p.thread([&, i] {
          const auto begin = Clock::now();
          for (const std::size_t operation : threads[i]) {
            std::atomic<int>& word = words[operation % 2];
            int saw = 0;
            if (operation / 2 == 0) word = 1;
            if (operation / 2 == 1) saw = time_first(word);
            if (operation / 2 == 2) std::this_thread::sleep_for(1ms);
            if (operation / 2 == 3) {
              const std::lock_guard lock(mutex);
              saw = Clock::now() - begin > 1ms ? 1 : 2;
            }
            outcome[i] = outcome[i] * 4 + saw;
          }
        });
      }
      p.run();
    };
    const Outcomes all = outcomes(program, SearchOrder::kDepthFirst, plumb::kAnyPreemptions);
    EXPECT_EQ(outcomes(program, SearchOrder::kReduced, plumb::kAnyPreemptions), all)
        << fmt::format("program {}", n);
    EXPECT_EQ(outcomes(program, SearchOrder::kReduced, 2), outcomes(program, SearchOrder::kDepthFirst, 2))
        << fmt::format("program {} within two preemptions", n);
  }
}

// Its timed wait yields before it sleeps, and looks again when it has slept.
TEST(Deadlines, ASemaphoreInALoop) {
  const auto result = plumb::explore(
      [](plumb::Program& p) {
        std::counting_semaphore<2> free{0};
        for (int i = 0; i < 2; ++i) {
          p.thread([&] {
            while (!free.try_acquire_for(2ms)) {
            }
          });
        }
        p.thread([&] { free.release(2); });
        p.run();
      },
      {.preemptions = 0});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}
TEST(Deadlines, ASharedFutureInALoop) {
  const auto result = plumb::explore(
      [](plumb::Program& p) {
        std::promise<int> promise;
        const std::shared_future<int> future = promise.get_future().share();
        for (int i = 0; i < 2; ++i) {
          p.thread([&p, future] {
            while (future.wait_for(1ms) != std::future_status::ready) {
            }
            p.require(future.get() == 7, "it is ready");
          });
        }
        p.thread([&] { promise.set_value(7); });
        p.run();
      },
      {.preemptions = 1});
  EXPECT_TRUE(result.passed() && result.exhausted) << result.text();
}

}  // namespace
