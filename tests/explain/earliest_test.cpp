// Whoever decides, and whoever explains: one and the same operation is named impossible, the earliest whose
// return no order gets past; and a sentence names nobody who is not in the core under it.
#include <algorithm>
#include <string>

#include <gtest/gtest.h>

#include <plumb/explain.hpp>
#include <plumb/generate.hpp>

#include "spec/bind.hpp"
#include "support/earliest.hpp"
#include "support/model_name.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

bool has(const std::vector<OperationId>& operations, OperationId id) {
  return std::ranges::find(operations, id) != operations.end();
}

// A sentence speaks of others by their processes: "`write(3)` by process 1", "process 0 held the lock".
void expect_sentence_of_core(const History& history, const Explanation& explanation) {
  ASSERT_FALSE(explanation.named.empty());
  EXPECT_EQ(explanation.named.front(), explanation.impossible);
  std::vector<std::string> processes;
  for (const OperationId id : explanation.named) {
    EXPECT_TRUE(has(explanation.core, id)) << "operation " << id << ": " << explanation.sentence;
    processes.push_back(history.values().to_json(history.process(id)));
  }
  for (std::size_t at = 0; (at = explanation.sentence.find("process ", at)) != std::string::npos;) {
    at += std::string_view("process ").size();
    const std::size_t end = explanation.sentence.find_first_not_of("0123456789", at);
    const std::string process = explanation.sentence.substr(at, end - at);
    EXPECT_NE(std::ranges::find(processes, process), processes.end()) << explanation.sentence;
  }
}

// All that is said of a violation, by every engine.
void expect_one_story(const History& history, const Model& model, OperationId earliest) {
  for (const Engine engine :
       {Engine::kAuto, Engine::kWgl, Engine::kHitting, Engine::kBrute, Engine::kMonitor}) {
    const auto verdict = check(history, model, test::options(engine));
    ASSERT_TRUE(verdict);
    // Parts that no monitor judges are left out.
    if (engine == Engine::kMonitor && to_string(check(history, model)->engines) != "monitor") continue;
    ASSERT_EQ(verdict->outcome, Outcome::kViolation) << to_string(verdict->engines);
    EXPECT_EQ(verdict->violation->stuck, earliest) << to_string(verdict->engines);
    EXPECT_TRUE(has(verdict->violation->operations, verdict->violation->stuck))
        << to_string(verdict->engines);
    const auto explanation = explain(history, model, *verdict);
    ASSERT_TRUE(explanation);
    EXPECT_EQ(explanation->impossible, earliest) << to_string(verdict->engines);
    expect_sentence_of_core(history, *explanation);
    const auto certificate = certify(history, model, *verdict);
    ASSERT_TRUE(certificate);
    EXPECT_EQ(certificate->impossible, earliest) << to_string(verdict->engines);
    const auto verification = verify(history, model, *certificate);
    EXPECT_TRUE(verification->proved) << to_string(verdict->engines) << ": " << verification->reason;
  }
}

class Earliest : public ::testing::TestWithParam<const Model*> {};

// Few values, many times; lost operations, several objects, equal times.
TEST_P(Earliest, IsNamedByAllOfSmallHistories) {
  const Model& model = *GetParam();
  std::size_t violations = 0;
  for (const std::uint64_t seed : test::Seeds(test::scaled(400))) {
    Rng rng(seed * 7919 + 3);
    const test::RandomShape shape{.processes = 2 + rng.below(3),
                                  .operations = 3 + rng.below(6),
                                  .objects = rng.chance(0.3) ? 2U : 1U,
                                  .crash = rng.chance(0.4) ? 0.15 : 0.0,
                                  .spoil = 1,
                                  .coarseness = static_cast<Time>(1 + rng.below(2))};
    const auto history = test::RandomHistory(model, shape, seed).make().try_build();
    if (!history) continue;
    const auto earliest = test::earliest_impossible(*history, model);
    if (!earliest) continue;
    ++violations;
    expect_one_story(*history, model, *earliest);
    if (::testing::Test::HasFailure()) {
      FAIL() << "seed " << seed << "\n" << test::Script::of(*history).text();
    }
  }
  EXPECT_GE(violations, test::scaled(400) / 20);
}

