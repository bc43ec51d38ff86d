// The plain search for queues against the definition, on random histories in which values repeat.
#include "proof/queue_sweep.hpp"

#include <gtest/gtest.h>

#include "support/scale.hpp"
#include "support/script.hpp"
#include "support/tiny.hpp"
#include "support/tiny_random.hpp"

namespace plumb {
namespace {

constexpr std::uint64_t kEnough = 1'000'000;

TEST(QueueSweep, AgreesWithTheDefinition) {
  const test::TinyObject& queue = test::tiny_object("queue");
  const Model& model = *find_model("queue").value();
  test::TinyOracle oracle(queue);
  std::size_t stuck = 0;
  const std::size_t count = test::scaled(30'000);
  for (const int values : {1, 2, 3}) {
    test::TinyRandom random(queue, 10 * test::soak_seed() + static_cast<std::uint64_t>(values), values);
    for (std::size_t i = 0; i < count; ++i) {
      const test::TinyHistory tiny = random.make();
      const History history = test::to_history(tiny, queue, 1);
      const auto bound = BoundHistory::bind(history, model);
      const QueueSwept swept = sweep_queue(*bound, history.events(), kEnough);
      ASSERT_EQ(swept, oracle.is_linearizable(tiny) ? QueueSwept::kPassed : QueueSwept::kStuck)
          << test::Script::of(history).text();
      stuck += swept == QueueSwept::kStuck ? 1 : 0;
    }
  }
  EXPECT_GT(stuck, count / 3);
}

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
  EXPECT_EQ(sweep_queue(*bound, history.events(), 10'000), QueueSwept::kGaveUp);
}

}  // namespace
}  // namespace plumb
