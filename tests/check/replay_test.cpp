// The replay that guards every linearizable verdict must refuse each way in which an order can be wrong.
#include <vector>

#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "check/part.hpp"
#include "check/partition.hpp"
#include "check/replay.hpp"
#include "spec/bind.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

using test::draw;

bool replays_order(const test::Script& script, const char* model_name,
                   const std::vector<OperationId>& order) {
  const Model& model = *find_model(model_name).value();
  const History history = script.build();
  const auto bound = BoundHistory::bind(history, model);
  const Partition partition(bound.value(), PartitionBy::kObject);
  const auto states = std::move(model.states(history.values(), history.initial()).value());
  return replays(partition.parts().front(), order, *states);
}

test::Script queue_run() {
  return draw(R"(
    |--enqueue(1)--|         |--dequeue:1--|
       |--enqueue(2)--|                       |--dequeue:2--|
  )");
}

TEST(Replay, AcceptsALinearization) { EXPECT_TRUE(replays_order(queue_run(), "queue", {0, 2, 1, 3})); }

TEST(Replay, RefusesAWrongResult) {
  EXPECT_FALSE(replays_order(queue_run(), "queue", {2, 0, 1, 3})) << "2 would come out first";
  test::Script wrong = queue_run();
  wrong.operations[1].result = Value::small(2);
  EXPECT_FALSE(replays_order(wrong, "queue", {0, 2, 1, 3}));
}

TEST(Replay, RefusesAnOrderAgainstTime) {
  EXPECT_TRUE(replays_order(draw("|-write(1)-| |-write(1)-|"), "register", {0, 1}));
  EXPECT_FALSE(replays_order(draw("|-write(1)-| |-write(1)-|"), "register", {1, 0}))
      << "legal, but not in time";
}

TEST(Replay, KnowsWhetherAnOrderOfSeveralPartsRespectsTime) {
  const History history = draw("|-write(1)-| |-write(1)-|").build();
  EXPECT_TRUE(respects_time(history, std::vector<OperationId>{0, 1}));
  EXPECT_FALSE(respects_time(history, std::vector<OperationId>{1, 0}));
}

TEST(Replay, RefusesAMissingOperation) {
  EXPECT_FALSE(replays_order(queue_run(), "queue", {0, 2, 1}));
  EXPECT_FALSE(replays_order(queue_run(), "queue", {}));
}

TEST(Replay, RefusesAnOperationTwice) {
  EXPECT_FALSE(replays_order(draw("|-write(1)-| |-read:1-|"), "register", {0, 1, 1}));
  EXPECT_FALSE(replays_order(draw("|-write(1)-| |-read:1-|"), "register", {0, 0, 1}));
}

TEST(Replay, PendingOperationsMayTakeEffectOrNot) {
  const test::Script used = draw(R"(
    |--write(1)-->
                     |--read:1--|
  )");
  EXPECT_TRUE(replays_order(used, "register", {0, 1}));
  EXPECT_FALSE(replays_order(used, "register", {1}));
  const test::Script late = draw(R"(
                                   |--write(1)-->
                     |--read:1--|
  )");
  EXPECT_FALSE(replays_order(late, "register", {0, 1})) << "it was called after the read";
  const test::Script unused = draw(R"(
    |--write(1)-->
                     |--read:null--|
  )");
  EXPECT_TRUE(replays_order(unused, "register", {1}));
  EXPECT_TRUE(replays_order(unused, "register", {1, 0}));
  EXPECT_FALSE(replays_order(unused, "register", {0, 1}));
}

}  // namespace
}  // namespace plumb