// Different values, which monitors ask for; with more faults than the one that was put in.
TEST_P(Earliest, IsNamedByAllOfGeneratedHistories) {
  const Model& model = *GetParam();
  for (const std::uint64_t seed : test::Seeds(test::scaled(150))) {
    Rng rng(seed * 104'729 + 1);
    GenerateOptions options{.model = std::string(model.name()), .operations = 8 + rng.below(3)};
    options.processes = 2 + rng.below(3);
    options.keys = 1 + rng.below(2);
    options.overlap = rng.chance(0.5) ? 0.9 : 0.5;
    options.pending = rng.chance(0.3) ? 0.1 : 0.0;
    options.seed = seed + 1;
    options.spoil = rng.chance(0.5);
    const auto generated = generate(options);
    ASSERT_TRUE(generated);
    test::Script script = test::Script::of(generated->history);
    for (std::size_t changes = rng.below(4); changes > 0; --changes) {  // results change hands
      test::Op& a = script.operations[rng.below(script.operations.size())];
      test::Op& b = script.operations[rng.below(script.operations.size())];
      if (a.f == b.f && a.result && b.result) std::swap(a.result, b.result);
    }
    const auto history = script.try_build();
    if (!history || history->size() > 12 || !check(*history, model)) continue;
    const auto earliest = test::earliest_impossible(*history, model);
    if (!earliest) continue;
    expect_one_story(*history, model, *earliest);
    if (::testing::Test::HasFailure()) {
      FAIL() << "seed " << seed << "\n" << test::Script::of(*history).text();
    }
  }
}

// Another return that no order gets past: a check that had no time to find the earliest names such a one.
OperationId later_return(const History& history, const Model& model, OperationId stuck) {
  const auto bound = BoundHistory::bind(history, model);
  OperationId last = stuck;
  for (OperationId id = 0; id < history.size(); ++id) {
    const bool same_part = history.object(id) == history.object(stuck) &&
                           model.key(bound->call(id)) == model.key(bound->call(stuck));
    if (same_part && !history.is_pending(id) && history.ret(id) > history.ret(last)) last = id;
  }
  return last;
}

void expect_core_of_a_hurry(const History& history, const Model& model, Rng& rng) {
  const auto soon = [&](std::uint64_t microseconds) {
    CheckOptions hasty;
    hasty.timeout = std::chrono::duration<double>(1e-6 * static_cast<double>(rng.below(microseconds)));
    return hasty;
  };
  auto verdict = check(history, model, soon(2'000));
  ASSERT_TRUE(verdict);
  if (verdict->outcome != Outcome::kViolation) return;
  EXPECT_TRUE(has(verdict->violation->operations, verdict->violation->stuck)) << to_string(verdict->engines);
  if (rng.chance(0.5)) verdict->violation->stuck = later_return(history, model, verdict->violation->stuck);
  for (const std::uint64_t most : {1, 30, 300, 3'000}) {
    const auto explanation = explain(history, model, *verdict, soon(most));
    ASSERT_TRUE(explanation);
    EXPECT_TRUE(has(explanation->core, explanation->impossible));
    expect_sentence_of_core(history, *explanation);
    const auto certificate = certify(history, model, *verdict, soon(most));
    ASSERT_TRUE(certificate);
    const auto verification = verify(history, model, *certificate);
    ASSERT_TRUE(verification);
    EXPECT_TRUE(verification->proved) << to_string(verdict->engines) << ": " << verification->reason;
  }
}

// Wherever the time of the check and that of the core end: what is named impossible is in the core that is
// shown, and the core is proved to be a violation. The times are so short that they end in every phase; what
// they end in is not the same in every run.
TEST_P(Earliest, WhoIsNamedStaysInTheCoreWhereverTheTimeEnds) {
  const Model& model = *GetParam();
  for (const std::uint64_t seed : test::Seeds(test::scaled(30))) {
    Rng rng(seed * 104'729 + 7);
    const test::RandomShape shape{.processes = 2 + rng.below(4),
                                  .operations = 10 + rng.below(60),
                                  .objects = rng.chance(0.3) ? 2U : 1U,
                                  .crash = rng.chance(0.4) ? 0.05 : 0.0,
                                  .spoil = 1,
                                  .coarseness = static_cast<Time>(1 + rng.below(2))};
    const auto few_values = test::RandomHistory(model, shape, seed).make().try_build();
    if (few_values) expect_core_of_a_hurry(*few_values, model, rng);
    const auto many_values = generate({.model = std::string(model.name()),
                                       .operations = 20 + rng.below(300),
                                       .processes = 4,
                                       .seed = seed + 1,
                                       .spoil = true});
    ASSERT_TRUE(many_values);
    expect_core_of_a_hurry(many_values->history, model, rng);
    if (::testing::Test::HasFailure()) FAIL() << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Earliest,
                         ::testing::ValuesIn(built_in_models().begin(), built_in_models().end()),
                         test::model_name);

// Of several objects, and of several keys, the one whose return is earliest: not the first, nor the largest.
TEST(EarliestOfParts, IsTheEarliestOfAll) {
  const Model& model = *find_model("register").value();
  test::Script script;
  script.add(0, "a.write(1)", 0, 1).add(0, "a.write(2)", 2, 3).add(0, "a.read():1", 20, 30);
  script.add(1, "b.read():7", 10, 11).add(2, "c.read():8", 40, 41);
  expect_one_story(script.build(), model, 3);
}

TEST(EarliestOfParts, IsTheEarliestOfAllWhereClassesMove) {
  const Model& model = *find_model("queue").value();
  test::Script script;
  script.add(0, "a.enqueue(1)", 0, 1).add(0, "a.enqueue(2)", 2, 3).add(0, "a.dequeue():5", 20, 30);
  script.add(1, "b.dequeue():7", 10, 11).add(1, "b.dequeue():9", 40, 41);
  const History history = script.build();
  for (const Engine engine : {Engine::kAuto, Engine::kBrute}) {
    CheckOptions options = test::options(engine);
    options.relax = {{"dequeue", 1}};
    const auto verdict = check(history, model, options);
    ASSERT_EQ(verdict->outcome, Outcome::kViolation);
    EXPECT_EQ(history.object(verdict->violation->stuck), history.object(3)) << to_string(verdict->engines);
    EXPECT_TRUE(has(verdict->violation->operations, verdict->violation->stuck));
    EXPECT_EQ(explain(history, model, *verdict)->named, std::vector{verdict->violation->stuck});
  }
}

// Of histories too long for a look at the whole, where the search still decides.
TEST(EarliestOfMany, IsThatOfTheSearch) {
  for (const char* name : {"set", "register", "map", "counter", "mutex"}) {
    const Model& model = *find_model(name).value();
    for (std::uint64_t seed = 1; seed <= 2; ++seed) {
      const auto generated = generate({.model = name,
                                       .operations = 12'000,
                                       .processes = 2,
                                       .values = 20'000,
                                       .overlap = 0.3,
                                       .seed = seed,
                                       .spoil = true});
      test::Script script = test::Script::of(generated->history);
      Rng rng(seed);
      for (std::size_t i = 1 + rng.below(3); i > 0; --i) {  // faults before the one that was put in
        test::Op& op = script.operations[script.operations.size() / 4 + rng.below(3000)];
        if (op.result && op.result->is_bool()) op.result = Value::boolean(!op.result->is_true());
        if (op.result && op.result->is_small()) op.result = Value::small(op.result->small_integer() + 1);
      }
      const History history = script.build();
      const auto by_monitor = check(history, model, test::options(Engine::kAuto));
      const auto by_search = check(history, model, test::options(Engine::kWgl));
      ASSERT_EQ(by_search->outcome, Outcome::kViolation) << name << seed;
      ASSERT_EQ(by_monitor->outcome, Outcome::kViolation) << name << seed;
      EXPECT_EQ(by_monitor->violation->stuck, by_search->violation->stuck) << name << seed;
      EXPECT_TRUE(has(by_monitor->violation->operations, by_monitor->violation->stuck)) << name << seed;
    }
  }
}

}  // namespace
}  // namespace plumb
