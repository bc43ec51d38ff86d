// Every built-in model at random: small histories, nearly right, with operations that crash. All engines must
// agree with the definition, and all they say must hold (see support/agree.hpp).
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/agree.hpp"
#include "support/model_name.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

using test::RandomShape;

class Random : public ::testing::TestWithParam<const Model*> {
 protected:
  // Histories of `count` seeds, of the shape that `shape_of` gives for each. Both verdicts must be common.
  template <class ShapeOf>
  void expect_agreement(std::size_t count, ShapeOf shape_of) {
    if (GetParam()->name().starts_with("java:")) count /= 5;  // ten classes, one implementation
    std::size_t linearizable = 0;
    for (const std::uint64_t seed : test::Seeds(count)) {
      Rng rng(seed * 7919);
      RandomShape shape = shape_of(rng);
      shape.peeks = seed % 3 == 0;
      const History history = test::RandomHistory(*GetParam(), shape, seed).make().build();
      ASSERT_TRUE(test::agree(history, *GetParam())) << "seed " << seed;
      linearizable += test::is_linearizable(history, *GetParam()) ? 1 : 0;
    }
    if (count < 100) return;
    EXPECT_GT(linearizable, count / 20) << "the histories are too often wrong to test much";
    EXPECT_LT(linearizable, count * 99 / 100) << "the histories are too seldom wrong to test much";
  }
};

TEST_P(Random, SmallHistories) {
  expect_agreement(test::scaled(3000), [](Rng& rng) {
    return RandomShape{.processes = 2 + rng.below(4), .operations = 4 + rng.below(5)};
  });
}

TEST_P(Random, CrashedOperations) {
  expect_agreement(test::scaled(1000), [](Rng& rng) {
    return RandomShape{
        .processes = 4 + rng.below(3), .operations = 6 + rng.below(3), .crash = 0.15, .spoil = 1.0};
  });
}

TEST_P(Random, EqualTimes) {
  expect_agreement(test::scaled(1000), [](Rng& rng) {
    const auto coarseness = static_cast<Time>(2 + rng.below(3));
    return RandomShape{
        .processes = 2 + rng.below(2), .operations = 4 + rng.below(4), .coarseness = coarseness};
  });
}

TEST_P(Random, SeveralObjects) {
  expect_agreement(test::scaled(1000), [](Rng& rng) {
    return RandomShape{
        .processes = 2 + rng.below(3), .operations = 6 + rng.below(5), .objects = 2 + rng.below(2)};
  });
}

// Few at a time, so that the histories can be longer.
TEST_P(Random, LongerHistories) {
  expect_agreement(test::scaled(300),
                   [](Rng&) { return RandomShape{.processes = 2, .operations = 14, .crash = 0.02}; });
}

INSTANTIATE_TEST_SUITE_P(Models, Random,
                         ::testing::ValuesIn(built_in_models().begin(), built_in_models().end()),
                         test::model_name);

}  // namespace
}  // namespace plumb
