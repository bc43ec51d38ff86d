// The reduction against plain depth-first search on small random programs: the same set of outcomes (what
// every step read, and what is left at the end), the same traces, and no trace twice. Under a bound: the same
// outcomes and traces as depth first under the same bound, also with what the trace does not tell: time,
// loops that wait, who is woken.
#include <semaphore.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "base/rng.hpp"
#include "explore/programs.hpp"
#include "explore/states/explore_states.hpp"
#include "support/scale.hpp"

namespace {

struct Operation {
  enum Kind : std::uint8_t {
    kLoad,
    kStore,
    kAdd,
    kExchange,
    kCompareExchange,
    kLocked,
    kTryLocked,
    kStepsOnly,  // those above do nothing but steps
    kYield = kStepsOnly,
    kLoop,
    kClock,
    kWaitTimed,
    kNotifyOne,
    kSmall,
    kTryAcquire,
    kPost,
    kKinds
  };
  Kind kind = kLoad;
  std::size_t variable = 0;
  int value = 0;
};
using Threads = std::vector<std::vector<Operation>>;

Threads random_program(plumb::Rng& random, Operation::Kind kinds) {
  Threads threads(2 + random.below(2));
  for (auto& thread : threads) {
    thread.resize(1 + random.below(threads.size() == 2 ? 4 : 2));
    for (Operation& operation : thread) {
      operation = {static_cast<Operation::Kind>(random.below(kinds)), random.below(2),
                   static_cast<int>(random.below(3))};
    }
  }
  return threads;
}

struct Shared {
  std::array<std::atomic<int>, 2> variables{};
  std::array<std::atomic<bool>, 2> small{};  // in one word
  std::mutex mutex;
  std::condition_variable changed;
  sem_t free{};
  int guarded = 0;

  // A loop that waits, but not forever.
  static int wait(const std::atomic<int>& variable) {
    int rounds = 0;
    while (variable.load() == 0 && rounds < 6) ++rounds;
    return rounds;
  }
  int wait_timed() {
    std::unique_lock lock(mutex);
    return changed.wait_for(lock, std::chrono::seconds(1)) == std::cv_status::timeout ? 1 : 0;
  }

