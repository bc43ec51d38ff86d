// Cuts judged by monitors, against the definition.
#include "check/cut.hpp"

#include <gtest/gtest.h>

#include <plumb/generate.hpp>

#include "check/monitors/monitor.hpp"
#include "spec/models.hpp"
#include "support/model_name.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"
#include "support/sub_history.hpp"

namespace plumb {
namespace {

class Cut : public ::testing::TestWithParam<const Model*> {};

// Generated ones have different values, and results that change hands make them wrong in ways that matter.
TEST_P(Cut, IsJudgedAsTheDefinitionSays) {
  const Model& model = *GetParam();
  if (find_monitor(known_family(model)) == nullptr) GTEST_SKIP() << "no monitor";
  std::size_t judged = 0;
  for (const std::uint64_t seed : test::Seeds(test::scaled(600))) {
    Rng rng(seed * 15'485'863 + 5);
    GenerateOptions options{.model = std::string(model.name()), .operations = 4 + rng.below(6)};
    options.processes = 2 + rng.below(4);
    options.keys = 1;
    options.overlap = 0.9;
    options.pending = rng.chance(0.2) ? 0.1 : 0.0;
    options.seed = seed + 1;
    const auto generated = generate(options);
    ASSERT_TRUE(generated);
    test::Script script = test::Script::of(generated->history);
    for (std::size_t changes = rng.below(3); changes > 0; --changes) {
      test::Op& a = script.operations[rng.below(script.operations.size())];
      test::Op& b = script.operations[rng.below(script.operations.size())];
      if (a.f == b.f && a.result && b.result) std::swap(a.result, b.result);
    }
    const auto history = script.try_build();
    if (!history || history->empty()) continue;
    const auto bound = BoundHistory::bind(*history, model);
    ASSERT_TRUE(bound);
    for (std::size_t end = 1; end <= history->events().size(); ++end) {
      const auto events = history->events().first(end);
      const Outcome outcome = judge_cut(*bound, events).outcome;
      if (outcome == Outcome::kUnknown) continue;
      ++judged;
      const bool linearizable = test::is_linearizable(*history, model, events);
      ASSERT_EQ(outcome, linearizable ? Outcome::kHolds : Outcome::kViolation)
          << "seed " << seed << ", " << end << " events\n"
          << script.text();
    }
  }
  EXPECT_GT(judged, 100U);
}

INSTANTIATE_TEST_SUITE_P(Models, Cut, ::testing::ValuesIn(built_in_models().begin(), built_in_models().end()),
                         test::model_name);

}  // namespace
}  // namespace plumb
