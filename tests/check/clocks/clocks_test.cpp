// Histories whose clocks may be off: against the definition on small random ones, and what is wrong with asking for it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plumb/certificate.hpp>
#include <plumb/check.hpp>
#include <plumb/explain.hpp>
#include <plumb/files.hpp>

#include "check/clocks/clock_check.hpp"
#include "check/clocks/clock_error.hpp"
#include "support/clock_oracle.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"
#include "support/violation.hpp"

namespace plumb::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr Seconds kNanosecond(1e-9);

CheckOptions off_by(Time ticks) {
  CheckOptions with = options(Engine::kAuto);
  with.clock_error = kNanosecond * static_cast<double>(ticks);
  return with;
}

const Model& model_of(const char* name) { return *find_model(name).value(); }

TEST(Clocks, TicksAreRoundedUp) {
  using std::chrono::duration;
  EXPECT_EQ(ticks_of(duration<double, std::milli>(5), TimeUnit::kNanoseconds), 5'000'000U);
  EXPECT_EQ(ticks_of(duration<double, std::milli>(0.25), TimeUnit::kMicroseconds), 250U);
  EXPECT_EQ(ticks_of(duration<double, std::milli>(0.25), TimeUnit::kMilliseconds), 1U);
  EXPECT_EQ(ticks_of(duration<double, std::milli>(0), TimeUnit::kSeconds), 0U);
  EXPECT_EQ(ticks_of(Seconds(1e30), TimeUnit::kNanoseconds), ClockError::kMost);
  EXPECT_EQ(in_milliseconds(1'500'000, TimeUnit::kNanoseconds), "1.5");
  EXPECT_EQ(in_milliseconds(1, TimeUnit::kNanoseconds), "0.000001");
  EXPECT_EQ(in_milliseconds(2, TimeUnit::kSeconds), "2000");
}

// Half a tick to either side: times that are two ticks apart are more than that apart.
TEST(Clocks, AnErrorIsNotRounded) {
  const ClockError half(std::chrono::microseconds(500), TimeUnit::kMilliseconds);
  EXPECT_FALSE(half.surely_before(0, 1));
  EXPECT_TRUE(half.surely_before(0, 2));
  EXPECT_EQ(in_milliseconds(std::chrono::microseconds(500)), "0.5");
  // However large: seconds, and a fraction of a nanosecond.
  const ClockError seconds(std::chrono::duration<double, std::milli>(2000.0000003), TimeUnit::kNanoseconds);
  EXPECT_FALSE(seconds.surely_before(0, 4'000'000'000));
  EXPECT_TRUE(seconds.surely_before(0, 4'000'000'001));
}

TEST(Clocks, NothingIsTooLargeToCompare) {
  const ClockError most(ClockError::kMost);
  EXPECT_FALSE(most.surely_before(0, kNever - 1));
  EXPECT_TRUE(most.surely_before(std::numeric_limits<Time>::min(), kNever - 1));
  EXPECT_FALSE(ClockError(0).surely_before(kNever, 5));
  EXPECT_FALSE(ClockError(2).surely_before(0, 4));
  EXPECT_TRUE(ClockError(2).surely_before(0, 5));
}

// A read that is called long after a write and does not see it.
TEST(Clocks, ExplainAStaleRead) {
  Script script;
  script.add(0, "write(1)", 0, 10).add(1, "read:null", 30, 40);
  const History history = script.build();
  EXPECT_EQ(check(history, model_of("register"), off_by(0))->outcome, Outcome::kViolation);
  const auto still = check(history, model_of("register"), off_by(9));
  EXPECT_EQ(still->outcome, Outcome::kViolation);
  EXPECT_EQ(to_string(still->engines), "clocks");
  EXPECT_EQ(still->violation->operations, (std::vector<OperationId>{0, 1}));
  const auto fine = check(history, model_of("register"), off_by(10));
  EXPECT_EQ(fine->outcome, Outcome::kHolds);
  EXPECT_EQ(fine->linearization, (std::vector<OperationId>{1, 0}));
}

// An order is run through the model with values and states of all kinds.
TEST(Clocks, OrdersReplayOnEveryKindOfModel) {
  const char* const histories[] = {
      R"({"plumb":1,"model":"kv-append"}
{"process":2,"f":"append","args":[2,"a"],"result":null,"call":0,"return":10}
{"process":1,"f":"get","args":[2],"result":"","call":30,"return":40})",
      R"({"plumb":1,"model":"k-queue:1"}
{"process":1,"f":"enqueue","args":["a"],"call":0,"return":10}
{"process":2,"f":"dequeue","args":[],"result":null,"call":30,"return":40})",
      R"({"plumb":1,"model":"java:ConcurrentLinkedQueue"}
{"process":1,"f":"offer","args":[1],"result":true,"call":0,"return":10}
{"process":2,"f":"poll","args":[],"result":null,"call":30,"return":40})",
      R"({"plumb":1,"model":"counter","initial":-9223372036854775808}
{"process":1,"f":"fetch_add","args":[1],"result":-9223372036854775808,"call":0,"return":10}
{"process":2,"f":"read","args":[],"result":-9223372036854775808,"call":30,"return":40})",
  };
  for (const char* const text : histories) {
    const History history = parse_histories(text, "jsonl")->front();
    const Model& model = model_of(std::string(history.model()).c_str());
    EXPECT_EQ(check(history, model, off_by(9))->outcome, Outcome::kViolation) << text;
    const auto fine = check(history, model, off_by(10));
    ASSERT_TRUE(fine) << text << fine.error().message;
    EXPECT_EQ(fine->outcome, Outcome::kHolds) << text << fine->why;
    const auto bound = BoundHistory::bind(history, model);
    EXPECT_EQ(find_clock_slack(*bound, 1, options(Engine::kAuto)).smallest, 10) << text;
  }
}

