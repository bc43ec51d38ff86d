// Random programs whose accesses are all sequentially consistent, or guarded by mutexes, do the same under both models, as C++ promises: two
// engines that share little are compared.
#include <gtest/gtest.h>
#include <plumb/explore.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <vector>

namespace {

struct Act {
  enum class Kind { kLoad, kStore, kAdd, kGuarded, kTry } kind = Kind::kLoad;
  std::size_t which = 0;  // variable, or mutex
};
using Plan = std::vector<std::vector<Act>>;

Plan random_plan(unsigned seed) {
  std::mt19937 random(seed);
  Plan plan(2 + random() % 2);
  const std::size_t most = plan.size() == 2 ? 4 : 2;
  const bool tries = random() % 3 == 0;
  for (auto& acts : plan) {
    for (std::size_t i = 0; i < 1 + random() % most; ++i)
      acts.push_back({static_cast<Act::Kind>(random() % (tries ? 5 : 4)), random() % 2});
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
    }
  }

 private:
  std::array<std::atomic<int>, 2> variables_{};
  std::array<std::mutex, 2> mutexes_;
  std::array<int, 2> guarded_{};
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

std::set<std::string> outcomes(const Plan& plan, plumb::MemoryModel model) {
  const auto result =
      plumb::explore([&](plumb::Program& program) { perform(program, plan); }, {.memory_model = model});
  EXPECT_TRUE(result.passed()) << result.text();
  std::set<std::string> all;
  for (const auto& [outcome, executions] : result.outcomes) all.insert(outcome);
  return all;
}

bool tries(const Plan& plan) {
  for (const auto& acts : plan) {
    for (const Act& act : acts) {
      if (act.kind == Act::Kind::kTry) return true;
    }
  }
  return false;
}

// To fail to lock orders nothing: a thread that does may see older values afterwards.
TEST(WeakRandom, SequentiallyConsistentProgramsDoTheSameUnderBothModels) {
  for (unsigned seed = 0; seed < 300 && !HasFailure(); ++seed) {
    const Plan plan = random_plan(seed);
    const auto weak = outcomes(plan, plumb::MemoryModel::kRc11);
    const auto sequential = outcomes(plan, plumb::MemoryModel::kSequential);
    if (tries(plan)) {
      EXPECT_TRUE(std::includes(weak.begin(), weak.end(), sequential.begin(), sequential.end()))
          << "seed " << seed;
    } else {
      EXPECT_EQ(weak, sequential) << "seed " << seed;
    }
  }
}

}  // namespace
