// A user's class that claims a family, against the definition: it gets the family's monitor, and the verdicts are those of the
// class. See monitor_random_test.cpp, which does the same for the built-in models.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include "support/own_classes.hpp"
#include "support/scale.hpp"
#include "support/tiny_compare.hpp"
#include "support/tiny_random.hpp"

namespace plumb {
namespace {

TEST(OwnClass, OfEveryFamilyAgreesWithTheDefinition) {
  for (const test::OwnClass& own : test::own_classes()) {
    test::TinyComparison comparison(own.tiny, *own.model);
    test::TinyRandom random(own.tiny, 100 * test::soak_seed() + 31 + own.tiny.model.size());
    const std::size_t count = test::scaled(10'000);
    for (std::size_t i = 0; i < count; ++i) {
      comparison.look(random.make());
      if (HasFatalFailure()) return;
    }
    const auto& counts = comparison.counts();
    EXPECT_GT(counts.linearizable, counts.histories / 5) << own.model->name();
    EXPECT_LT(counts.linearizable, counts.histories * 4 / 5) << own.model->name();
    EXPECT_GT(counts.by_monitor, counts.histories * 6 / 10) << own.model->name();
  }
}

}  // namespace
}  // namespace plumb
