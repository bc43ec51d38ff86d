// Watching by recording, with nothing before it: the possible states are carried over the moments at which
// nothing runs. Held against the definition on short runs, against the ordinary check on longer ones.
#include <gtest/gtest.h>

#include <algorithm>

#include <plumb/object_model.hpp>

#include "support/model_name.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"
#include "support/simulated_run.hpp"
#include "support/told_run.hpp"

namespace plumb::test {
namespace {

const Model& model_named(std::string_view name) { return *find_model(name).value(); }

Heard record(const WatchedRun& run, const Model& model) { return tell_all(run, model, online_recorded); }

std::vector<const Model*> models(std::initializer_list<std::string_view> names) {
  std::vector<const Model*> all;
  for (const std::string_view name : names) all.push_back(&model_named(name));
  return all;
}

class Recorded : public ::testing::TestWithParam<const Model*> {};

TEST_P(Recorded, AgreesWithTheDefinition) {
  const Model& model = *GetParam();
  const std::size_t rounds = scaled(1500);
  for (const std::uint64_t seed : Seeds(rounds)) {
    RandomShape shape;
    shape.processes = 2 + seed % 3;
    shape.operations = 4 + seed % 6;
    shape.crash = seed % 2 == 0 ? 0.0 : 0.1;
    const auto history = RandomHistory(model, shape, seed).make().try_build();
    if (!history) continue;
    WatchedRun run = WatchedRun::of(*history);
    Rng rng(seed);
    if (seed % 4 > 1) run.lose_some(rng, 0.1);
    ASSERT_TRUE(agrees(run, record(run, model), model, Due::kAtQuiescence)) << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Models, Recorded,
    ::testing::ValuesIn(models({"stack", "deque", "map", "kv-append", "multi-register", "queue", "multiset",
                                "priority-queue", "register", "counter", "mutex", "set", "semaphore", "etcd",
                                "java:ConcurrentHashMap", "java:ConcurrentLinkedDeque"})),
    model_name);

// A run that goes on after operations were lost, under new names.
TEST(RecordedLong, AgreesWithTheDefinitionWhereOperationsAreLost) {
  std::size_t alarms = 0;
  const std::size_t rounds = scaled(6000);
  for (const std::uint64_t seed : Seeds(rounds)) {
    Rng rng(seed);
    std::vector<Value> items;
    std::int64_t next = 1;
    const auto start = [&](Rng& random) {
      const bool inserts = random.below(2) == 0;
      Op op{kNull, inserts ? "push" : "pop", {}, std::nullopt};
      if (inserts) op.args = {Value::small(random.below(2) == 0 ? 1 : next++)};
      return op;
    };
    const auto effect = [&](const Op& op) {
      if (!op.args.empty()) return items.push_back(op.args[0]), kNull;
      if (items.empty()) return kNull;
      const Value out = items.back();
      items.pop_back();
      return out;
    };
    WatchedRun run = SimulatedRun({2 + seed % 2, 0, 8, 0.1}, rng, start, effect).make();
    const Heard heard = record(run, model_named("stack"));
    alarms += heard.at == kNotHeard ? 0 : 1;
    ASSERT_TRUE(agrees(run, heard, model_named("stack"), Due::kAtQuiescence)) << "seed " << seed;
  }
  EXPECT_GT(alarms, rounds / 50);
  EXPECT_LT(alarms, rounds - rounds / 5);
}

bool is_linearizable_up_to(const WatchedRun& run, std::size_t end, const Model& model) {
  return check(run.first(end).build(), model, CheckOptions()).value().outcome == Outcome::kHolds;
}

// Any model, run by itself; some results are then changed.
WatchedRun long_run(const Model& model, std::size_t operations, std::size_t processes, bool spoil, Rng& rng,
                    std::uint64_t seed) {
  RandomShape shape;
  shape.processes = processes;
  shape.operations = operations;
  shape.crash = 0;
  shape.spoil = 0;
  Script script = RandomHistory(model, shape, seed).make();
  // One result is replaced by that of an operation like it; where no two are alike, by chance, it stays.
  for (int tries = spoil ? 100 : 0; tries > 0; --tries) {
    const Op& from = script.operations[rng.below(operations)];
    Op& to = script.operations[rng.below(operations)];
    const bool fits = from.f == to.f && (from.f != "txn" || from.args == to.args);
    if (!fits || from.is_pending() || to.is_pending() || from.result == to.result) continue;
    to.result = from.result;
    break;
  }
  WatchedRun run = WatchedRun::of(script.build());
  run.script = script;
  return run;
}

class RecordedMany : public ::testing::TestWithParam<const Model*> {};

TEST_P(RecordedMany, SegmentsAgreeWithTheCheck) {
  const Model& model = *GetParam();
  std::size_t alarms = 0;
  std::size_t late = 0;
  const std::size_t rounds = std::max<std::size_t>(scaled(150), 100);  // fewer may have no violation
  for (const std::uint64_t seed : Seeds(rounds)) {
    Rng rng(seed);
    const WatchedRun run = long_run(model, 40 + seed % 60, 2 + seed % 3, seed % 4 != 0, rng, seed);
    const Heard heard = record(run, model);
    ASSERT_EQ(heard.unjudged, "") << "seed " << seed << "\n" << run.text();
    alarms += heard.at == kNotHeard ? 0 : 1;
    if (heard.at != kNotHeard) {
      ASSERT_FALSE(is_linearizable_up_to(run, std::min(heard.at, run.steps.size()), model))
          << "seed " << seed;
    }
    if (heard.at == kNotHeard) {
      ASSERT_TRUE(is_linearizable_up_to(run, run.steps.size(), model)) << "seed " << seed;
      continue;
    }
    // Nothing that was impossible when nothing ran before; or, where too many states were
    // possible, before it had doubled.
    constexpr std::size_t kFew = 16;
    std::vector<std::size_t> quiet = {0};
    for (std::size_t at = run.quiescent_from(1); at < heard.at; at = run.quiescent_from(at + 1))
      quiet.push_back(at);
    if (is_linearizable_up_to(run, quiet.back(), model)) continue;
    ++late;
    const auto doubled = [&](std::size_t at) { return 2 * at + kFew <= quiet.back(); };
    const auto half = std::ranges::find_if(quiet.rbegin(), quiet.rend(), doubled);
    if (half != quiet.rend()) {
      ASSERT_TRUE(is_linearizable_up_to(run, *half, model)) << "seed " << seed;
    }
  }
  EXPECT_GT(alarms, 0U);
  EXPECT_LE(late, 1 + alarms / 20);
}

INSTANTIATE_TEST_SUITE_P(Models, RecordedMany,
                         ::testing::ValuesIn(models({"stack", "deque", "kv-append", "multi-register",
                                                     "priority-queue", "map", "register"})),
                         model_name);

// A run, event by event.
class Told {
 public:
  explicit Told(const Model& model) : model_(model) {}
  Told& call(int process, std::string_view f) {
    Script one;
    one.values = run_.script.values;
    one.add(process, f, 0, 1);
    open_[process] = run_.script.operations.size();
    run_.steps.push_back({WatchedRun::kCall, run_.script.operations.size()});
    run_.script.operations.push_back(one.operations[0]);
    return *this;
  }
  Told& ret(int process) { return end(process, WatchedRun::kOk); }
  Told& lost(int process) { return end(process, WatchedRun::kInfo); }
  Told& alone(int process, std::string_view f) { return call(process, f).ret(process); }
  [[nodiscard]] std::size_t heard() const {
    const Heard heard = record(run_, model_);
    EXPECT_EQ(heard.unjudged, "");
    EXPECT_TRUE(agrees(run_, heard, model_, Due::kAtQuiescence));
    return heard.at;
  }
  [[nodiscard]] std::size_t events() const { return run_.steps.size(); }

 private:
  Told& end(int process, WatchedRun::Kind kind) {
    run_.steps.push_back({kind, open_[process]});
    return *this;
  }
  const Model& model_;
  WatchedRun run_;
  std::map<int, std::size_t> open_;
};

TEST(RecordedStates, OverlappingPushesLeaveTwoStacksAndAPopDecides) {
  const auto begin = [] {
    Told told(model_named("stack"));
    return told.call(1, "push(1)").call(2, "push(2)").ret(1).ret(2);
  };
  for (const auto& [first, second] : {std::pair("pop:1", "pop:2"), std::pair("pop:2", "pop:1")}) {
    Told told = begin();
    told.alone(1, "push(7)").alone(1, "pop:7");
    EXPECT_EQ(told.alone(1, first).alone(1, second).alone(1, "pop:null").heard(), kNotHeard);
    Told twice = begin();
    twice.alone(1, first).alone(2, first);
    EXPECT_EQ(twice.heard(), twice.events());
  }
}

TEST(RecordedStates, ALostPushMayComeMuchLaterButOnce) {
  Told told(model_named("stack"));
  told.call(1, "push(1)").lost(1);
  for (int i = 0; i < 5; ++i) told.alone(2, "push(5)").alone(2, "pop:5").alone(2, "pop:null");
  told.alone(3, "pop:1").alone(3, "pop:null");
  EXPECT_EQ(told.heard(), kNotHeard);
  told.alone(3, "pop:1");
  EXPECT_EQ(told.heard(), told.events());
}

TEST(RecordedStates, ALostTransactionMayHaveReadWhatNobodyElseHas) {
  Told told(model_named("multi-register"));
  told.alone(2, R"(write(1, "old"))").call(1, R"(txn([["read", 1, null], ["write", 2, "new"]]))").lost(1);
  told.alone(2, R"(read(2):"new")").alone(2, R"(read(1):"old")");
  EXPECT_EQ(told.heard(), kNotHeard);
  told.alone(2, "read(2):0");
  EXPECT_EQ(told.heard(), told.events());
}

// A step that is not determined and returns nothing: only a read tells.
struct Coin {
  int side = 0;
  [[nodiscard]] Choices<bool, Coin> toss() const {
    Choices<bool, Coin> all;
    for (const int next : {1, 2}) all.add(true, Coin{next});
    return all;
  }
  [[nodiscard]] int look() const { return side; }
  bool operator==(const Coin&) const = default;
  [[nodiscard]] auto fields() const { return std::tie(side); }
};

TEST(RecordedStates, WhatWasSeenIsNotForgottenWhereStepsAreNotDetermined) {
  ObjectModel<Coin> coin("coin");
  coin.operation("toss", &Coin::toss);
  coin.operation("look", &Coin::look);
  for (const auto& [seen, other] : {std::pair("look:1", "look:2"), std::pair("look:2", "look:1")}) {
    Told told(coin);
    told.alone(1, "toss:true").alone(1, seen).alone(1, seen);
    EXPECT_EQ(told.heard(), kNotHeard);
    told.alone(1, other);
    EXPECT_EQ(told.heard(), told.events());
    Told again(coin);
    EXPECT_EQ(again.alone(1, "toss:true").alone(1, seen).alone(1, "toss:true").alone(1, other).heard(),
              kNotHeard);
  }
}

// More events than are told again to another monitor, then a text, for which the first one has no room.
TEST(RecordedLong, TheRecordingTakesOverALongRunWhereNothingRan) {
  WatchedRun run;
  const auto alone = [&](std::string f, std::vector<Value> args, Value result) {
    run.script.operations.push_back({Value::small(1), std::move(f), std::move(args), result});
    run.steps.push_back({WatchedRun::kCall, run.script.operations.size() - 1});
    run.steps.push_back({WatchedRun::kOk, run.script.operations.size() - 1});
  };
  alone("push_back", {Value::small(1)}, kNull);
  for (std::int64_t i = 2; i < 20'000; ++i) {
    alone("push_front", {Value::small(i)}, kNull);
    alone("pop_back", {}, Value::small(i - 1));
  }
  alone("push_front", {run.script.values->string("text")}, kNull);
  alone("pop_back", {}, Value::small(19'999));
  const Model& deque = model_named("deque");
  EXPECT_EQ(watch(run, deque).at, kNotHeard);
  EXPECT_EQ(watch(run, deque).unjudged, "");
  alone("pop_back", {}, Value::small(19'999));
  EXPECT_EQ(watch(run, deque).at, run.steps.size());
}

}  // namespace
}  // namespace plumb::test
