// Checks of classes that claim a family: every history of few operations by all engines, histories that the family does not know,
// and claims whose mistake shows only in the history.
#include <array>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/agree.hpp"
#include "support/enumerate.hpp"
#include "support/own_classes.hpp"
#include "support/script.hpp"

namespace plumb::test {
namespace {

using ::testing::HasSubstr;

// As tests/check/exhaustive_test.cpp does for the built-in queue, with the same numbers.
TEST(ClaimedExhaustive, Queue) {
  const OwnClass own = own_queue();
  const std::vector<std::uint64_t> histories = {8, 129, 3297};
  const std::vector<std::uint64_t> linearizable = {6, 75, 1537};
  Enumeration enumeration(
      {{"offer(1):true", "offer(2):true", "poll:null", "poll:1", "poll:2"}, {"offer(1)", "offer(2)", "poll"}},
      3);
  for (std::size_t n = 1; n <= histories.size(); ++n) {
    std::uint64_t fine = 0;
    const std::uint64_t all = enumeration.run(n, 1, [&](const History& history) {
      if (::testing::Test::HasFatalFailure()) return;
      const auto planned = check(history, *own.model, options(Engine::kAuto));
      const auto brute = check(history, *own.model, options(Engine::kBrute));
      ASSERT_TRUE(planned.ok() && brute.ok());
      ASSERT_EQ(planned->outcome, brute->outcome) << Script::of(history).text();
      ASSERT_TRUE(agree(history, *own.model));
      fine += planned->outcome == Outcome::kHolds ? 1U : 0U;
    });
    if (::testing::Test::HasFatalFailure()) return;
    EXPECT_EQ(all, histories[n - 1]);
    EXPECT_EQ(fine, linearizable[n - 1]);
  }
}

// A sequential history: "offer(1):true", one after the other, by process 0.
History in_sequence(const std::vector<std::string>& operations) {
  Script script;
  Time now = 0;
  for (const std::string& operation : operations) {
    script.add(0, operation, now, now + 1);
    now += 2;
  }
  return script.build();
}

Verdict verdict_of(const Model& model, const std::vector<std::string>& operations) {
  auto verdict = check(in_sequence(operations), model);
  EXPECT_TRUE(verdict.ok()) << verdict.error().text();
  return std::move(verdict).value();
}

TEST(ClaimedCheck, GetsTheMonitor) {
  const OwnClass own = own_queue();
  const Verdict fine = verdict_of(*own.model, {"offer(1):true", "poll:1", "poll:null"});
  EXPECT_EQ(fine.outcome, Outcome::kHolds);
  EXPECT_EQ(to_string(fine.engines), "monitor");
  EXPECT_EQ(fine.why, "it behaves as a queue, and values are distinct");
  const Verdict wrong = verdict_of(*own.model, {"offer(1):true", "offer(2):true", "poll:2"});
  EXPECT_EQ(wrong.outcome, Outcome::kViolation);
  EXPECT_EQ(to_string(wrong.engines), "monitor");
}

TEST(ClaimedCheck, WhatTheFamilyDoesNotKnowIsSearched) {
  const OwnClass own = own_queue();
  const Verdict sized = verdict_of(*own.model, {"offer(1):true", "size:1"});
  EXPECT_EQ(sized.outcome, Outcome::kHolds);
  EXPECT_EQ(to_string(sized.engines), "wgl");
  EXPECT_EQ(sized.why, "'size' is not an operation of a queue");
  EXPECT_EQ(verdict_of(*own.model, {"offer(1):true", "size:2"}).outcome, Outcome::kViolation);
  // The built-in queue would ignore what an insertion returns.
  const Verdict refused = verdict_of(*own.model, {"offer(1):false"});
  EXPECT_EQ(refused.outcome, Outcome::kViolation);
  EXPECT_EQ(to_string(refused.engines), "wgl");
  EXPECT_THAT(refused.why, HasSubstr("a queue knows no "));
}

TEST(ClaimedCheck, WhatARegisterBeginsWithCounts) {
  const ObjectModel<OwnCell> model = own_cell();
  const Verdict fine = verdict_of(model, {"read:7", "write(1):null", "read:1"});
  EXPECT_EQ(fine.outcome, Outcome::kHolds);
  EXPECT_EQ(to_string(fine.engines), "monitor");
  EXPECT_EQ(verdict_of(model, {"read:0"}).outcome, Outcome::kViolation);
  EXPECT_EQ(verdict_of(model, {"write(1):null", "read:7"}).outcome, Outcome::kViolation);
}

TEST(ClaimedCheck, ClassesOfJavaGetTheMonitorsOfTheirFamilies) {
  const Model& queue = *find_model("java:ConcurrentLinkedQueue").value();
  EXPECT_EQ(to_string(verdict_of(queue, {"offer(1):true", "add(2):true", "poll:1"}).engines), "monitor");
  EXPECT_EQ(to_string(verdict_of(queue, {"offer(1):true", "peek:1"}).engines), "wgl");
  EXPECT_EQ(verdict_of(queue, {"offer(1):true", "poll:\"1\""}).outcome, Outcome::kHolds) << "\"1\" means 1";
  EXPECT_EQ(verdict_of(*find_model("java:PriorityBlockingQueue").value(),
                       {"offer(2):true", "add(1):true", "poll:2"})
                .outcome,
            Outcome::kViolation);
  EXPECT_EQ(to_string(verdict_of(*find_model("java:ConcurrentSkipListSet").value(),
                                 {"add(2):true", "contains(2):true"})
                          .engines),
            "monitor");
}

// No claim is tested with null: Java's classes throw.
TEST(ClaimedCheck, NullAsAnArgumentIsSearched) {
  const Model& set = *find_model("java:ConcurrentSkipListSet").value();
  const Verdict verdict = verdict_of(set, {"remove(null):false"});
  EXPECT_EQ(verdict.outcome, Outcome::kViolation);
  EXPECT_EQ(to_string(verdict.engines), "wgl");
  EXPECT_THAT(verdict.why, HasSubstr("a set knows no "));
}

// What a recording of Java names first is the arguments of the constructor.
TEST(ClaimedCheck, AnEmptyInitialValueIsThatOfTheFamily) {
  const Model& queue = *find_model("java:ConcurrentLinkedQueue").value();
  Script script;
  script.initial = script.values->array({});
  script.add(0, "offer(1):true", 0, 1).add(0, "poll:1", 2, 3);
  EXPECT_EQ(to_string(check(script.build(), queue)->engines), "monitor");
  const std::array one = {script.values->array(std::array{Value::small(7)})};
  script.initial = script.values->array(one);
  EXPECT_EQ(to_string(check(script.build(), queue)->engines), "wgl") << "it begins with what is in the list";
}

TEST(ClaimedCheck, AWrongClaimIsAnError) {
  ObjectModel<OwnStack> model("pile");
  model.operation("add", &OwnStack::add);
  model.operation("take", &OwnStack::take);
  model.behaves_as(Family::kQueue);
  const auto verdict = check(in_sequence({"add(1):null", "take:1"}), model);
  ASSERT_FALSE(verdict.ok());
  EXPECT_EQ(verdict.error().text(),
            "the model 'pile' does not behave as a queue: after add(10), add(-1) 'take' returns -1, that of "
            "a queue "
            "returns 10");
}

// A queue, but for one value, which no test of the claim tries.
struct Peculiar {
  OwnQueue inner;
  void push(long v) {
    if (v == 666) {
      inner.items.push_front(v);
    } else {
      inner.offer(v);
    }
  }
  std::optional<long> pop() { return inner.poll(); }
  [[nodiscard]] auto fields() const { return inner.fields(); }
  bool operator==(const Peculiar&) const = default;
};

TEST(ClaimedCheck, AMistakeThatOnlyTheHistoryShowsIsAnErrorAndNoVerdict) {
  ObjectModel<Peculiar> model("peculiar");
  model.operation("push", &Peculiar::push);
  model.operation("pop", &Peculiar::pop);
  model.behaves_as(Family::kQueue);
  const auto error_of = [&](const std::vector<std::string>& operations) {
    const auto verdict = check(in_sequence(operations), model);
    return verdict.ok() ? std::string(to_string(*verdict)) : verdict.error().text();
  };
  EXPECT_EQ(error_of({"push(1):null", "push(2):null", "pop:1"}), "linearizable");
  EXPECT_THAT(
      error_of({"push(1):null", "push(666):null", "pop:1"}),
      HasSubstr(
          "the model 'peculiar' does not behave as a queue: after 2 operations, in an order that explains "
          "the history, "));
  EXPECT_THAT(error_of({"push(1):null", "push(666):null", "pop:666"}),
              HasSubstr("the model 'peculiar' does not behave as a queue: it explains "));
}

}  // namespace
}  // namespace plumb::test
