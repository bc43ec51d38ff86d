// Values that repeat, watched: the monitors by frontiers against the definition, at every event. They are told everything from
// the start, also what the monitors for different values would have judged before them.
#include <algorithm>
#include <array>

#include <gtest/gtest.h>

#include "spec/models.hpp"
#include "support/enumerate.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"
#include "support/watched_run.hpp"
#include "watch/online.hpp"

namespace plumb::test {
namespace {

struct Collection {
  std::string_view model;
  OnlineMaker make;
  std::string_view inserts;
  std::string_view removes;
};

constexpr std::array kCollections = {
    Collection{"queue", online_frontiers_queue, "enqueue", "dequeue"},
    Collection{"stack", online_frontiers_stack, "push", "pop"},
    Collection{"priority-queue", online_frontiers_priority_queue, "insert", "extract_min"},
};

const Model& model_of(const Collection& collection) { return *find_model(collection.model).value(); }

// What the monitor alone says, without others to fall back on.
Heard hear(const WatchedRun& run, const Collection& collection) {
  const Model& model = model_of(collection);
  const auto monitor = collection.make({&model, run.script.values, run.script.initial});
  std::vector<OnlineOp> ops(run.script.operations.size());
  for (std::size_t at = 0; at < run.steps.size(); ++at) {
    const auto [kind, i] = run.steps[at];
    const Op& op = run.script.operations[i];
    const Moment now = at + 1;
    if (kind == WatchedRun::kCall) {
      ops[i].operation = *find_operation(model, op.f);
      ops[i].role = model.operations()[ops[i].operation].role;
      ops[i].args.assign(op.args.begin(), op.args.end());
      ops[i].called = now;
    }
    const auto tell = [&] {
      switch (kind) {
        case WatchedRun::kCall:
          return monitor->call(ops[i], now);
        case WatchedRun::kOk:
          return monitor->ret(ops[i], op.result.value_or(kNull), now);
        case WatchedRun::kFail:
          return monitor->fail(ops[i], now);
        default:
          return monitor->lose(ops[i], now);
      }
    };
    const OnlineAnswer answer = tell();
    if (answer == OnlineAnswer::kCannotJudge) return {at + 1, monitor->why_not()};
    if (answer == OnlineAnswer::kViolation) return {at + 1, ""};
  }
  return {};
}

::testing::AssertionResult agrees(const WatchedRun& run, const Collection& collection) {
  return test::agrees(run, hear(run, collection), model_of(collection), Due::kAtOnce);
}

class OnlineFrontiers : public ::testing::TestWithParam<Collection> {};

TEST_P(OnlineFrontiers, AgreesWithTheDefinitionAtEveryEvent) {
  const Model& model = model_of(GetParam());
  std::size_t tried = 0;
  std::size_t wrong = 0;
  for (const std::uint64_t seed : Seeds(scaled(40'000))) {
    Rng rng(seed);
    RandomShape shape;
    shape.processes = 2 + seed % 4;
    shape.operations = 4 + seed % 7;
    shape.crash = seed % 3 == 0 ? 0.15 : 0.0;
    Script script = RandomHistory(model, shape, seed).make();
    // Few values, so that many are inside twice.
    const auto values = static_cast<std::int64_t>(1 + seed % 3);
    for (Op& op : script.operations) {
      for (Value& arg : op.args) arg = Value::small(arg.is_small() ? arg.small_integer() % values : 0);
      if (op.result && op.result->is_small()) op.result = Value::small(op.result->small_integer() % values);
    }
    const auto history = script.try_build();
    if (!history) continue;
    WatchedRun run = WatchedRun::of(*history);
    if (seed % 2 == 0) run.lose_some(rng, seed % 4 == 0 ? 0.1 : 0.0);
    ASSERT_TRUE(agrees(run, GetParam())) << "seed " << seed;
    ++tried;
    wrong += hear(run, GetParam()).at == kNotHeard ? 0 : 1;
  }
  EXPECT_GT(wrong, tried / 10) << "too seldom wrong to test much";
  EXPECT_LT(wrong, tried * 9 / 10) << "too often wrong to test much";
}

// Every history of a few operations, with those that never return.
TEST_P(OnlineFrontiers, AgreesOnAllSmallHistories) {
  const std::string in(GetParam().inserts);
  const std::string out(GetParam().removes);
  const Alphabet alphabet = {{in + "(1)", in + "(2)", out + ":1", out + ":2", out + ":null"},
                             {in + "(1)", in + "(2)", out}};
  Enumeration enumeration(alphabet, 3);
  constexpr std::array kShares = {1.0, 1.0, 1.0, 0.5, 0.01, 0.0003};  // by the number of operations
  for (std::size_t n = 1; n <= kShares.size(); ++n) {
    enumeration.run(n, std::min(1.0, kShares[n - 1] * test_scale()), [&](const History& history) {
      ASSERT_TRUE(agrees(WatchedRun::of(history), GetParam()));
    });
    if (HasFatalFailure()) return;
  }
}

INSTANTIATE_TEST_SUITE_P(Collections, OnlineFrontiers, ::testing::ValuesIn(kCollections),
                         [](const auto& tested) {
                           std::string name(tested.param.model);
                           std::erase(name, '-');
                           return name;
                         });

}  // namespace
}  // namespace plumb::test
