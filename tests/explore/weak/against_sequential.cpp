// Random programs whose accesses are all sequentially consistent, or guarded by mutexes, do the same under both models, as C++ promises: two
// engines that share little are compared. The same for semaphores, condition variables, shared locks, barriers and what is done once. Where only atomics and mutexes
// are used, the graphs of sequential consistency are, one by one, what the reduction of schedules runs.
#include <pthread.h>
#include <semaphore.h>

#include <gtest/gtest.h>
#include <plumb/explore.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <random>
#include <set>
#include <shared_mutex>
#include <string>
#include <thread>
#include <vector>

#include "explore/explore_graphs.hpp"
#include "support/scale.hpp"

namespace {

struct Act {
  enum class Kind {
    kLoad,
    kStore,
    kAdd,
    kGuarded,
    kPost,
    kShared,
    kExclusive,
    kOnce,
    kNotify,
    kSpin,
    kRecursive,
    kThread,
    kTry,  // from here on: what may fail
    kTryAcquire,
    kTimed,
    kTryShared,
  } kind = Kind::kLoad;
  std::size_t which = 0;  // variable, or mutex
};
using Plan = std::vector<std::vector<Act>>;

constexpr auto kSimple = static_cast<unsigned>(Act::Kind::kPost);  // so many kinds are simple
constexpr auto kSure = static_cast<unsigned>(Act::Kind::kTry);
constexpr auto kKinds = static_cast<unsigned>(Act::Kind::kTryShared) + 1;

Plan random_plan(unsigned seed, unsigned kinds) {
  std::mt19937 random(seed);
  Plan plan(2 + random() % 2);
  const std::size_t most = plan.size() == 2 ? 4 : 2;
  for (auto& acts : plan) {
    for (std::size_t i = 0; i < 1 + random() % most; ++i)
      acts.push_back({static_cast<Act::Kind>(random() % kinds), random() % 2});
  }
  return plan;
}

class Run {
 public:
  void act(const Act& act, std::string& seen) {
    switch (act.kind) {
      case Act::Kind::kLoad:
        seen += std::to_string(variables_[act.which].load());
        break;
      case Act::Kind::kStore:
        variables_[act.which].store(static_cast<int>(seen.size()) + 2);
        break;
      case Act::Kind::kAdd:
        seen += std::to_string(variables_[act.which].fetch_add(1));
        break;
      case Act::Kind::kGuarded: {
        const std::lock_guard lock(mutexes_[act.which]);
        seen +=
            "g" + std::to_string(guarded_[act.which]++) + std::to_string(variables_[1 - act.which].load());
        break;
      }
      case Act::Kind::kTry:
        if (!mutexes_[act.which].try_lock()) {
          seen += "-";
          break;
        }
        seen += "t" + std::to_string(guarded_[act.which]++);
        mutexes_[act.which].unlock();
        break;
      default:
        use(act, seen);
    }
  }

  Run() { sem_init(&permits_, 0, 1); }
  Run(const Run&) = delete;
  Run& operator=(const Run&) = delete;
  ~Run() { sem_destroy(&permits_); }

 private:
  void use(const Act& act, std::string& seen) {
    switch (act.kind) {
      case Act::Kind::kPost:  // takes the permit first, so that it is never refused for good
        sem_wait(&permits_);
        seen += "p" + std::to_string(guarded_[2]++);
        sem_post(&permits_);
        break;
      case Act::Kind::kTryAcquire:
        if (sem_trywait(&permits_) == 0) {
          seen += "a" + std::to_string(guarded_[2]++);
          sem_post(&permits_);
        } else {
          seen += "-";
        }
        break;
      case Act::Kind::kShared: {
        const std::shared_lock lock(shared_);
        seen += "r" + std::to_string(guarded_[3]) + std::to_string(variables_[act.which].load());
        break;
      }
      case Act::Kind::kTryShared: {
        const std::shared_lock lock(shared_, std::try_to_lock);
        seen += lock.owns_lock() ? "r" + std::to_string(guarded_[3]) : "-";
        break;
      }
      case Act::Kind::kExclusive: {
        const std::lock_guard lock(shared_);
        seen += "w" + std::to_string(guarded_[3]++);
        break;
      }
      case Act::Kind::kOnce:
        std::call_once(once_, [&] { guarded_[4] = variables_[act.which].fetch_add(1) + 1; });
        seen += "o" + std::to_string(guarded_[4]);
        break;
      case Act::Kind::kNotify: {
        const std::lock_guard lock(mutexes_[0]);
        ++guarded_[0];
        act.which == 0 ? changed_.notify_one() : changed_.notify_all();
        break;
      }
      case Act::Kind::kTimed: {
        std::unique_lock lock(mutexes_[0]);
        const auto status = changed_.wait_for(lock, std::chrono::seconds(1));
        seen += (status == std::cv_status::timeout ? "l" : "n") + std::to_string(guarded_[0]++);
        break;
      }
      case Act::Kind::kRecursive: {
        const std::lock_guard once(recursive_);
        const std::lock_guard twice(recursive_);
        seen += "R" + std::to_string(guarded_[5]++);
        break;
      }
      case Act::Kind::kSpin: {
        while (flag_.test_and_set()) {
        }
        seen += "s" + std::to_string(guarded_[6]++);
        flag_.clear();
        break;
      }
      case Act::Kind::kThread: {
        int result = 0;
        std::thread inner([&] { result = variables_[act.which].fetch_add(1); });
        inner.join();
        seen += "T" + std::to_string(result);
        break;
      }
      default:
        break;
    }
  }

