// Splitting a history: by object, by key, and that the parts lose and reorder nothing.
#include <algorithm>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "check/partition.hpp"
#include "spec/bind.hpp"
#include "support/random_history.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

using test::draw;
using ::testing::ElementsAre;

using Ids = std::vector<OperationId>;

const Model& model(const char* name) { return *find_model(name).value(); }

std::vector<Ids> split(const History& history, const Model& m, PartitionBy by) {
  const auto bound = BoundHistory::bind(history, m);
  const Partition partition(bound.value(), by);
  std::vector<Ids> parts;
  for (const Part& part : partition.parts()) {
    parts.emplace_back();
    for (const Event event : part.events) {
      if (!event.is_return()) parts.back().push_back(event.operation());
    }
  }
  return parts;
}

TEST(Partition, AnEmptyHistoryHasNoParts) {
  EXPECT_TRUE(split(test::Script().build(), model("set"), PartitionBy::kObjectAndKey).empty());
}

TEST(Partition, AModelWithoutKeysIsOnePart) {
  const History history = draw("|-enqueue(1)-| |-enqueue(2)-| |-dequeue:1-|").build();
  EXPECT_THAT(split(history, model("queue"), PartitionBy::kObjectAndKey), ElementsAre(Ids{0, 1, 2}));
}

TEST(Partition, ByKeyOnlyWhenAsked) {
  const History history = draw("|-add(1):true-| |-add(2):true-| |-contains(1):true-|").build();
  EXPECT_THAT(split(history, model("set"), PartitionBy::kObject), ElementsAre(Ids{0, 1, 2}));
  EXPECT_THAT(split(history, model("set"), PartitionBy::kObjectAndKey), ElementsAre(Ids{0, 2}, Ids{1}));
}

TEST(Partition, ByObjectAndByKey) {
  const History history =
      draw("|-a.add(1):true-| |-b.add(1):true-| |-a.add(2):true-| |-b.contains(1):true-|").build();
  EXPECT_THAT(split(history, model("set"), PartitionBy::kObject), ElementsAre(Ids{0, 2}, Ids{1, 3}));
  EXPECT_THAT(split(history, model("set"), PartitionBy::kObjectAndKey),
              ElementsAre(Ids{1, 3}, Ids{0}, Ids{2}));
}

TEST(Partition, TheLargestPartComesFirst) {
  const History history = draw("|-add(1):true-| |-add(2):true-| |-remove(2):true-| |-add(2):true-|").build();
  EXPECT_THAT(split(history, model("set"), PartitionBy::kObjectAndKey), ElementsAre(Ids{1, 2, 3}, Ids{0}));
}

TEST(Partition, AliasesAndPendingOperationsBelongToTheirKey) {
  const History history = draw(R"(
    |-insert(1):true-| |-remove(1)->
    |-add(2):true-|  |-contains(1)->
  )")
                              .build();
  EXPECT_THAT(split(history, model("set"), PartitionBy::kObjectAndKey), ElementsAre(Ids{0, 3, 1}, Ids{2}));
}

// Every event of the history stands in exactly one part, with all its key's and in their order.
TEST(Partition, KeepsEveryEventInOrder) {
  for (const Model* m : built_in_models()) {
    for (std::uint64_t seed = 1; seed <= 50; ++seed) {
      const test::RandomShape shape{.processes = 4, .operations = 30, .objects = 1 + seed % 3};
      const History history = test::RandomHistory(*m, shape, seed).make().build();
      const auto bound = BoundHistory::bind(history, *m);
      const Partition partition(bound.value(), PartitionBy::kObjectAndKey);
      std::size_t events = 0;
      for (const Part& part : partition.parts()) {
        events += part.events.size();
        const auto of_part = [&](OperationId i) {
          const OperationId one = part.events.front().operation();
          return history.object(i) == history.object(one) &&
                 m->key(bound->call(i)) == m->key(bound->call(one));
        };
        std::vector<Event> expected;
        std::ranges::copy_if(history.events(), std::back_inserter(expected),
                             [&](Event e) { return of_part(e.operation()); });
        ASSERT_TRUE(std::ranges::equal(part.events, expected)) << m->name() << ", seed " << seed;
      }
      ASSERT_EQ(events, history.events().size());
    }
  }
}

}  // namespace
}  // namespace plumb
