// Runs that are too long for an exhaustive search: what a monitor has forgotten by then must not matter. Held
// against the ordinary check of the events up to the alarm, and of those before it.
#include <gtest/gtest.h>

#include <deque>

#include "support/scale.hpp"
#include "support/simulated_run.hpp"

namespace plumb::test {
namespace {

const Model& model_named(std::string_view name) { return *find_model(name).value(); }

// Different values into a queue, and out again.
WatchedRun queue_run(const RunShape& shape, std::uint64_t inserts_in_16, Rng& rng) {
  std::deque<Value> items;
  std::int64_t next = 1;
  const auto start = [&](Rng& random) {
    const bool inserts = random.below(16) < inserts_in_16;
    Op op{kNull, inserts ? "enqueue" : "dequeue", {}, std::nullopt};
    if (inserts) op.args = {Value::small(next++)};
    return op;
  };
  const auto effect = [&](const Op& op) {
    if (!op.args.empty()) return items.push_back(op.args[0]), kNull;
    if (items.empty()) return kNull;
    const Value out = items.front();
    items.pop_front();
    return out;
  };
  return SimulatedRun(shape, rng, start, effect).make();
}

// Two removals change places, or one finds nothing.
void spoil(WatchedRun& run, Rng& rng) {
  std::vector<Op*> removals;
  for (Op& op : run.script.operations) {
    if (op.args.empty() && op.result) removals.push_back(&op);
  }
  if (removals.size() < 2) return;
  const std::size_t i = rng.below(removals.size() - 1);
  if (rng.below(2) == 0) {
    std::swap(removals[i]->result, removals[i + 1]->result);
  } else {
    removals[i]->result = kNull;
  }
}

bool is_linearizable_up_to(const WatchedRun& run, std::size_t end, const Model& model) {
  return check(run.first(end).build(), model, CheckOptions()).value().outcome == Outcome::kHolds;
}

::testing::AssertionResult is_right(const WatchedRun& run, const Heard& heard, const Model& model) {
  const std::size_t events = run.steps.size();
  if (!heard.unjudged.empty()) return ::testing::AssertionFailure() << heard.unjudged;
  const bool too_early =
      heard.at != kNotHeard && is_linearizable_up_to(run, std::min(heard.at, events), model);
  const std::size_t before = heard.at == kNotHeard ? events : heard.at - 1;
  const bool too_late = !is_linearizable_up_to(run, before, model);
  if (!too_early && !too_late) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << "alarm after event " << static_cast<std::int64_t>(heard.at)
                                       << " too " << (too_early ? "early" : "late") << "\n"
                                       << run.text();
}

// A queue that is nearly empty, with dequeues open for long: many moments at which it may have been
// empty, more than are kept.
TEST(OnlineLong, AQueueThatIsOftenEmpty) {
  const Model& queue = model_named("queue");
  std::size_t alarms = 0;
  const std::size_t rounds = scaled(1500);
  for (const std::uint64_t seed : Seeds(rounds)) {
    Rng rng(seed);
    RunShape shape{3 + seed % 4, 1 + seed % 3, 60 + seed % 90};
    WatchedRun run = queue_run(shape, 2 + seed % 5, rng);
    if (seed % 3 != 0) spoil(run, rng);
    const Heard heard = watch(run, queue);
    alarms += heard.at == kNotHeard ? 0 : 1;
    ASSERT_TRUE(is_right(run, heard, queue)) << "seed " << seed;
  }
  EXPECT_GT(alarms, rounds / 20);
  EXPECT_LT(alarms, rounds - rounds / 5);
}

// More states than are kept at a time.
TEST(OnlineLong, ACounterWithPlainAddsAndNegativeAmounts) {
  const Model& counter = model_named("counter");
  Rng rng(2);
  std::int64_t count = 0;
  const auto start = [](Rng& random) {
    const Value amount = Value::small(static_cast<std::int64_t>(random.below(2'000)) - 900);
    switch (random.below(3)) {
      case 0:
        return Op{kNull, "add", {amount}, std::nullopt};
      case 1:
        return Op{kNull, "fetch_add", {amount}, std::nullopt};
      default:
        return Op{kNull, "read", {}, std::nullopt};
    }
  };
  const auto effect = [&](const Op& op) {
    const Value before = op.f == "add" ? kNull : Value::small(count);
    if (!op.args.empty()) count += op.args[0].small_integer();
    return before;
  };
  WatchedRun run = SimulatedRun({3, 0, scaled(250'000)}, rng, start, effect).make();
  EXPECT_EQ(watch(run, counter).at, kNotHeard);
  EXPECT_EQ(watch(run, counter).unjudged, "");
  run.script.operations.push_back({Value::small(7), "read", {}, Value::small(count + 1)});
  run.steps.push_back({WatchedRun::kCall, run.script.operations.size() - 1});
  run.steps.push_back({WatchedRun::kOk, run.script.operations.size() - 1});
  EXPECT_EQ(watch(run, counter).at, run.steps.size());
}

}  // namespace
}  // namespace plumb::test