// Whatever the clocks show, a process does one thing after the other.
TEST(Clocks, OneProcessKeepsItsOrder) {
  Script script;
  script.add(0, "write(1)", 0, 10).add(0, "read:null", 30, 40);
  EXPECT_EQ(check(script.build(), model_of("register"), off_by(1'000'000))->outcome, Outcome::kViolation);
}

// Two processes, each in its order, with nothing known between them: no order of intervals.
TEST(Clocks, OrdersOfProcessesMayInterleave) {
  Script script;
  script.add(0, "enqueue(1)", 0, 1).add(0, "enqueue(2)", 2, 3);
  script.add(1, "dequeue:1", 4, 5).add(1, "dequeue:2", 6, 7);
  EXPECT_EQ(check(script.build(), model_of("queue"), off_by(100))->outcome, Outcome::kHolds);
  Script wrong;
  wrong.add(0, "enqueue(1)", 0, 1).add(0, "enqueue(2)", 2, 3);
  wrong.add(1, "dequeue:2", 4, 5).add(1, "dequeue:1", 6, 7);
  EXPECT_EQ(check(wrong.build(), model_of("queue"), off_by(100))->outcome, Outcome::kViolation);
}

struct Tried {
  std::size_t accepted = 0;
  std::size_t refused = 0;
  std::size_t saved = 0;  // violations without an error
};

