// Watching classes that claim a family: against the definition, by the class itself, at every event.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/own_classes.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"
#include "support/watched_run.hpp"

namespace plumb::test {
namespace {

TEST(OnlineOwnClass, AgreesWithTheDefinitionAtEveryEvent) {
  for (const OwnClass& own : own_classes()) {
    for (const std::uint64_t seed : Seeds(scaled(600))) {
      RandomShape shape;
      shape.processes = 2 + seed % 3;
      shape.operations = 4 + seed % 4;
      shape.crash = seed % 2 == 0 ? 0.0 : 0.1;
      const auto history = RandomHistory(*own.model, shape, seed).make().try_build();
      if (!history) continue;
      WatchedRun run = WatchedRun::of(*history);
      Rng rng(seed);
      if (seed % 4 > 1) run.lose_some(rng, 0.1);
      ASSERT_TRUE(agrees(run, *own.model, Due::kAtQuiescence)) << own.model->name() << " seed " << seed;
    }
  }
}

// With the built-in queue, so many values that overlap would be too many configurations for a monitor of any model.
TEST(OnlineOwnClass, IsWatchedByTheMonitorOfItsFamily) {
  ObjectModel<OwnQueue> model("own queue");
  model.operation("offer", &OwnQueue::offer);
  model.operation("poll", &OwnQueue::poll);
  model.behaves_as(Family::kQueue);
  Watcher watcher = std::move(Watcher::make(model).value());
  constexpr std::int64_t kMany = 40;
  const auto fine = [](const Watcher::Answer& answer) { return answer.ok() && !answer->has_value(); };
  for (std::int64_t i = 0; i < kMany; ++i) {
    const Value arg = Value::small(i);
    ASSERT_TRUE(fine(watcher.call(Value::small(i), "offer", std::span(&arg, 1))));
  }
  for (std::int64_t i = 0; i < kMany; ++i) ASSERT_TRUE(fine(watcher.ret(Value::small(i), {kTrue, true})));
  for (std::int64_t i = 0; i < kMany; ++i) {
    ASSERT_TRUE(fine(watcher.call(Value::small(0), "poll", {})));
    ASSERT_TRUE(fine(watcher.ret(Value::small(0), {Value::small(kMany - 1 - i), true})));
  }
  EXPECT_EQ(watcher.unjudged(), "");
  ASSERT_TRUE(fine(watcher.call(Value::small(0), "poll", {})));
  EXPECT_FALSE(fine(watcher.ret(Value::small(0), {Value::small(3), true}))) << "it was out already";
}

TEST(OnlineOwnClass, WhatTheFamilyDoesNotKnowIsNotJudged) {
  ObjectModel<OwnQueue> model("own queue");
  model.operation("offer", &OwnQueue::offer);
  model.operation("poll", &OwnQueue::poll);
  model.behaves_as(Family::kQueue);
  Watcher watcher = std::move(Watcher::make(model).value());
  const Value arg = Value::small(1);
  ASSERT_TRUE(watcher.call(Value::small(0), "offer", std::span(&arg, 1)).ok());
  ASSERT_TRUE(watcher.ret(Value::small(0), {kFalse, true}).ok());
  EXPECT_EQ(watcher.unjudged(), "a queue knows no 'offer' that returns false");
}

TEST(OnlineOwnClass, AWrongClaimIsAnError) {
  ObjectModel<OwnStack> model("pile");
  model.operation("add", &OwnStack::add);
  model.operation("take", &OwnStack::take);
  model.behaves_as(Family::kQueue);
  const auto watcher = Watcher::make(model);
  ASSERT_FALSE(watcher.ok());
  EXPECT_THAT(watcher.error().text(), ::testing::HasSubstr("the model 'pile' does not behave as a queue"));
}

}  // namespace
}  // namespace plumb::test
