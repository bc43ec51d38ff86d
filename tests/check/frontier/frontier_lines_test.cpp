// More operations that never return than a mask has bits: they stand in lines (frontier_order.hpp). Of those that do the same,
// no more than the history has others can be of use; so with as many of them all must be as with far more.
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/oracle.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

struct Pending {
  std::string model;
  std::vector<std::string> calls;  // that may never return
};

// The script, with so many more pending ones of some kinds, called at some moments between its events.
History with_pending(const test::Script& script, const Pending& pending, std::size_t many,
                     std::uint64_t seed) {
  test::Script all = script;
  Time last = 0;
  for (test::Op& op : all.operations) {
    op.call = 2 * op.call + 2;
    if (!op.is_pending()) op.ret = 2 * op.ret + 2;
    last = std::max(last, op.is_pending() ? op.call : op.ret);
  }
  Rng rng(seed);
  int process = 1000;
  for (std::size_t times = 1 + rng.below(2); times > 0; --times) {
    const std::string& call = pending.calls[rng.below(pending.calls.size())];
    const auto moment = static_cast<Time>(2 * rng.below(static_cast<std::uint64_t>(last / 2)) + 1);
    for (std::size_t i = 0; i < many; ++i) all.add(process++, call, moment, kNever);
  }
  return all.build();
}

class FrontierLines : public ::testing::TestWithParam<Pending> {};

TEST_P(FrontierLines, FarMoreAreAsGoodAsEnough) {
  constexpr std::size_t kOperations = 8;
  constexpr std::size_t kFarMore = 70;
  const Model& model = *find_model(GetParam().model).value();
  const auto options = test::options(Engine::kFrontier);
  std::size_t linearizable = 0;
  const std::size_t count = test::scaled(400);
  for (const std::uint64_t seed : test::Seeds(count)) {
    const test::RandomShape shape{.processes = 3, .operations = kOperations, .crash = 0.05};
    const test::Script script = test::RandomHistory(model, shape, seed).make();
    const History few = with_pending(script, GetParam(), kOperations, seed);
    const History many = with_pending(script, GetParam(), kFarMore, seed);
    const auto with_few = check(few, model, options);
    const auto with_many = check(many, model, options);
    ASSERT_NE(with_many->outcome, Outcome::kUnknown) << with_many->why;
    ASSERT_EQ(with_few->outcome, with_many->outcome) << "seed " << seed << test::Script::of(few).text();
    if (with_many->outcome == Outcome::kHolds) {
      ++linearizable;
      ASSERT_TRUE(test::is_witness(many, model, with_many->linearization)) << "seed " << seed;
    } else {
      ASSERT_EQ(with_few->violation->stuck, with_many->violation->stuck) << "seed " << seed;
      ASSERT_EQ(with_few->violation->allowed, with_many->violation->allowed) << "seed " << seed;
    }
  }
  EXPECT_GT(linearizable, count / 20);
  EXPECT_LT(linearizable, count);
}

INSTANTIATE_TEST_SUITE_P(
    Objects, FrontierLines,
    ::testing::Values(Pending{"queue", {"enqueue(1)", "enqueue(2)", "dequeue"}},
                      Pending{"deque", {"push_front(1)", "push_back(2)", "pop_front", "pop_back"}},
                      Pending{"priority-queue", {"insert(1)", "insert(2)", "extract_min"}}));

}  // namespace
}  // namespace plumb