  int run(const Operation& operation) {
    std::atomic<int>& variable = variables[operation.variable];
    int expected = operation.value;
    switch (operation.kind) {
      case Operation::kLoad:
        return variable.load();
      case Operation::kStore:
        variable.store(operation.value);
        return 0;
      case Operation::kAdd:
        return variable.fetch_add(operation.value);
      case Operation::kExchange:
        return variable.exchange(operation.value);
      case Operation::kCompareExchange:
        return variable.compare_exchange_strong(expected, 5) ? 100 : expected;
      case Operation::kLocked: {
        const std::lock_guard lock(mutex);
        return guarded++;
      }
      case Operation::kTryLocked: {
        const std::unique_lock lock(mutex, std::try_to_lock);
        return lock.owns_lock() ? guarded++ : 200;
      }
      case Operation::kYield:
        std::this_thread::yield();
        return 0;
      case Operation::kLoop:
        return wait(variable);
      case Operation::kClock:
        return static_cast<int>(std::chrono::steady_clock::now().time_since_epoch().count() / 1000 % 100'000);
      case Operation::kWaitTimed:
        return wait_timed();
      case Operation::kNotifyOne:
        changed.notify_one();
        return 0;
      case Operation::kSmall:
        return small[operation.variable].exchange(operation.value == 0) ? 1 : 0;
      case Operation::kTryAcquire:
        return sem_trywait(&free);
      case Operation::kPost:
        return sem_post(&free);
      case Operation::kKinds:
        break;
    }
    return 0;
  }
};

constexpr std::uint64_t kMostExecutions = 200'000;

std::uint64_t mix(std::uint64_t hash, int value) {
  return (hash + static_cast<std::uint64_t>(value) + 1) * 0x9E37'79B9'7F4A'7C15ULL;
}

// All outcomes, each as a hash. The list has room beforehand: memory made during an execution is gone after
// it.
plumb::Exploration outcomes(const Threads& threads, plumb::SearchOrder order,
                            plumb::PreemptionBound preemptions, std::vector<std::uint64_t>& out) {
  out.clear();
  out.reserve(kMostExecutions + 10);  // and those beside the search
  auto result = plumb::explore(
      [&](plumb::Program& p) {
        Shared shared;
        std::array<std::uint64_t, 3> seen{};
        for (std::size_t i = 0; i < threads.size(); ++i) {
          p.thread([&, i] {
            for (const Operation& operation : threads[i]) seen[i] = mix(seen[i], shared.run(operation));
          });
        }
        p.run();
        std::uint64_t hash = mix(mix(mix(0, shared.variables[0]), shared.variables[1]), shared.guarded);
        for (const std::uint64_t thread : seen) hash = hash * 31 + thread;
        out.push_back(hash);
      },
      order == plumb::SearchOrder::kStates ? plumb::ExploreOptions{.order = order, .preemptions = preemptions}
                                           : plumb::ExploreOptions{.order = order,
                                                                   .preemptions = preemptions,
                                                                   .executions = kMostExecutions,
                                                                   .count_traces = true});
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return result;
}

TEST(RandomPrograms, TheReductionLosesNothing) {
  plumb::Rng random(5 + plumb::test::soak_seed());
  std::vector<std::uint64_t> few_outcomes;
  std::vector<std::uint64_t> all_outcomes;
  for (const std::uint64_t i : plumb::test::Seeds(plumb::test::scaled(100))) {
    const Threads threads = random_program(random, Operation::kStepsOnly);
    const auto few = outcomes(threads, plumb::SearchOrder::kReduced, plumb::kAnyPreemptions, few_outcomes);
    const auto all = outcomes(threads, plumb::SearchOrder::kDepthFirst, plumb::kAnyPreemptions, all_outcomes);
    ASSERT_TRUE(few.passed()) << few.text();
    ASSERT_TRUE(all.passed()) << all.text();
    ASSERT_EQ(few_outcomes, all_outcomes) << "program " << i;
    ASSERT_EQ(few.traces, all.traces) << "program " << i;
    ASSERT_EQ(few.executions, few.traces) << "program " << i;
  }
}

TEST(RandomPrograms, TheReductionUnderABoundLosesNothing) {
  plumb::Rng random(6 + plumb::test::soak_seed());
  std::vector<std::uint64_t> few_outcomes;
  std::vector<std::uint64_t> all_outcomes;
  for (const std::uint64_t i : plumb::test::Seeds(plumb::test::scaled(50))) {
    const Threads threads = random_program(random, i % 2 == 0 ? Operation::kKinds : Operation::kStepsOnly);
    for (unsigned bound = 0; bound <= 3; ++bound) {
      const auto few = outcomes(threads, plumb::SearchOrder::kReduced, bound, few_outcomes);
      const auto all = outcomes(threads, plumb::SearchOrder::kDepthFirst, bound, all_outcomes);
      if (all.ended_by == plumb::SearchEnd::kExecutions) break;  // too many to compare with
      ASSERT_TRUE(few.passed()) << few.text();
      ASSERT_TRUE(all.passed()) << all.text();
      ASSERT_EQ(few_outcomes, all_outcomes) << "program " << i << ", bound " << bound;
      ASSERT_EQ(few.traces, all.traces) << "program " << i << ", bound " << bound;
      ASSERT_LE(few.executions, all.executions) << "program " << i << ", bound " << bound;
    }
  }
}

// Each state once: the same outcomes as every schedule, whatever the bound. Where a state is more than can be
// saved (the time), schedules are searched, and that is said.
TEST(RandomPrograms, TheSearchOfStatesLosesNothing) {
  plumb::engine::search_states_both_ways(true);
  plumb::Rng random(7 + plumb::test::soak_seed());
  std::vector<std::uint64_t> few_outcomes;
  std::vector<std::uint64_t> all_outcomes;
  std::size_t by_states = 0;
  for (const std::uint64_t i : plumb::test::Seeds(plumb::test::scaled(60))) {
    const Threads threads = random_program(random, i % 4 == 0 ? Operation::kKinds : Operation::kStepsOnly);
    for (const plumb::PreemptionBound bound :
         {plumb::kAnyPreemptions, plumb::PreemptionBound(0), plumb::PreemptionBound(1),
          plumb::PreemptionBound(2), plumb::PreemptionBound(3)}) {
      const auto few = outcomes(threads, plumb::SearchOrder::kStates, bound, few_outcomes);
      const auto all = outcomes(threads, plumb::SearchOrder::kDepthFirst, bound, all_outcomes);
      if (all.ended_by == plumb::SearchEnd::kExecutions) continue;  // too many to compare with
      ASSERT_TRUE(few.passed()) << few.text();
      ASSERT_EQ(few_outcomes, all_outcomes)
          << "program " << i << ", bound " << (bound.most() ? static_cast<int>(*bound.most()) : -1);
      if (few.beyond_states.empty()) ++by_states;
      ASSERT_TRUE(i % 4 == 0 || few.beyond_states.empty()) << few.beyond_states;
    }
  }
  EXPECT_GT(by_states, plumb::test::scaled(60));
  plumb::engine::search_states_both_ways(false);
}

}  // namespace
