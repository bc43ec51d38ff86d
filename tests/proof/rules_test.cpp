// The rules keep what is linearizable linearizable, whatever core they are asked for; and the plain search
// that the verifier relies on agrees with the definition. Both at random, on every model.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "proof/rules.hpp"
#include "proof/sweep.hpp"
#include "support/model_name.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"
#include "support/sub_history.hpp"

namespace plumb {
namespace {

class Rules : public ::testing::TestWithParam<const Model*> {
 protected:
  static test::RandomShape shape_of(Rng& rng) {
    test::RandomShape shape{.processes = 2 + rng.below(3), .operations = 4 + rng.below(4), .crash = 0.08};
    shape.spoil = rng.chance(0.5) ? 0.0 : 1.0;
    if (rng.chance(0.2)) shape.objects = 2;
    if (rng.chance(0.2)) shape.coarseness = 2;
    shape.peeks = rng.chance(0.3);
    return shape;
  }
};

// 8,000 histories a model, 104,000 in all, each under every rule, alone and after the others.
TEST_P(Rules, KeepWhatIsLinearizable) {
  const Model& model = *GetParam();
  std::size_t applied = 0;
  for (std::uint64_t seed = 1; seed <= test::scaled(8000); ++seed) {
    Rng rng(seed * 104'729);
    const History history = test::RandomHistory(model, shape_of(rng), seed).make().build();
    if (history.empty() || !test::is_linearizable(history, model, history.events())) continue;
    const auto bound = BoundHistory::bind(history, model);
    ASSERT_TRUE(bound);
    OperationSet core(history.size());
    for (OperationId id = 0; id < history.size(); ++id) {
      if (rng.chance(0.3)) core.add(id);
    }
    const auto last = static_cast<OperationId>(rng.below(history.size()));
    std::vector<Rule> rules = {Rule::kPart, Rule::kCut, Rule::kValues, Rule::kUnchanging};
    std::rotate(rules.begin(), rules.begin() + static_cast<std::ptrdiff_t>(rng.below(rules.size())),
                rules.end());
    std::vector<Event> events(history.events().begin(), history.events().end());
    for (const Rule rule : rules) {
      auto left = apply_rule(rule, *bound, events, core, last);
      if (!left) continue;
      applied += left->size() < events.size() ? 1 : 0;
      events = std::move(*left);
      ASSERT_TRUE(test::is_linearizable(history, model, events))
          << "seed " << seed << ", rule " << to_string(rule) << "\n"
          << test::Script::of(history).text();
    }
  }
  EXPECT_GT(applied, test::scaled(2000));
}

// The return it is stuck at is the first that no order passes; what it says of the states before is true.
TEST_P(Rules, ThePlainSearchAgreesWithTheDefinition) {
  const Model& model = *GetParam();
  for (std::uint64_t seed = 1; seed <= test::scaled(2000); ++seed) {
    Rng rng(seed * 7919);
    test::RandomShape shape = shape_of(rng);
    shape.objects = 1;
    shape.crash = rng.chance(0.5) ? 0.25 : 0.05;
    const History history = test::RandomHistory(model, shape, seed).make().build();
    const auto bound = BoundHistory::bind(history, model);
    ASSERT_TRUE(bound);
    std::vector<Event> events(history.events().begin(), history.events().end());
    events.resize(rng.below(events.size() + 1));  // cut off anywhere
    const auto states = test::states_of(history, model);
    const Swept swept = sweep(*bound, events, *states, {});
    ASSERT_NE(swept.kind, Swept::Kind::kGaveUp);
    ASSERT_EQ(swept.kind == Swept::Kind::kPassed, test::is_linearizable(history, model, events))
        << "seed " << seed << ", " << events.size() << " events\n"
        << test::Script::of(history).text();
    if (swept.kind == Swept::Kind::kPassed) continue;
    if (std::ranges::any_of(model.operations(), &OperationSpec::extends)) continue;  // it looked ahead
    const std::span<const Event> until = std::span<const Event>(events).first(swept.position + 1);
    EXPECT_FALSE(test::is_linearizable(history, model, until)) << "seed " << seed;
    EXPECT_TRUE(test::is_linearizable(history, model, until.first(swept.position))) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Rules,
                         ::testing::ValuesIn(built_in_models().begin(), built_in_models().end()),
                         test::model_name);

TEST(Sweep, GivesUpWhenToldTo) {
  const History history = test::draw(
                              "|--write(1)--|\n"
                              "|--write(2)--|\n"
                              "|--write(3)--|\n"
                              "               |-read:4-|\n")
                              .build();
  const auto bound = BoundHistory::bind(history, *find_model("register").value());
  const auto states = test::states_of(history, bound->model());
  EXPECT_EQ(sweep(*bound, history.events(), *states, {.configurations = 5}).kind, Swept::Kind::kGaveUp);
  EXPECT_EQ(sweep(*bound, history.events(), *states, {}).kind, Swept::Kind::kStuck);
}

// A rule is refused where its proof does not hold.
TEST(ValuesRule, NotWhereAFailedCasMinds) {
  const Model& model = *find_model("register").value();
  const History history = test::draw("|-write(1)-| |-write(2)-| |-cas(1, 3):false-|").build();
  const auto bound = BoundHistory::bind(history, model);
  const OperationSet core(history.size(), std::vector<OperationId>{0, 2});
  EXPECT_FALSE(apply_rule(Rule::kValues, *bound, history.events(), core, 2));
}

TEST(ValuesRule, KeepsWhatIsInsideFromTheBeginning) {
  test::Script script = test::draw("|-dequeue:1-| |-enqueue(2)-| |-dequeue:2-|");
  script.initial = script.values->array(std::vector<Value>{Value::small(1)});
  const History history = script.build();
  const auto bound = BoundHistory::bind(history, *find_model("queue").value());
  const auto left = apply_rule(Rule::kValues, *bound, history.events(), OperationSet(history.size()), 0);
  ASSERT_TRUE(left);
  EXPECT_EQ(operations_of(*left), std::vector<OperationId>{0});
}

}  // namespace
}  // namespace plumb
