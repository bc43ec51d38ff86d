// The cores that monitors give: small where a proof allows it, violations by themselves, and made only by
// leaving out what may be left out.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/agree.hpp"
#include "support/scale.hpp"
#include "support/script.hpp"
#include "support/tiny_compare.hpp"
#include "support/tiny_random.hpp"

namespace plumb {
namespace {

using test::draw;
using test::Script;
using test::TinyHistory;
using test::TinyOp;
using ::testing::ElementsAre;

// Of a history that all engines agree about.
std::vector<OperationId> core_of(const Script& script, const char* model_name) {
  const Model& model = *find_model(model_name).value();
  const History history = script.build();
  EXPECT_TRUE(test::agree(history, model));
  const auto verdict = check(history, model, test::options(Engine::kMonitor));
  EXPECT_EQ(verdict->outcome, Outcome::kViolation) << verdict->why;
  return verdict->violation ? verdict->violation->operations : std::vector<OperationId>{};
}

TEST(CoreOfSet, BeginsWithTheAddThatWasInForce) {
  EXPECT_THAT(
      core_of(draw("|add(1):true||remove(1):true| |contains(1):false| |add(1):true| |contains(1):true| "
                   "|contains(1):false|"),
              "set"),
      ElementsAre(3, 5));
}

TEST(CoreOfSet, NeedsNothingFromBeforeAMomentOfCertainAbsence) {
  EXPECT_THAT(core_of(draw("|add(1):true| |contains(1):true| |remove(1):true| |contains(1):true|"), "set"),
              ElementsAre(3));
}

TEST(CoreOfSet, LeavesOutQueriesThatForceNothing) {
  EXPECT_THAT(core_of(draw(R"(
    |-----------------------add(1):true---------------------|
    |contains(1):false|  |contains(1):true|  |contains(1):true|  |contains(1):false|
  )"),
                      "set"),
              ElementsAre(0, 4))
      << "when the add has returned";
  EXPECT_THAT(core_of(draw(R"(
    |-----------------------add(1):true----------------------------------------------|
    |contains(1):false|  |contains(1):true|  |contains(1):true|  |contains(1):false|
  )"),
                      "set"),
              ElementsAre(0, 3, 4))
      << "one query tells that it took effect";
}

TEST(CoreOfSet, IsShortInALongHistory) {
  Script script;
  Time now = 0;
  const auto add = [&](const std::string& f) {
    script.add(0, f, now, now + 1);
    now += 2;
  };
  for (int i = 0; i < 1000; ++i) {
    add("add(1):true");
    add("contains(1):true");
    add("remove(1):true");
  }
  add("add(1):true");
  add("remove(1):false");
  const auto verdict = check(script.build(), *find_model("set").value());
  ASSERT_TRUE(verdict->violation);
  EXPECT_THAT(verdict->violation->operations, ElementsAre(3000, 3001));
}

TEST(CoreOfSet, WhatIsOpenAtTheViolationNeedNotBeExplained) {
  EXPECT_THAT(core_of(draw(R"(
    |--contains(1):true--|
            |--remove(1):true-----------------------|
                              |--add(1):true--|
  )"),
                      "set"),
              ElementsAre(0, 1))
      << "not the remove, which the add explains";
}

// What is left out must not matter: where the core is stuck, the whole must be stuck as well. So if
// the whole becomes linearizable when the result there is another, the core does too. What is open
// there need not be explained.
class Repaired : public ::testing::TestWithParam<const char*> {
 protected:
  TinyHistory core_of(const TinyHistory& whole, const std::vector<OperationId>& operations) const {
    TinyHistory core;
    for (const OperationId op : operations) core.push_back(whole[op]);
    return core;
  }
  bool holds_up_to(TinyHistory core, std::size_t stuck) {
    for (TinyOp& op : core) op.required = op.returned <= core[stuck].returned;
    return oracle_.is_linearizable(core);
  }
  Result<Verdict> verdict_of(const TinyHistory& history, Engine engine) const {
    return check(test::to_history(history, object_), *find_model(GetParam()).value(), test::options(engine));
  }

  const test::TinyObject& object_ = test::tiny_object(GetParam());
  test::TinyOracle oracle_{object_};
};

TEST_P(Repaired, TheCoreIsRepairedByWhatRepairsTheWhole) {
  test::TinyRandom random(object_, 5);
  std::size_t repaired = 0;
  const std::size_t count = test::scaled(50'000);
  for (std::size_t i = 0; i < count; ++i) {
    TinyHistory whole = random.make();
    const auto verdict = verdict_of(whole, Engine::kMonitor);
    if (!verdict->violation) continue;
    TinyHistory core = core_of(whole, verdict->violation->operations);
    const std::size_t stuck = verdict_of(core, Engine::kWgl)->violation->stuck;
    ASSERT_FALSE(holds_up_to(core, stuck)) << Script::of(test::to_history(core, object_)).text();
    const bool integer = object_.returns[core[stuck].call.operation] == test::TinyReturns::kInteger;
    for (int other = 0; other < (integer ? 8 : 2); ++other) {
      core[stuck].result = static_cast<test::TinyResult>(other);
      whole[verdict->violation->operations[stuck]].result = core[stuck].result;
      if (!oracle_.is_linearizable(whole)) continue;
      ++repaired;
      ASSERT_TRUE(holds_up_to(core, stuck)) << Script::of(test::to_history(whole, object_)).text();
    }
  }
  EXPECT_GT(repaired, count / 50);
}

INSTANTIATE_TEST_SUITE_P(Monitors, Repaired, ::testing::Values("set", "counter", "mutex"));

TEST(CoreOfMutex, AFailedTryKeepsWhoMayHaveHeldTheLock) {
  EXPECT_THAT(core_of(draw(R"(
    |try_acquire:false|
      |-----------------acquire-------------------|  |--release--|
                        |acquire|   |---release---|
  )"),
                      "mutex"),
              ElementsAre(0, 1, 3));
}

TEST(CoreOfMutex, AProcessThatContradictsItselfIsNotJudgedByItsFailedTries) {
  EXPECT_THAT(core_of(draw(R"(
    |acquire|
              |try_acquire:false|  |release|
  )"),
                      "mutex"),
              ElementsAre(2));
}

}  // namespace
}  // namespace plumb