void compare(const Script& script, const Model& model, Tried& tried) {
  const History history = script.build();
  bool accepted_before = false;
  std::optional<Time> smallest;
  for (const Time error : {0, 1, 2, 3, 5, 8, 100}) {
    ClockOracle oracle(history, model, error);
    const bool expected = oracle.accepts();
    EXPECT_TRUE(expected || !accepted_before) << "a larger error explains less\n" << script.text();
    const auto verdict = check(history, model, off_by(error));
    ASSERT_TRUE(verdict) << verdict.error().text();
    ASSERT_EQ(verdict->outcome, expected ? Outcome::kHolds : Outcome::kViolation) << error << "\n"
                                                                                  << script.text();
    if (expected) {
      EXPECT_TRUE(oracle.proves(verdict->linearization)) << error << "\n" << script.text();
    } else {
      const History core = restrict_to(history, verdict->violation->operations).build();
      EXPECT_FALSE(ClockOracle(core, model, error).accepts()) << error << "\n" << script.text();
      EXPECT_NE(std::ranges::find(verdict->violation->operations, verdict->violation->stuck),
                verdict->violation->operations.end());
    }
    if (expected && !accepted_before) smallest = error;
    accepted_before = expected;
    ++(expected ? tried.accepted : tried.refused);
  }
  if (smallest && *smallest > 0) ++tried.saved;
  const auto plain = check(history, model, options(Engine::kAuto));
  if (plain->outcome != Outcome::kViolation) return;
  const auto bound = BoundHistory::bind(history, model);
  const ClockSlack slack = find_clock_slack(*bound, plain->violation->stuck, options(Engine::kAuto));
  EXPECT_EQ(slack.never, !smallest) << script.text();
  ASSERT_EQ(slack.smallest.has_value(), smallest.has_value()) << script.text();
  if (!smallest) return;
  const auto enough = static_cast<Time>(*slack.smallest);
  EXPECT_TRUE(ClockOracle(history, model, enough).accepts()) << enough << "\n" << script.text();
  EXPECT_FALSE(ClockOracle(history, model, enough - 1).accepts()) << enough << "\n" << script.text();
  EXPECT_EQ(slack.not_up_to + 1, *slack.smallest);
}

TEST(Clocks, AgreeWithTheDefinition) {
  Tried tried;
  for (const char* name : {"register", "queue", "stack", "priority-queue", "mutex", "counter", "semaphore",
                           "set", "multiset", "map"}) {
    const Model& model = model_of(name);
    for (const std::uint64_t seed : Seeds(scaled(250))) {
      const Time coarseness = 1 + static_cast<Time>(seed % 3);
      RandomShape shape{.processes = 2 + seed % 3, .operations = 6, .spoil = 0.9, .coarseness = coarseness};
      compare(RandomHistory(model, shape, seed).make(), model, tried);
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(tried.accepted, tried.refused / 10);
  EXPECT_GT(tried.refused, 0U);
  EXPECT_GT(tried.saved, 0U);
}

// Each key has an order, and all of them have none: as with two stores and two loads of a processor that buffers.
TEST(Clocks, KeysOfOneObjectAreJudgedTogether) {
  Script script;
  script.add(0, "add(1):true", 0, 1).add(0, "contains(2):false", 2, 3);
  script.add(1, "add(2):true", 0, 1).add(1, "contains(1):false", 2, 3);
  const History history = script.build();
  for (const bool partition : {true, false}) {
    CheckOptions with = off_by(100);
    with.partition = partition;
    const auto verdict = check(history, model_of("set"), with);
    EXPECT_EQ(verdict->outcome, Outcome::kViolation) << partition;
    EXPECT_EQ(verdict->violation->operations.size(), 4U) << partition;
  }
  const auto bound = BoundHistory::bind(history, model_of("set"));
  EXPECT_TRUE(find_clock_slack(*bound, 3, options(Engine::kAuto)).never);
}

// Keys that fit together need no search of the whole.
TEST(Clocks, SplitByKey) {
  Script script;
  script.add(0, "add(1):true", 0, 1).add(1, "contains(1):false", 5, 6).add(1, "contains(2):false", 7, 8);
  EXPECT_EQ(check(script.build(), model_of("set"), off_by(1))->outcome, Outcome::kViolation);
  const auto fine = check(script.build(), model_of("set"), off_by(2));
  EXPECT_EQ(fine->outcome, Outcome::kHolds);
  EXPECT_EQ(fine->linearization.size(), 3U);
}

// A thousand operations one after the other, and one that saw what another process has not done yet.
TEST(Clocks, LongHistories) {
  Script script;
  for (int i = 0; i < 1000; ++i) script.add(i % 4, "write(" + std::to_string(i) + ")", 10 * i, 10 * i + 5);
  script.add(9, "read:500", 5030, 5035);
  script.add(9, "read:496", 5040, 5045);
  const History history = script.build();
  EXPECT_EQ(check(history, model_of("register"), off_by(0))->outcome, Outcome::kViolation);
  EXPECT_EQ(check(history, model_of("register"), off_by(30))->outcome, Outcome::kViolation)
      << "one process wrote 496 before 500";
  Script later = script;
  later.operations.pop_back();
  EXPECT_EQ(check(later.build(), model_of("register"), off_by(13))->outcome, Outcome::kHolds);
}

TEST(Clocks, NeedTimes) {
  const auto histories = parse_histories(R"([{:process 0 :type :invoke :f :write :value 1}
    {:process 0 :type :ok :f :write :value 1}])",
                                         "edn");
  const auto verdict = check(histories->front(), model_of("register"), off_by(5));
  ASSERT_FALSE(verdict);
  EXPECT_THAT(verdict.error().message, HasSubstr("this history has none"));
  CheckOptions both = off_by(5);
  both.relax = {{"dequeue", 1}};
  EXPECT_FALSE(check(Script().add(0, "enqueue(1)", 0, 1).build(), model_of("queue"), both));
}

