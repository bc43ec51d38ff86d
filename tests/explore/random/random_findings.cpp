// The reduction against plain depth-first search on small random programs of which many are wrong: both find a fault, of the
// same kind, or neither does, and then both see the same outcomes. Programs that lock and wait can only deadlock, programs
// that share plain variables can only race, so that there is one kind to find.
#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <semaphore>
#include <shared_mutex>
#include <vector>

#include <fmt/format.h>
#include <semaphore.h>

#include "base/rng.hpp"
#include "explore/programs.hpp"
#include "explore/states/explore_states.hpp"
#include "support/scale.hpp"

namespace {

struct Operation {
  std::size_t kind = 0;
  std::size_t first = 0;
  std::size_t second = 0;
};
using Threads = std::vector<std::vector<Operation>>;

Threads random_program(plumb::Rng& random, std::size_t kinds) {
  Threads threads(2 + random.below(2));
  for (auto& thread : threads) {
    thread.resize(1 + random.below(threads.size() == 2 ? 3 : 2));
    for (Operation& operation : thread) operation = {random.below(kinds), random.below(2), random.below(2)};
  }
  return threads;
}

// Locks in any order, waits that may be forever.
struct Waits {
  static constexpr std::size_t kKinds = 12;
  // Two threads that take both mutexes at once.
  static bool may_livelock(const Threads& threads) {
    return std::ranges::count_if(threads, [](const auto& thread) {
             return std::ranges::any_of(thread,
                                        [](const Operation& operation) { return operation.kind == 10; });
           }) > 1;
  }
  std::array<std::mutex, 2> mutexes;
  std::array<std::shared_mutex, 2> shared;
  std::recursive_mutex recursive;
  std::condition_variable changed;
  std::array<std::atomic<int>, 2> words{};
  std::binary_semaphore free{1};
  sem_t gate{};
  std::once_flag once;
  int flag = 0;     // guarded by the first mutex
  int guarded = 0;  // by the second

  Waits() { sem_init(&gate, 0, 0); }
  ~Waits() { sem_destroy(&gate); }
  Waits(const Waits&) = delete;
  Waits& operator=(const Waits&) = delete;

  int run(const Operation& operation) {
    const auto [kind, first, second] = operation;
    switch (kind) {
      case 0:  // deadlocks where both are the same, and where another thread takes them the other way round
        return first == second ? locked(first) : nested(first, second);
      case 1: {
        const std::lock_guard held(mutexes[first]);
        const std::unique_lock tried(mutexes[1 - first], std::try_to_lock);
        return tried.owns_lock() ? 1 : 0;
      }
      case 2: {
        const std::shared_lock held(shared[first]);
        return locked(second);
      }
      case 3: {
        const std::lock_guard held(mutexes[second]);
        const std::unique_lock inner(shared[first]);
        return words[0].load();
      }
      case 4: {
        std::unique_lock held(mutexes[0]);
        changed.wait(held, [this] { return flag > 0; });
        return flag--;
      }
      case 5: {
        const std::lock_guard held(mutexes[0]);
        ++flag;
        second == 0 ? changed.notify_one() : changed.notify_all();
        return flag;
      }
      case 6:
        words[first].wait(0);
        return words[first].load();
      case 7:
        words[first].store(static_cast<int>(second) + 1);
        words[first].notify_all();
        return 0;
      case 8:
        return sem_wait(&gate);
      case 9:
        return sem_post(&gate);
      case 10: {
        // Never a deadlock by itself; but it backs off without waiting, and two threads may do so in step forever.
        const std::scoped_lock both(mutexes[first], mutexes[1 - first]);
        return guarded;
      }
      default: {
        const std::lock_guard outer(recursive);
        const std::lock_guard inner(recursive);
        std::call_once(once, [this] { words[1].fetch_add(2); });
        return words[1].load();
      }
    }
  }

 private:
  int locked(std::size_t which) {
    const std::lock_guard held(mutexes[which]);
    return which == 0 ? flag : guarded++;  // adjacent: g++ would like to load both
  }
  int nested(std::size_t first, std::size_t second) {
    const std::lock_guard outer(mutexes[first]);
    const std::lock_guard inner(mutexes[second]);
    return guarded++;
  }
};

// Plain variables: with the lock that belongs to them or with another one, behind a flag or not. Nothing waits.
struct Shares {
  static constexpr std::size_t kKinds = 9;
  static bool may_livelock(const Threads&) { return false; }
  std::array<std::mutex, 2> mutexes;
  std::array<std::shared_mutex, 2> shared;
  std::array<int, 2> plain{};
  std::array<std::atomic<bool>, 2> published{};
  std::array<std::atomic<bool>, 2> done{};

