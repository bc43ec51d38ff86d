// The watcher against the definition: at every event, what it says must be what an exhaustive search says of
// the events so far, with the open operations pending.
#include <gtest/gtest.h>

#include "support/enumerate.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"
#include "support/watched_run.hpp"

namespace plumb::test {
namespace {

const Model& model_named(std::string_view name) { return *find_model(name).value(); }

::testing::AssertionResult agrees(const History& history, const Model& model, Due due) {
  return agrees(WatchedRun::of(history), model, due);
}

struct Watched {
  std::string model;
  Due due;
};

class Online : public ::testing::TestWithParam<Watched> {};

TEST_P(Online, AgreesWithTheDefinitionAtEveryEvent) {
  const Model& model = model_named(GetParam().model);
  const std::size_t rounds = scaled(6000);
  for (const std::uint64_t seed : Seeds(rounds)) {
    RandomShape shape;
    shape.processes = 2 + seed % 3;
    shape.operations = 4 + seed % 5;
    shape.crash = seed % 2 == 0 ? 0.0 : 0.1;
    shape.peeks = seed % 3 == 0;
    const Script script = RandomHistory(model, shape, seed).make();
    const auto history = script.try_build();
    if (!history) continue;
    WatchedRun run = WatchedRun::of(*history);
    Rng rng(seed);
    if (seed % 4 > 1) run.lose_some(rng, 0.1);
    ASSERT_TRUE(agrees(run, model, GetParam().due)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Online,
                         ::testing::Values(Watched{"queue", Due::kAtOnce}, Watched{"set", Due::kAtOnce},
                                           Watched{"register", Due::kAtOnce},
                                           Watched{"priority-queue", Due::kAtQuiescence},
                                           Watched{"mutex", Due::kAtOnce}, Watched{"counter", Due::kAtOnce},
                                           Watched{"stack", Due::kAtQuiescence}, Watched{"map", Due::kAtOnce},
                                           Watched{"deque", Due::kAtQuiescence},
                                           Watched{"multiset", Due::kAtOnce}),
                         [](const auto& chosen) {
                           std::string name = chosen.param.model;
                           std::erase(name, '-');
                           return name;
                         });

// Values that are all different, so that the special monitors judge to the end.
Script make_different(Script script, std::string_view inserts, std::string_view removes, Rng& rng) {
  std::vector<Value> inserted;
  std::int64_t next = 1;
  for (Op& op : script.operations) {
    if (op.f != inserts) continue;
    op.args = {Value::small(next++)};
    inserted.push_back(op.args[0]);
  }
  for (Op& op : script.operations) {
    if (op.f != removes || op.is_pending()) continue;
    if (inserted.empty() || rng.below(4) == 0) {
      op.result = kNull;
      continue;
    }
    // mostly the next one in order, sometimes any
    const std::size_t k = rng.below(3) == 0 ? rng.below(inserted.size()) : 0;
    op.result = inserted[k];
    if (rng.below(16) != 0) inserted.erase(inserted.begin() + static_cast<std::ptrdiff_t>(k));
  }
  return script;
}

class OnlineDifferent
    : public ::testing::TestWithParam<std::tuple<std::string, std::string, std::string, Due>> {};

TEST_P(OnlineDifferent, AgreesWithTheDefinition) {
  const auto& [name, inserts, removes, due] = GetParam();
  const Model& model = model_named(name);
  const std::size_t rounds = scaled(40000);
  for (const std::uint64_t seed : Seeds(rounds)) {
    Rng rng(seed);
    RandomShape shape;
    shape.processes = 2 + seed % 4;
    shape.operations = 4 + seed % 6;
    shape.crash = name != "priority-queue" && seed % 3 == 0 ? 0.1 : 0.0;
    shape.spoil = 0;
    const Script script = make_different(RandomHistory(model, shape, seed).make(), inserts, removes, rng);
    const auto history = script.try_build();
    ASSERT_TRUE(history);
    WatchedRun run = WatchedRun::of(*history);
    if (seed % 4 > 1) run.lose_some(rng, 0.1);
    ASSERT_TRUE(agrees(run, model, due)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OnlineDifferent,
                         ::testing::Values(std::tuple("queue", "enqueue", "dequeue", Due::kAtOnce),
                                           std::tuple("register", "write", "read", Due::kAtOnce),
                                           std::tuple("priority-queue", "insert", "extract_min",
                                                      Due::kAtQuiescence)),
                         [](const auto& chosen) {
                           std::string name = std::get<0>(chosen.param);
                           std::erase(name, '-');
                           return name;
                         });

// Every history of a few operations.
void exhaust(std::string_view model, const Alphabet& alphabet, std::size_t most, int processes, Due due) {
  Enumeration enumeration(alphabet, processes);
  for (std::size_t n = 1; n <= most; ++n) {
    const double share = (n == most ? 0.2 : 1.0) * test_scale();
    enumeration.run(n, share,
                    [&](const History& history) { ASSERT_TRUE(agrees(history, model_named(model), due)); });
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(OnlineExhaustive, Queue) {
  exhaust("queue",
          {{"enqueue(1)", "enqueue(2)", "dequeue:1", "dequeue:2", "dequeue:null"}, {"enqueue(1)", "dequeue"}},
          4, 3, Due::kAtOnce);
}
TEST(OnlineExhaustive, QueueWithPeek) {
  exhaust("queue", {{"enqueue(1)", "enqueue(2)", "dequeue:1", "peek:1", "peek:2", "peek:null"}, {"dequeue"}},
          4, 3, Due::kAtQuiescence);
}
TEST(OnlineExhaustive, Set) {
  exhaust("set",
          {{"add(1):true", "add(1):false", "remove(1):true", "remove(1):false", "contains(1):true",
            "contains(1):false"},
           {"add(1)", "remove(1)", "contains(1)"}},
          4, 4, Due::kAtOnce);
}
TEST(OnlineExhaustive, PriorityQueue) {
  exhaust("priority-queue",
          {{"insert(1)", "insert(2)", "extract_min:1", "extract_min:2", "extract_min:null"},
           {"insert(1)", "extract_min"}},
          4, 3, Due::kAtQuiescence);
}
TEST(OnlineExhaustive, Register) {
  exhaust("register", {{"write(1)", "write(2)", "read:null", "read:1", "read:2"}, {"write(1)", "read"}}, 4, 3,
          Due::kAtOnce);
}

}  // namespace
}  // namespace plumb::test
