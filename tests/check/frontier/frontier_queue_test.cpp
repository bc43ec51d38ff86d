// Queues in which removals never returned: what these may have taken is weighed against who returns later
// (frontier_queue.cpp), so the first impossible return is looked for among cuts. It must be that of the definition.
#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/earliest.hpp"
#include "support/oracle.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

bool is_lost_removal(const test::Op& op) { return op.is_pending() && op.args.empty(); }

TEST(FrontierQueue, NamesTheFirstImpossibleReturnBesideLostRemovals) {
  const Model& model = *find_model("queue").value();
  std::size_t violations = 0;
  for (const std::uint64_t seed : test::Seeds(test::scaled(4000))) {
    Rng rng(seed * 31 + 7);
    const test::RandomShape shape{
        .processes = 2 + rng.below(3), .operations = 6 + rng.below(4), .crash = 0.3, .spoil = 0.7};
    test::Script script = test::RandomHistory(model, shape, seed).make();
    if (rng.chance(0.6)) {  // different values, and results that change hands
      std::int64_t next = 1;
      for (test::Op& op : script.operations) {
        if (!op.args.empty()) op.args[0] = Value::small(next++);
      }
      for (test::Op& op : script.operations) {
        if (op.args.empty() && op.result && op.result->is_small())
          op.result =
              Value::small(static_cast<std::int64_t>(1 + rng.below(static_cast<std::uint64_t>(next))));
      }
    }
    const auto history = script.try_build();
    if (!history || std::ranges::none_of(script.operations, is_lost_removal)) continue;
    const auto earliest = test::earliest_impossible(*history, model);
    for (const Engine engine : {Engine::kFrontier, Engine::kAuto}) {
      const auto verdict = check(*history, model, test::options(engine));
      ASSERT_TRUE(verdict.ok());
      ASSERT_EQ(verdict->outcome, earliest ? Outcome::kViolation : Outcome::kHolds) << script.text();
      if (earliest) {
        ASSERT_EQ(verdict->violation->stuck, *earliest) << to_string(verdict->engines) << script.text();
      }
    }
    violations += earliest ? 1 : 0;
  }
  EXPECT_GT(violations, test::scaled(4000) / 10);
}

}  // namespace
}  // namespace plumb
