// Every monitor against the definition on random histories: small ones, many of them (see support/tiny.hpp).
// scripts/soak runs this with other seeds (PLUMB_TEST_SEED) for as long as it is told.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "support/scale.hpp"
#include "support/tiny_compare.hpp"
#include "support/tiny_random.hpp"

namespace plumb {
namespace {

using test::TinyObject;

class RandomMonitor : public ::testing::TestWithParam<TinyObject> {};

TEST_P(RandomMonitor, AgreesWithTheDefinition) {
  test::TinyComparison comparison(GetParam());
  test::TinyRandom random(GetParam(), 100 * test::soak_seed() + GetParam().model.size());
  const std::size_t count = test::scaled(200'000);
  for (std::size_t i = 0; i < count; ++i) {
    comparison.look(random.make());
    if (HasFatalFailure()) return;
  }
  comparison.print_summary();
  const auto& counts = comparison.counts();
  EXPECT_GT(counts.linearizable, counts.histories / 5) << "too often wrong to test much";
  EXPECT_LT(counts.linearizable, counts.histories * 4 / 5) << "too seldom wrong to test much";
  EXPECT_GT(counts.by_monitor, counts.histories * 6 / 10) << "the monitor had too little to say";
}

// Numbers that lie close together are treated apart.
TEST(RandomPriorityQueue, AgreesWithTheDefinitionWhereValuesAreFarApart) {
  const TinyObject& object = *std::ranges::find(test::tiny_objects(), "priority-queue", &TinyObject::model);
  test::TinyComparison comparison(object, std::int64_t{1} << 20U);
  test::TinyRandom random(object, 100 * test::soak_seed() + 7);
  const std::size_t count = test::scaled(50'000);
  for (std::size_t i = 0; i < count; ++i) {
    comparison.look(random.make());
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(comparison.counts().by_monitor, count * 6 / 10);
}

INSTANTIATE_TEST_SUITE_P(Monitors, RandomMonitor, ::testing::ValuesIn(test::tiny_objects()),
                         [](const auto& tested) {
                           std::string name(tested.param.model);
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

}  // namespace
}  // namespace plumb