  int run(const Operation& operation) {
    const auto [kind, first, second] = operation;
    switch (kind) {
      case 0:
      case 1: {
        const std::lock_guard held(mutexes[first]);
        return plain[first]++;
      }
      case 2: {
        const std::lock_guard held(mutexes[first]);
        return plain[second];
      }
      case 3: {
        const std::shared_lock held(shared[first]);
        return plain[second];
      }
      case 4: {
        const std::lock_guard both(shared[first]);
        const std::lock_guard held(mutexes[first]);
        return ++plain[first];
      }
      case 5:
        return published[first].exchange(true, std::memory_order_acq_rel) ? plain[first] : 0;
      case 6:  // whether it comes before what the next one reads is seen in no value
        plain[first] = 1;
        published[first].store(true, std::memory_order_release);
        done[first].store(true, std::memory_order_relaxed);
        return 0;
      case 7:
        (void)published[first].load(std::memory_order_acquire);
        return done[first].load(std::memory_order_relaxed) ? plain[first] : 0;
      default: {
        const std::lock_guard held(mutexes[first]);
        const int seen = ++plain[first];
        published[second].store(true, std::memory_order_release);
        return seen;
      }
    }
  }
};

// Plain variables that nothing guards, on purpose: each access is a step. Some belong to one thread, as far as the program goes.
struct Races {
  static constexpr std::size_t kKinds = 5;
  static constexpr bool kOnPurpose = true;
  static bool may_livelock(const Threads&) { return false; }
  std::mutex mutex;
  std::array<int, 3> plain{};
  std::atomic<int> counter{0};

