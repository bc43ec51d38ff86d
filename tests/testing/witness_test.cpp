// The search for a serial witness against the oracle: the same histories, with the serial runs as a model, judged by brute
// force. Random scenarios of a small deterministic object, random results and orders.
#include <gtest/gtest.h>

#include "plumb/check.hpp"
#include "testing/observation_file.hpp"
#include "testing/observed_history.hpp"
#include "testing/observed_model.hpp"
#include "testing/simulated.hpp"

namespace plumb::testing {
namespace {

// A random history of the scenario: calls and returns in some order, results often as some serial run has them.
void observe(ObservedHistory& observed, Rng& random, const TestCase& test, const Layout& layout) {
  observed.clear();
  Simulated object(test, layout);
  std::vector<std::size_t> next(layout.processes(), 0);
  std::vector<bool> open(layout.processes(), false);
  for (std::size_t steps = 2 * layout.size(); steps > 0;) {
    const std::size_t process = random.below(layout.processes());
    if (next[process] == layout.count(process)) continue;
    const std::size_t operation = layout.first(process) + next[process];
    --steps;
    if (!open[process]) {
      observed.call(operation);
    } else {
      const auto result = object.run(operation);
      observed.ret(operation, result && !random.chance(0.1)
                                  ? *result
                                  : test.values().integer(static_cast<std::int64_t>(random.below(3))));
      ++next[process];
    }
    open[process] = !open[process];
  }
}

using Witness = SimulatedTest;

TEST_F(Witness, AgreesWithBruteForce) {
  std::size_t linearizable = 0;
  std::size_t total = 0;
  for (int round = 0; round < 300; ++round) {
    const Scenario scenario = draw();
    const Layout layout(scenario);
    SerialTree tree(layout);
    fill(tree, test_, layout, {});
    const auto model = observed_model(test_, layout, tree);
    ObservedHistory observed(layout);
    for (int i = 0; i < 30; ++i) {
      observe(observed, random_, test_, layout);
      TreeSteps steps(tree, observed);
      const bool found = !refute(observed, happens_before_as_run(observed), steps);
      const auto verdict =
          check(observed.history(test_, layout), *model, {.engine = Engine::kBrute, .jobs = 1});
      ASSERT_TRUE(verdict.ok()) << verdict.error().message;
      ASSERT_EQ(found, verdict->outcome == plumb::Outcome::kHolds) << to_text(scenario);
      linearizable += found ? 1 : 0;
      ++total;
    }
  }
  EXPECT_GT(linearizable, total / 10);
  EXPECT_LT(linearizable, total);
}

TEST_F(Witness, ObservationFilesGiveTheSameTreeBack) {
  for (const auto format : {ObservationFormat::kXml, ObservationFormat::kJson}) {
    for (int round = 0; round < 100; ++round) {
      const Scenario scenario = draw();
      const Layout layout(scenario);
      SerialTree tree(layout);
      fill(tree, test_, layout, {});
      const std::string text = write_observations(test_, scenario, tree, format);
      const auto sets = read_observations(text, test_, format);
      ASSERT_TRUE(sets.ok()) << sets.error().text() << "\n" << text;
      ASSERT_EQ(sets->size(), 1);
      ASSERT_EQ(sets->front().scenario, scenario);
      SerialTree again(layout);
      for (const SerialHistory& history : sets->front().histories)
        ASSERT_FALSE(again.add(history.order, history.results));
      EXPECT_EQ(again.full(), tree.full());
      EXPECT_EQ(again.stuck(), tree.stuck());
      EXPECT_EQ(write_observations(test_, scenario, again, format), text);
    }
  }
}

TEST_F(Witness, BrokenObservationFilesAreRefusedWithTheirPlace) {
  const Scenario scenario{.before = {}, .threads = {{0}, {2}}, .after = {}};
  const Layout layout(scenario);
  SerialTree tree(layout);
  fill(tree, test_, layout, {});
  const auto broken = [&](ObservationFormat format, std::string_view name, std::string_view other) {
    std::string text = write_observations(test_, scenario, tree, format);
    for (std::size_t cut = 0; cut < text.size() - 1; ++cut) {
      const auto sets = read_observations(text.substr(0, cut), test_, format);
      EXPECT_TRUE(!sets.ok() || sets->empty()) << cut;
    }
    text.replace(text.find(name), name.size(), other);
    const auto sets = read_observations(text, test_, format);
    return sets.ok() ? "" : sets.error().text();
  };
  EXPECT_EQ(broken(ObservationFormat::kXml, "name=\"add\"", "name=\"sub\""),
            "5:1: the test Dummy has no operation sub(value=\"1\")");
  EXPECT_EQ(broken(ObservationFormat::kJson, "\"f\":\"add\"", "\"f\":\"sub\""),
            "1:53: the test Dummy has no operation sub with the arguments [1]");
  EXPECT_EQ(broken(ObservationFormat::kJson, "\"operation\":1", "\"operation\":7").substr(0, 2), "1:");
}

TEST_F(Witness, ContradictionsAreFound) {
  const Scenario scenario{.before = {}, .threads = {{0}, {2}}, .after = {}};
  const Layout layout(scenario);
  SerialTree tree(layout);
  const Value one = test_.values().integer(1);
  EXPECT_FALSE(tree.add({0, 1}, {one, one}));
  EXPECT_FALSE(tree.add({0, 1}, {one, one}));
  EXPECT_EQ(tree.full(), 1);
  const auto contradiction = tree.add({0, 1}, {one, std::nullopt});
  ASSERT_TRUE(contradiction);
  EXPECT_EQ(contradiction->order, (std::vector<std::size_t>{0, 1}));
  EXPECT_EQ(contradiction->before, one);
  EXPECT_FALSE(contradiction->now);
}

}  // namespace
}  // namespace plumb::testing