TEST(Clocks, HaveNoCertificate) {
  Script script;
  script.add(0, "write(1)", 0, 10).add(1, "read:null", 30, 40);
  const History history = script.build();
  for (const Time error : {1, 10}) {
    const auto verdict = check(history, model_of("register"), off_by(error));
    const auto certificate = certify(history, model_of("register"), *verdict, off_by(error));
    ASSERT_FALSE(certificate);
    EXPECT_THAT(certificate.error().message, HasSubstr("no certificate"));
  }
}

TEST(Clocks, ExplanationsSayWhatWouldDo) {
  Script script;
  script.add(0, "write(1)", 0, 1'000'000).add(1, "read:null", 4'000'000, 5'000'000);
  const History history = script.build();
  const auto plain = check(history, model_of("register"), options(Engine::kAuto));
  const auto told = explain(history, model_of("register"), *plain);
  EXPECT_THAT(told->sentence,
              HasSubstr("; if the clocks were off by 1.5 ms it would be none (--clock-error 1.5)"));
  CheckOptions milliseconds = options(Engine::kAuto);
  milliseconds.time_unit = TimeUnit::kMilliseconds;
  EXPECT_THAT(explain(history, model_of("register"), *plain, milliseconds)->sentence,
              HasSubstr("--clock-error 1500000)"));

  const auto still = check(history, model_of("register"), off_by(1000));
  const auto explanation = explain(history, model_of("register"), *still, off_by(1000));
  EXPECT_THAT(explanation->sentence, HasSubstr("Even if every clock is off by up to 0.001 ms"));

  Script own;
  own.add(0, "write(1)", 0, 1'000'000).add(0, "read:null", 4'000'000, 5'000'000);
  const History of_one = own.build();
  const auto never = check(of_one, model_of("register"), options(Engine::kAuto));
  EXPECT_THAT(explain(of_one, model_of("register"), *never)->sentence,
              HasSubstr("; no error of the clocks explains it"));

  Script tiny;  // numbers that somebody made up
  tiny.add(0, "write(1)", 0, 1).add(1, "read:null", 4, 5);
  const History numbers = tiny.build();
  const auto small = check(numbers, model_of("register"), options(Engine::kAuto));
  EXPECT_THAT(explain(numbers, model_of("register"), *small)->sentence, Not(HasSubstr("clock")));
}

}  // namespace
}  // namespace plumb::test