  int run(const Operation& operation) {
    const auto [kind, first, second] = operation;
    switch (kind) {
      case 0:
        return plain[first]++;
      case 1:
        return plain[second + 1];
      case 2:
        plain[first + second] = 7;
        return 0;
      case 3:
        return counter.fetch_add(plain[first] + 1);
      default: {
        const std::lock_guard held(mutex);
        return plain[first] += 3;
      }
    }
  }
};
template <class Object>
constexpr bool races_on_purpose() {
  return requires { Object::kOnPurpose; };
}

constexpr std::uint64_t kMostExecutions = 10'000;

// What is found, and all outcomes, each as a hash. The list has room beforehand: memory made during an execution is gone
// after it.
template <class Object>
plumb::Exploration outcomes(const Threads& threads, plumb::SearchOrder order,
                            plumb::PreemptionBound preemptions, std::vector<std::uint64_t>& out) {
  out.clear();
  out.reserve(kMostExecutions + 10);  // and those beside the search
  plumb::ExploreOptions options{.order = order, .preemptions = preemptions};
  options.races = !races_on_purpose<Object>();
  options.plain_points = races_on_purpose<Object>();
  if (order != plumb::SearchOrder::kStates) options.executions = kMostExecutions;
  auto result = plumb::explore(
      [&](plumb::Program& p) {
        Object object;
        std::array<std::uint64_t, 3> seen{};
        for (std::size_t i = 0; i < threads.size(); ++i) {
          p.thread([&, i] {
            for (const Operation& operation : threads[i]) {
              seen[i] = (seen[i] + static_cast<std::uint64_t>(object.run(operation)) + 1) *
                        0x9E37'79B9'7F4A'7C15ULL;
            }
          });
        }
        p.run();
        // Where a search of states goes on by schedules it may be more; to grow inside of the program is no choice.
        if (out.size() < out.capacity()) out.push_back(seen[0] + seen[1] * 31 + seen[2] * 961);
      },
      options);
  if (out.size() == out.capacity()) result.ended_by = plumb::SearchEnd::kExecutions;
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return result;
}

// For messages: what the threads do, as cases of run().
std::string told(const Threads& threads) {
  std::string text;
  for (const auto& thread : threads) {
    for (const auto& [kind, first, second] : thread) text += fmt::format("{}({},{}) ", kind, first, second);
    text += "| ";
  }
  return text;
}

template <class Object>
void compare(plumb::SearchOrder order, std::uint64_t salt, plumb::FindingKind only, std::size_t count) {
  plumb::Rng random(salt + plumb::test::soak_seed());
  std::vector<std::uint64_t> few_outcomes;
  std::vector<std::uint64_t> all_outcomes;
  std::size_t passed = 0;
  std::size_t found = 0;
  for (const std::uint64_t i : plumb::test::Seeds(count)) {
    const Threads threads = random_program(random, Object::kKinds);
    for (const plumb::PreemptionBound bound :
         {plumb::kAnyPreemptions, plumb::PreemptionBound(0), plumb::PreemptionBound(2)}) {
      const std::string within = bound.most() ? "bound " + std::to_string(*bound.most()) : "no bound";
      const auto few = outcomes<Object>(threads, order, bound, few_outcomes);
      // Of programs in which every access is a step there are too many schedules to run them all.
      const auto reference =
          races_on_purpose<Object>() ? plumb::SearchOrder::kReduced : plumb::SearchOrder::kDepthFirst;
      const auto all = outcomes<Object>(threads, reference, bound, all_outcomes);
      if (all.ended_by == plumb::SearchEnd::kExecutions || few.ended_by == plumb::SearchEnd::kExecutions)
        continue;  // too many to compare
      ASSERT_EQ(few.kind, all.kind) << "program " << i << ", " << told(threads) << within << "\n"
                                    << few.text() << all.text();
      const bool expected = few.kind == only || few.passed() ||
                            (few.kind == plumb::FindingKind::kLivelock && Object::may_livelock(threads));
      ASSERT_TRUE(expected) << "program " << i << "\n" << few.text();
      // States find circles that only an unfair schedule goes on with; then schedules, which are fair, are searched.
      if (!Object::may_livelock(threads))
        ASSERT_EQ(few.beyond_states, "") << "program " << i << ", " << told(threads) << within;
      if (few.passed() && races_on_purpose<Object>() && bound.most()) {
        // Before it is known which accesses are steps, threads may stop at fewer places, but also run on there without a preemption.
        ASSERT_TRUE(std::ranges::includes(few_outcomes, all_outcomes)) << "program " << i << ", " << within;
      } else if (few.passed()) {
        ASSERT_EQ(few_outcomes, all_outcomes) << "program " << i << ", " << within;
      }
      ++(few.passed() ? passed : found);
    }
  }
  if (count < 20) return;
  if (races_on_purpose<Object>()) {
    EXPECT_GT(passed, count) << "too few programs come to an end to test much";
    return;
  }
  EXPECT_GT(passed, count / 4) << "the programs are too often wrong to test much";
  EXPECT_GT(found, count / 4) << "the programs are too seldom wrong to test much";
}

TEST(RandomFindings, DeadlocksAreFoundByBoth) {
  compare<Waits>(plumb::SearchOrder::kReduced, 11, plumb::FindingKind::kDeadlock, plumb::test::scaled(40));
}

TEST(RandomFindings, RacesAreFoundByBoth) {
  compare<Shares>(plumb::SearchOrder::kReduced, 12, plumb::FindingKind::kRace, plumb::test::scaled(40));
}

TEST(RandomFindings, DeadlocksAreFoundByStates) {
  plumb::engine::search_states_both_ways(true);
  // Among the next ones is a program whose threads give way to each other, of which the search does not always end in minutes.
  compare<Waits>(plumb::SearchOrder::kStates, 13, plumb::FindingKind::kDeadlock, plumb::test::scaled(20));
  plumb::engine::search_states_both_ways(false);
}

// A relaxed load, as in atomic::wait, may see what was released after all threads know of that: then it is forgotten where keys are made
// of the states on the way, and not where a path is run again.
TEST(RandomFindings, WhatRelaxedLoadsSawMakesNoOtherState) {
  const Threads threads{{{9, 1, 0}}, {{7, 1, 0}, {0, 1, 1}}, {{0, 1, 1}, {6, 1, 0}}};
  std::vector<std::uint64_t> seen;
  plumb::engine::search_states_both_ways(true);
  const auto found = outcomes<Waits>(threads, plumb::SearchOrder::kStates, plumb::PreemptionBound(2), seen);
  plumb::engine::search_states_both_ways(false);
  EXPECT_EQ(found.beyond_states, "");
  EXPECT_TRUE(found.passed()) << found.text();
}

// Where plain accesses are steps, a search of states takes for steps only those that others can conflict with.
TEST(RandomFindings, RacesOnPurposeHaveTheSameOutcomesByStates) {
  plumb::engine::search_states_both_ways(true);
  compare<Races>(plumb::SearchOrder::kStates, 15, plumb::FindingKind::kRace, plumb::test::scaled(60));
  plumb::engine::search_states_both_ways(false);
}

TEST(RandomFindings, RacesAreFoundByStates) {
  plumb::engine::search_states_both_ways(true);
  compare<Shares>(plumb::SearchOrder::kStates, 14, plumb::FindingKind::kRace, plumb::test::scaled(200));
  plumb::engine::search_states_both_ways(false);
}

}  // namespace