  std::array<std::atomic<int>, 2> variables_{};
  std::array<std::mutex, 2> mutexes_;
  std::array<int, 7> guarded_{};
  std::condition_variable changed_;
  std::shared_mutex shared_;
  std::recursive_mutex recursive_;
  std::once_flag once_;
  std::atomic_flag flag_;
  sem_t permits_{};
};

void perform(plumb::Program& program, const Plan& plan) {
  Run run;
  std::array<std::string, 3> seen;
  for (std::size_t thread = 0; thread < plan.size(); ++thread) {
    program.thread([&, thread] {
      for (const Act& act : plan[thread]) run.act(act, seen[thread]);
    });
  }
  program.run();
  program.observe(seen[0] + "/" + seen[1] + "/" + seen[2]);
}

struct Result {
  std::set<std::string> outcomes;
  std::uint64_t executions = 0;
  bool whole = false;
};

Result run(const Plan& plan, plumb::MemoryModel model) {
  const auto result = plumb::explore([&](plumb::Program& program) { perform(program, plan); },
                                     {.memory_model = model, .executions = 100'000});
  EXPECT_NE(result.verdict, plumb::Outcome::kViolation) << result.text();
  Result all{.executions = result.executions, .whole = result.exhausted};
  for (const auto& [outcome, executions] : result.outcomes) all.outcomes.insert(outcome);
  return all;
}

bool tries(const Plan& plan) {
  for (const auto& acts : plan) {
    if (std::any_of(acts.begin(), acts.end(), [](const Act& act) { return act.kind >= Act::Kind::kTry; }))
      return true;
  }
  return false;
}

// Those of both models. To fail to lock orders nothing: a thread that does may see older values afterwards.
void expect_same_outcomes(unsigned seed, unsigned kinds) {
  const Plan plan = random_plan(seed, kinds);
  const auto weak = run(plan, plumb::MemoryModel::kRc11).outcomes;
  const auto sequential = run(plan, plumb::MemoryModel::kSequential);
  if (!sequential.whole) return;
  if (tries(plan)) {
    EXPECT_TRUE(
        std::includes(weak.begin(), weak.end(), sequential.outcomes.begin(), sequential.outcomes.end()))
        << "seed " << seed;
  } else {
    EXPECT_EQ(weak, sequential.outcomes) << "seed " << seed;
  }
}

TEST(WeakRandom, SequentiallyConsistentProgramsDoTheSameUnderBothModels) {
  for (unsigned seed = 0; seed < plumb::test::scaled(100) && !HasFailure(); ++seed) {
    expect_same_outcomes(seed, kSimple);
    expect_same_outcomes(seed, kSure);
    expect_same_outcomes(seed, kKinds);
  }
}

TEST(WeakRandom, GraphsOfSequentialConsistencyAreWhatTheReductionRuns) {
  for (unsigned seed = 0; seed < plumb::test::scaled(200) && !HasFailure(); ++seed) {
    const Plan plan = random_plan(seed, kSimple);
    const Result schedules = run(plan, plumb::MemoryModel::kSequential);
    plumb::engine::search_sequential_graphs(true);
    const Result graphs = run(plan, plumb::MemoryModel::kRc11);
    plumb::engine::search_sequential_graphs(false);
    EXPECT_EQ(graphs.outcomes, schedules.outcomes) << "seed " << seed;
    EXPECT_EQ(graphs.executions, schedules.executions) << "seed " << seed;
  }
}

}  // namespace
