// What is said of the operation that is stuck, after a long way: a search that begins close to the end must say what one from
// the beginning does. Only of models that do not look ahead: the others begin at the beginning.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <plumb/explain.hpp>
#include <plumb/generate.hpp>

#include "base/rng.hpp"
#include "check/partition.hpp"
#include "support/scale.hpp"
#include "support/script.hpp"

namespace plumb::test {
namespace {

// In the middle of others, and perhaps still possible.
History with_another_result(const History& history, Rng& rng) {
  Script script = Script::of(history);
  Op& op = script.operations[rng.below(script.operations.size())];
  if (!op.is_pending() && op.result && op.result->is_small())
    op.result = Value::small(op.result->small_integer() + 1);
  return script.build();
}

std::vector<std::string> sorted(std::vector<std::string> texts) {
  std::ranges::sort(texts);
  return texts;
}

// True: there was a violation to look at.
bool expect_the_same(const History& history, const Model& model) {
  const auto bound = BoundHistory::bind(history, model);
  const Partition partition(*bound, PartitionBy::kObject);
  const Part& part = partition.parts()[0];
  const Budget budget(std::nullopt, nullptr);
  const SearchLimits limits{.budget = &budget, .memory = std::size_t{1} << 28U, .configurations = 1'000'000};
  const auto states = [&] { return std::move(model.states(history.values(), history.initial()).value()); };
  const PartVerdict verdict = search_wgl(part, *states(), limits);
  if (verdict.outcome != Outcome::kViolation) return false;
  DeadEnd from_the_beginning;
  from_the_beginning.operation = verdict.stuck.operation;
  explain_dead_end(part, *states(), limits, from_the_beginning);
  EXPECT_EQ(verdict.stuck.allowed, from_the_beginning.allowed);
  EXPECT_EQ(verdict.stuck.allowed_complete, from_the_beginning.allowed_complete);
  EXPECT_EQ(verdict.stuck.returned_before, from_the_beginning.returned_before);
  EXPECT_EQ(sorted(verdict.stuck.states), sorted(from_the_beginning.states));
  EXPECT_EQ(verdict.stuck.prefix.size(), from_the_beginning.prefix.size());
  std::vector<OperationId> order;
  for (const Point point : verdict.stuck.prefix) order.push_back(point.operation);
  EXPECT_EQ(walk(history, model, order).size(), order.size());
  for (OperationId i = 0; i < history.size(); ++i) {
    if (history.ret(i) < history.ret(verdict.stuck.operation)) {
      EXPECT_EQ(std::ranges::count(order, i), 1) << history.describe(i);
    }
  }
  return true;
}

class Allowed : public testing::TestWithParam<const char*> {};

TEST_P(Allowed, IsTheSameFromCloseToTheEndAndFromTheBeginning) {
  const Model& model = *find_model(GetParam()).value();
  const std::size_t rounds = scaled(60);
  std::size_t violations = 0;
  for (std::size_t seed = 1; seed <= rounds; ++seed) {
    GenerateOptions shape;
    shape.model = model.name();
    shape.operations = 60 + 5 * seed;
    shape.processes = 2 + seed % 4;
    shape.overlap = seed % 3 == 0 ? 1.0 : 0.4;
    shape.pending = seed % 5 == 0 ? 0.02 : 0.0;
    shape.seed = seed;
    shape.spoil = seed % 2 == 0;
    const auto made = generate(shape);
    ASSERT_TRUE(made.ok()) << made.error().text();
    Rng rng(seed);
    violations +=
        expect_the_same(shape.spoil ? made->history : with_another_result(made->history, rng), model) ? 1 : 0;
    if (HasFailure()) {
      FAIL() << model.name() << ", seed " << seed;
    }
  }
  EXPECT_GT(violations, rounds / 3);
}

INSTANTIATE_TEST_SUITE_P(Models, Allowed,
                         testing::Values("register", "counter", "mutex", "multiset", "semaphore"));

}  // namespace
}  // namespace plumb::test
