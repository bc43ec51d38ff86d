// The plain search for queues against the definition, on random histories in which values repeat.
#include "proof/queue_sweep.hpp"

#include <gtest/gtest.h>

#include "support/family_sweep.hpp"

namespace plumb {
namespace {

TEST(QueueSweep, AgreesWithTheDefinition) { test::expect_sweep_agrees("queue", sweep_queue); }

// Forty of each, all open at once: one step more is too much already.
TEST(QueueSweep, GivesUp) {
  constexpr std::int64_t kMany = 40;
  HistoryBuilder builder;
  for (std::int64_t i = 0; i < kMany; ++i) {
    const Value value = Value::small(i / 2);
    builder.add(Value::small(2 * i), builder.function("enqueue"), std::span(&value, 1), {}, i, 1000 + i);
    builder.add(Value::small(2 * i + 1), builder.function("dequeue"), {},
                {Value::small(i / 2 + (i == 39 ? 9 : 0)), true}, i, 3000 + i);
  }
  const History history = builder.finish().value();
  const auto bound = BoundHistory::bind(history, *find_model("queue").value());
  EXPECT_EQ(sweep_queue(*bound, history.events(), 10'000), FamilySwept::kGaveUp);
}

}  // namespace
}  // namespace plumb
