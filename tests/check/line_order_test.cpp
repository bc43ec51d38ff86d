// The verdict is about what happened, not about the order in which it was written down: the lines of small
// histories with equal times, in every order, have one verdict, whichever engine gives it.
#include <algorithm>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "base/rng.hpp"

namespace plumb {
namespace {

struct Line {
  int process;
  bool writes;
  int value;
  Time call;
  Time ret;
};

Result<History> history_of(const std::vector<Line>& lines) {
  HistoryBuilder builder;
  const FunctionId write = builder.function("write");
  const FunctionId read = builder.function("read");
  for (const Line& line : lines) {
    const Value value = Value::small(line.value);
    const HistoryBuilder::Completed read_it{value, line.ret != kNever};
    builder.add(Value::small(line.process), line.writes ? write : read,
                line.writes ? std::span(&value, 1) : std::span<const Value>(),
                line.writes ? HistoryBuilder::Completed{kNull, false} : read_it, line.call, line.ret);
  }
  return builder.finish();
}

TEST(LineOrder, HasNoSayInTheVerdict) {
  const Model& model = *find_model("register").value();
  Rng rng(31);
  int refused = 0;
  int violations = 0;
  int linearizable = 0;
  for (int round = 0; round < 1500; ++round) {
    std::vector<Line> lines;
    for (int i = 0; i < 4; ++i) {
      const auto call = static_cast<Time>(rng.below(3));
      const Time ret = rng.below(8) == 0 ? kNever : call + static_cast<Time>(rng.below(3) == 0 ? 1 : 0);
      lines.push_back(
          {static_cast<int>(rng.below(2)), rng.below(2) == 0, static_cast<int>(rng.below(2)), call, ret});
    }
    std::vector<std::size_t> order(lines.size());
    std::iota(order.begin(), order.end(), 0U);
    const auto first = history_of(lines);
    refused += first.ok() ? 0 : 1;
    std::optional<Outcome> expected;
    do {
      std::vector<Line> moved;
      for (const std::size_t i : order) moved.push_back(lines[i]);
      const auto history = history_of(moved);
      ASSERT_EQ(history.ok(), first.ok()) << "round " << round;
      if (!history) continue;
      for (const Engine engine : {Engine::kAuto, Engine::kWgl, Engine::kBrute}) {
        CheckOptions options;
        options.engine = engine;
        const auto verdict = check(*history, model, options);
        ASSERT_TRUE(verdict.ok());
        if (!expected) expected = verdict->outcome;
        ASSERT_EQ(verdict->outcome, *expected) << "round " << round;
      }
    } while (std::ranges::next_permutation(order).found);
    if (!expected) continue;
    (*expected == Outcome::kViolation ? violations : linearizable) += 1;
  }
  // All three kinds were among them.
  EXPECT_GT(refused, 100);
  EXPECT_GT(violations, 100);
  EXPECT_GT(linearizable, 100);
}

}  // namespace
}  // namespace plumb
