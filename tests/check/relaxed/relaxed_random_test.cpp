// The relaxed search against the definition, on many small histories.
#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/quasi_oracle.hpp"
#include "support/quasi_random.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"

namespace plumb::test {
namespace {

constexpr std::uint32_t kMostPlaces = 3;

std::string removal_of(const std::string& model) {
  return model == "queue" ? "dequeue" : model == "stack" ? "pop" : "extract_min";
}

Verdict verdict_of(const History& history, const Model& model, std::vector<Relaxation> relax,
                   Engine engine = Engine::kAuto) {
  CheckOptions relaxed = options(engine);
  relaxed.relax = std::move(relax);
  relaxed.max_k = kMostPlaces;
  return check(history, model, relaxed).value();
}

// Both say the same, and the orders of what is accepted are what the definition asks for.
bool agrees(const Script& script, const Model& model, const std::vector<Relaxation>& relax, Engine engine) {
  const History history = script.build();
  std::vector<std::uint32_t> k(model.operations().size());
  for (const Relaxation& one : relax) k[find_operation(model, one.operation).value()] = *one.k;
  const bool expected = QuasiOracle(history, model, k).accepts();
  const Verdict verdict = verdict_of(history, model, relax, engine);
  EXPECT_EQ(verdict.outcome, expected ? Outcome::kHolds : Outcome::kViolation)
      << verdict.why << " k=" << *relax[0].k << "\n"
      << script.text();
  if (expected) expect_close_orders(history, model, verdict);
  return !testing::Test::HasFailure();
}

struct Tried {
  std::size_t accepted = 0;
  std::size_t refused = 0;
};

// Every k from 0 on, and the smallest.
bool agrees_for_each_k(const Script& script, const Model& model, const std::string& removal, Tried& tried) {
  const History history = script.build();
  std::optional<std::uint32_t> smallest;
  for (std::uint32_t k = 0; k <= kMostPlaces; ++k) {
    std::vector<std::uint32_t> places(model.operations().size());
    places[find_operation(model, removal).value()] = k;
    const bool expected = smallest || QuasiOracle(history, model, places).accepts();
    if (expected && !smallest) smallest = k;
    const Verdict verdict = verdict_of(history, model, {{removal, k}});
    EXPECT_EQ(verdict.outcome, expected ? Outcome::kHolds : Outcome::kViolation)
        << verdict.why << " k=" << k << "\n"
        << script.text();
    if (expected) expect_close_orders(history, model, verdict);
    (expected ? tried.accepted : tried.refused)++;
    if (testing::Test::HasFailure()) return false;
  }
  const Verdict found = verdict_of(history, model, {{removal, std::nullopt}});
  EXPECT_EQ(found.outcome, smallest ? Outcome::kHolds : Outcome::kViolation) << script.text();
  if (smallest) {
    EXPECT_EQ(*found.relax.at(0).k, *smallest) << script.text();
  }
  return !testing::Test::HasFailure();
}

class RelaxedRandom : public testing::TestWithParam<const char*> {};

TEST_P(RelaxedRandom, AgreesWithTheDefinition) {
  const std::string name = GetParam();
  const Model& model = *find_model(name).value();
  Tried tried;
  const std::size_t count = scaled(50'000);
  for (const std::uint64_t seed : Seeds(count)) {
    QuasiShape shape{.model = name,
                     .operations = 3 + seed % 5,
                     .processes = 1 + seed / 5 % 3,
                     .reach = 1 + seed / 15 % 3,
                     .crash = seed % 4 == 3 ? 0.1 : 0.0};
    if (seed % 6 == 5) shape.values = 2;
    ASSERT_TRUE(agrees_for_each_k(QuasiHistory(shape, seed).make(), model, removal_of(name), tried)) << seed;
  }
  EXPECT_GT(tried.accepted, count / 4);
  EXPECT_GT(tried.refused, count / 4);
}
INSTANTIATE_TEST_SUITE_P(Models, RelaxedRandom, testing::Values("queue", "stack", "priority-queue"));

// Any class of any model, one or several at once, with pending operations and several objects.
TEST(RelaxedRandom, EveryModelAndSeveralClasses) {
  for (const Model* model : built_in_models()) {
    const auto operations = model->operations();
    for (const std::uint64_t seed : Seeds(scaled(1'500))) {
      Rng rng(seed);
      const RandomShape shape{.processes = 1 + rng.below(3), .operations = 3 + rng.below(4), .crash = 0.1};
      std::vector<Relaxation> relax;
      for (const OperationSpec& operation : operations) {
        if (rng.chance(0.6)) relax.push_back({operation.name, static_cast<std::uint32_t>(rng.below(4))});
      }
      if (relax.empty()) relax.push_back({operations[0].name, 2});
      const Engine engine = seed % 3 == 0 ? Engine::kWgl : seed % 3 == 1 ? Engine::kBrute : Engine::kAuto;
      ASSERT_TRUE(agrees(RandomHistory(*model, shape, seed).make(), *model, relax, engine))
          << model->name() << " " << seed;
    }
  }
}

}  // namespace
}  // namespace plumb::test
