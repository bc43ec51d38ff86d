// The searches by frontiers against the definition, on random histories in which values repeat: small ones, many of them (see
// support/tiny.hpp). scripts/soak runs this with other seeds (PLUMB_TEST_SEED) for as long as it is told.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "support/scale.hpp"
#include "support/tiny_compare.hpp"
#include "support/tiny_random.hpp"

namespace plumb {
namespace {

using test::TinyObject;

struct Repeated {
  std::string_view model;
  int values;  // so many different ones
};

class RandomFrontier : public ::testing::TestWithParam<Repeated> {};

TEST_P(RandomFrontier, AgreesWithTheDefinition) {
  const TinyObject& object = *std::ranges::find(test::tiny_objects(), GetParam().model, &TinyObject::model);
  test::TinyComparison comparison(object);
  comparison.ask(Engine::kAuto, "frontier");
  test::TinyRandom random(object, 1000 * test::soak_seed() + static_cast<std::uint64_t>(GetParam().values),
                          GetParam().values);
  const std::size_t count = test::scaled(100'000);
  for (std::size_t i = 0; i < count; ++i) {
    comparison.look(random.make());
    if (HasFatalFailure()) return;
  }
  comparison.print_summary();
  const auto& counts = comparison.counts();
  EXPECT_GT(counts.linearizable, counts.histories / 5) << "too often wrong to test much";
  EXPECT_LT(counts.linearizable, counts.histories * 9 / 10) << "too seldom wrong to test much";
  EXPECT_GT(counts.by_monitor, counts.histories * 4 / 10) << "frontiers had too little to say";
}

INSTANTIATE_TEST_SUITE_P(Repeated, RandomFrontier,
                         ::testing::Values(Repeated{"queue", 1}, Repeated{"queue", 2}, Repeated{"queue", 3},
                                           Repeated{"stack", 1}, Repeated{"stack", 2}, Repeated{"stack", 3},
                                           Repeated{"priority-queue", 2}, Repeated{"priority-queue", 3}),
                         [](const auto& tested) {
                           std::string name(tested.param.model);
                           std::ranges::replace(name, '-', '_');
                           return name + std::to_string(tested.param.values);
                         });

}  // namespace
}  // namespace plumb
