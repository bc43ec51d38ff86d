// The sentences: approved ones for every pattern, and no pattern for any operation of a linearizable history.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <plumb/explain.hpp>

#include "explain/narrative.hpp"
#include "support/model_name.hpp"
#include "support/oracle.hpp"
#include "support/own_classes.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

class Narrative : public ::testing::TestWithParam<const Model*> {};

// A pattern says that a return is impossible: it must not hold where it is not.
TEST_P(Narrative, NoPatternHoldsWhereAllIsWell) {
  const Model& model = *GetParam();
  for (std::uint64_t seed = 1; seed <= test::scaled(5000); ++seed) {
    Rng rng(seed * 65'537);
    const test::RandomShape shape{.processes = 2 + rng.below(4),
                                  .operations = 4 + rng.below(8),
                                  .crash = rng.chance(0.5) ? 0.15 : 0.0,
                                  .spoil = 0,
                                  .coarseness = static_cast<Time>(1 + rng.below(2)),
                                  .peeks = seed % 2 == 0};
    const History history = test::RandomHistory(model, shape, seed).make().build();
    const auto bound = BoundHistory::bind(history, model);
    ASSERT_TRUE(bound);
    for (OperationId id = 0; id < history.size(); ++id) {
      if (history.is_pending(id)) continue;
      const auto told = tell(Facts(*bound, id));
      ASSERT_FALSE(told) << "seed " << seed << ", operation " << id << ": " << told->text << "\n"
                         << test::Script::of(history).text();
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Narrative,
                         ::testing::ValuesIn(built_in_models().begin(), built_in_models().end()),
                         test::model_name);

// Who looks is no removal, and removes nothing.
TEST(CollectionNarrative, OfAPeek) {
  const Model& queue = *find_model("queue").value();
  const auto sentence = [&](std::string_view drawn) {
    const History history = test::draw(drawn).build();
    const auto verdict = check(history, queue, test::options(Engine::kAuto));
    EXPECT_EQ(verdict->outcome, Outcome::kViolation) << drawn;
    return explain(history, queue, *verdict)->sentence;
  };
  EXPECT_EQ(
      sentence("|--enqueue(1):null--| |--peek:null--|"),
      "`peek → null` by process 0 is impossible: between its call and its return the queue always held 1");
  EXPECT_EQ(sentence("|--enqueue(1):null--| |--peek:2--|"),
            "`peek → 2` by process 0 is impossible: 2 had not been enqueued when it returned");
  EXPECT_EQ(
      sentence("|--enqueue(1):null--| |--enqueue(2):null--| |--peek:2--| |--peek:1--|"),
      "`peek → 2` by process 0 is impossible: after the other operations shown, `peek` can return 1, not 2");
  EXPECT_EQ(sentence("|--enqueue(1):null--| |--enqueue(2):null--| |--peek:1--| |--dequeue:2--|"),
            "`dequeue → 2` by process 0 is impossible: 1 was enqueued before 2 and had not been dequeued");
}

// A class that claims a family is told of like the family, by the names of its own operations.
TEST(OwnClassNarrative, SpeaksOfTheFamily) {
  const test::OwnClass own = test::own_queue();
  const History history = test::draw(R"(|--offer(1):true--| |--offer(2):true--| |--poll:2--|)").build();
  const auto verdict = check(history, *own.model, test::options(Engine::kAuto));
  ASSERT_EQ(verdict->outcome, Outcome::kViolation);
  const auto explanation = explain(history, *own.model, *verdict);
  EXPECT_EQ(explanation->sentence,
            "`poll → 2` by process 0 is impossible: 1 was enqueued before 2 and had not been dequeued");
}

TEST(OwnClassNarrative, NoPatternHoldsWhereAllIsWell) {
  for (const test::OwnClass& own : test::own_classes()) {
    for (std::uint64_t seed = 1; seed <= test::scaled(300); ++seed) {
      const test::RandomShape shape{.processes = 3, .operations = 4 + seed % 8, .crash = 0.1, .spoil = 0};
      const History history = test::RandomHistory(*own.model, shape, seed).make().build();
      const auto bound = BoundHistory::bind_as_family(history, *own.model);
      ASSERT_TRUE(bound);
      for (OperationId id = 0; id < history.size(); ++id) {
        if (history.is_pending(id)) continue;
        ASSERT_FALSE(tell(Facts(*bound, id)))
            << own.model->name() << " seed " << seed << ", operation " << id;
      }
    }
  }
}

struct Told {
  const char* model;
  const char* picture;
  const char* sentence;
};

class Sentences : public ::testing::TestWithParam<Told> {};

TEST_P(Sentences, SayWhatAColleagueUnderstands) {
  const History history = test::draw(GetParam().picture).build();
  const Model& model = *find_model(GetParam().model).value();
  const auto verdict = check(history, model, test::options(Engine::kAuto));
  ASSERT_EQ(verdict->outcome, Outcome::kViolation);
  EXPECT_EQ(explain(history, model, *verdict)->sentence, GetParam().sentence);
}

INSTANTIATE_TEST_SUITE_P(
    Patterns, Sentences,
    ::testing::Values(
        Told{"queue",
             "|-enqueue(5)-| |-enqueue(7)-|\n                               |-dequeue:7-| |-dequeue:5-|",
             "`dequeue → 7` by process 1 is impossible: 5 was enqueued before 7 and dequeued after it"},
        Told{"queue", "|-enqueue(5)-| |-enqueue(7)-| |-dequeue:7-|",
             "`dequeue → 7` by process 0 is impossible: 5 was enqueued before 7 and had not been dequeued"},
        Told{"queue", "|-dequeue:7-| |-enqueue(7)-|",
             "`dequeue → 7` by process 0 is impossible: 7 had not been enqueued when it returned"},
        Told{"queue", R"(|-enqueue("7")-| |-dequeue:7-|)",
             "`dequeue → 7` by process 0 is impossible: 7 had not been enqueued when it returned; note that "
             "the "
             "number 7 and the string \"7\", an argument elsewhere, are different values"},
        Told{"queue", "|-enqueue(7)-| |-dequeue:7-|\n                |-dequeue:7--|",
             "`dequeue → 7` by process 1 is impossible: 7 was enqueued only once, and process 0 dequeued it "
             "too"},
        Told{"stack", "|-push(4)-| |-push(9)-|   |-pop:4-------|\n                        |-pop:null----|",
             "`pop → null` by process 1 is impossible: between its call and its return the stack always held "
             "9"},
        Told{"queue",
             "|-enqueue(4)-|    |-enqueue(9)-| |-dequeue:4-|\n"
             "                 |-dequeue:null------------------| |-dequeue:9-|",
             "`dequeue → null` by process 1 is impossible: between its call and its return the queue always "
             "held 4 or "
             "9"},
        Told{"stack", "|-push(4)-| |-push(9)-| |-pop:4-|",
             "`pop → 4` by process 0 is impossible: 9 was pushed after 4, before it began, and had not been "
             "popped"},
        Told{"priority-queue", "|-insert(4)-| |-insert(9)-| |-extract_min:9-| |-extract_min:4-|",
             "`extract_min → 9` by process 0 is impossible: 4, which is smaller, was inserted before it "
             "began and "
             "extracted after it"},
        Told{"set",
             "|-add(3):true-| |-remove(3):true-|\n                                   |-contains(3):true-|",
             "`contains(3) → true` by process 1 is impossible: 3 was removed before it began (`remove(3) → "
             "true` by "
             "process 0) and not added again until it had returned"},
        Told{"set", "|-add(3):true-| |-add(3):true-|",
             "`add(3) → true` by process 0 is impossible: 3 was added before it began (`add(3) → true` by "
             "process 0) "
             "and not removed until it had returned"},
        Told{"set", "|-remove(3):true-|",
             "`remove(3) → true` by process 0 is impossible: 3 had not been added when it "
             "returned"},
        Told{"register", "|-write(3)-| |-write(4)-| |-read:3-|",
             "`read → 3` by process 0 is impossible: 3 was overwritten by `write(4)` by process 0 before it "
             "began"},
        Told{"register", "|-write(3)-| |-read:5-|",
             "`read → 5` by process 0 is impossible: 5 had not been written when it returned"},
        Told{"register", "|---write(3)-->\n|---write(4)-->\n    |-read:3-| |-read:4-| |-read:3-|",
             "`read → 3` by process 2 is impossible: 3 was written only once, and process 2 had seen it "
             "before process 2 "
             "saw 4"},
        Told{"register", "|-write(3)-| |-cas(4, 5):true-|",
             "`cas(4, 5) → true` by process 0 is impossible: `cas` can return false, not true"},
        Told{"map", "|-put(1, 3)-| |-get(1):null-|",
             "`get(1) → null` by process 0 is impossible: `put(1, 3)` by process 0 had left a value there "
             "before it began, and no operation removed it"},
        Told{"map", "|-put(1, 3)-| |-remove(1):true-| |-get(1):3-|",
             "`get(1) → 3` by process 0 is impossible: 3 was removed by `remove(1) → true` by process 0 "
             "before it began"},
        Told{"mutex", "|-acquire-|\n           |-acquire-|",
             "`acquire` by process 1 is impossible: process 0 held the lock during the whole call (`acquire` "
             "by process "
             "0)"},
        Told{"mutex", "|-acquire-|\n           |-release-|",
             "`release` by process 1 is impossible: process 1 did not hold the lock"},
        Told{"counter", "|-add(2)-| |-add(3)-| |-read:4-|",
             "`read → 4` by process 0 is impossible: what had been added before it began makes at least 5"},
        Told{"counter", "|-add(2)-| |-read:4-|",
             "`read → 4` by process 0 is impossible: what had been added when it returned makes at most 2"},
        Told{"kv-append", "|-append(1, a)-| |-append(1, b)-| |-get(1):a-|",
             "`get(1) → \"a\"` by process 0 is impossible: `append(1, \"b\")` by process 0 had returned "
             "before it began, "
             "and is missing"},
        Told{
            "multiset", "|-add(1)-| |-remove(1):true-| |-contains(1):true-|",
            "`contains(1) → true` by process 0 is impossible: after the other operations shown, `contains` "
            "can return "
            "false, not true, for which it was too late once `remove(1) → true` by process 0 had returned"}));

// Values are data: they come out as JSON, and long ones are cut.
TEST(Sentence, ShowsValuesAsTheyAre) {
  test::Script script = test::draw("|-write(1)-|");
  script.add(0, "read", 20, 30);
  script.operations[0].args = {script.values->string("<script>\x1b[31m")};
  script.operations[1].result = script.values->string(std::string(200, 'x'));
  const History history = script.build();
  const Model& model = *find_model("register").value();
  const auto verdict = check(history, model, test::options(Engine::kAuto));
  const auto explanation = explain(history, model, *verdict);
  EXPECT_EQ(explanation->sentence, "`read → \"" + std::string(59, 'x') + "…` by process 0 is impossible: \"" +
                                       std::string(59, 'x') + "… had not been written when it returned");
}

}  // namespace
}  // namespace plumb
