// The counter, watched: against the definition at every event, and for long.
#include <gtest/gtest.h>

#include <ctime>
#include <optional>

#include "support/scale.hpp"
#include "support/simulated_run.hpp"

namespace plumb::test {
namespace {

const Model& counter() { return *find_model("counter").value(); }

struct CounterShape : RunShape {
  std::int64_t largest = 3;  // amount
  double reads = 0.3;
  std::int64_t initial = 0;
};

WatchedRun counter_run(const CounterShape& shape, Rng& rng) {
  std::int64_t count = shape.initial;
  const auto start = [&](Rng& random) {
    Op op{kNull, "read", {}, std::nullopt};
    if (random.chance(shape.reads)) return op;
    op.f = "fetch_add";
    const std::uint64_t more = random.below(static_cast<std::uint64_t>(shape.largest));
    op.args = {Value::small(1 + static_cast<std::int64_t>(more))};
    return op;
  };
  const auto effect = [&](const Op& op) {
    const Value result = Value::small(count);
    if (!op.args.empty()) count += op.args[0].small_integer();
    return result;
  };
  WatchedRun run = SimulatedRun(shape, rng, start, effect).make();
  run.script.initial = Value::small(shape.initial);
  return run;
}

void spoil(WatchedRun& run, Rng& rng) {
  for (std::size_t changes = rng.below(3); changes > 0; --changes) {
    Op& op = run.script.operations[rng.below(run.script.operations.size())];
    if (!op.result) continue;
    const std::int64_t by = static_cast<std::int64_t>(rng.below(7)) - 3;
    op.result = Value::small(op.result->small_integer() + by);
  }
}

TEST(OnlineCounter, AgreesWithTheDefinitionAtEveryEvent) {
  const std::size_t rounds = scaled(50000);
  for (const std::uint64_t seed : Seeds(rounds)) {
    CounterShape shape;
    shape.processes = 2 + seed % 5;
    shape.operations = 3 + seed % 8;
    shape.largest = std::array{1, 2, 3, 5, 9}[seed % 5];
    shape.reads = std::array{0.0, 0.2, 0.5}[seed / 5 % 3];
    shape.ends_badly = std::array{0.0, 0.03, 0.15}[seed / 15 % 3];
    shape.initial = seed % 7 == 0 ? -3 : 0;
    Rng rng(seed);
    WatchedRun run = counter_run(shape, rng);
    spoil(run, rng);
    ASSERT_TRUE(agrees(run, counter(), Due::kAtOnce)) << "seed " << seed;
  }
}

// With 8 processes there are far more configurations than could be kept.
TEST(OnlineCounter, WatchesALongRunWithManyOpen) {
  for (const std::int64_t largest : {1, 5}) {
    CounterShape shape;
    shape.processes = 8;
    shape.operations = scaled(100'000);
    shape.largest = largest;
    Rng rng(1);
    WatchedRun run = counter_run(shape, rng);
    const Heard heard = watch(run, counter());
    EXPECT_EQ(heard.at, kNotHeard);
    EXPECT_EQ(heard.unjudged, "");
    // a number that was passed long ago, at the end
    Op& last = run.script.operations[run.steps.back().operation];
    last.result = Value::small(last.result.value_or(kNull).small_integer() - 200);
    EXPECT_EQ(watch(run, counter()).at, run.steps.size());
  }
}

// After many fetch_adds an add: from a moment at which the number was known another monitor goes on.
TEST(OnlineCounter, HandsOverWhereTheNumberIsKnown) {
  WatchedRun run;
  const auto add = [&](const std::string& f, std::vector<Value> args, Value result) {
    run.script.operations.push_back({Value::small(0), f, std::move(args), result});
    run.steps.push_back({WatchedRun::kCall, run.script.operations.size() - 1});
    run.steps.push_back({WatchedRun::kOk, run.script.operations.size() - 1});
  };
  constexpr std::int64_t kMany = 30'000;
  for (std::int64_t i = 0; i < kMany; ++i) add("fetch_add", {Value::small(1)}, Value::small(i));
  add("add", {Value::small(-5)}, kNull);
  add("read", {}, Value::small(kMany - 5));
  EXPECT_EQ(watch(run, counter()).at, kNotHeard);
  EXPECT_EQ(watch(run, counter()).unjudged, "");
  add("read", {}, Value::small(kMany));
  EXPECT_EQ(watch(run, counter()).at, run.steps.size());
}

TEST(OnlineCounter, NumbersThatMayComeRoundAreNotJudgedByIt) {
  WatchedRun run;
  const Value large = run.script.values->integer(std::int64_t{1} << 62U);
  for (int i = 0; i < 4; ++i) {
    run.script.operations.push_back({Value::small(i), "fetch_add", {large}, std::nullopt});
    run.steps.push_back({WatchedRun::kCall, static_cast<std::size_t>(i)});
  }
  run.script.operations.push_back({Value::small(4), "fetch_add", {Value::small(1)}, Value::small(0)});
  run.steps.push_back({WatchedRun::kCall, 4});
  run.steps.push_back({WatchedRun::kOk, 4});
  run.script.operations.push_back({Value::small(4), "read", {}, Value::small(1)});
  run.steps.push_back({WatchedRun::kCall, 5});
  run.steps.push_back({WatchedRun::kOk, 5});
  EXPECT_EQ(watch(run, counter()).at, kNotHeard);
}

TEST(OnlineCounter, GoesOnAfterAViolation) {
  auto watcher = std::move(Watcher::make(counter()).value());
  const auto fetch_add = [&](int process, std::int64_t number) {
    const Value one = Value::small(1);
    EXPECT_FALSE(watcher.call(Value::small(process), "fetch_add", std::span(&one, 1)).value());
    return watcher.ret(Value::small(process), {Value::small(number), true}).value();
  };
  EXPECT_FALSE(fetch_add(0, 0));
  EXPECT_FALSE(fetch_add(1, 1));
  EXPECT_TRUE(fetch_add(0, 1));  // a second 1: left out
  EXPECT_FALSE(fetch_add(1, 2));
  EXPECT_TRUE(fetch_add(1, 9));  // a jump: believed
  EXPECT_FALSE(fetch_add(0, 10));
  const auto alarm = fetch_add(0, 3);
  ASSERT_TRUE(alarm);
  EXPECT_EQ(alarm->reason,
            "`fetch_add(1) → 3` by process 0 is impossible: the counter was at 11 before it was called");
}

// Two processes that add at the same time, again and again, from `count` on. True: all of it was fine.
bool add_for_long(Watcher& watcher, std::size_t events, std::int64_t& count) {
  bool fine = true;
  const auto told = [&](const Watcher::Answer& answer) { fine = fine && answer.ok() && !*answer; };
  for (std::size_t i = 0; i < events; i += 6) {
    const Value one = Value::small(1);
    const Value two = Value::small(2);
    told(watcher.call(one, "add", std::span(&one, 1)));
    told(watcher.call(two, "fetch_add", std::span(&two, 1)));
    told(watcher.ret(two, {Value::small(count + static_cast<std::int64_t>(i / 6 % 2)), true}));
    told(watcher.ret(one, {kNull, true}));
    count += 3;
    told(watcher.call(one, "read", {}));
    told(watcher.ret(one, {Value::small(count), true}));
  }
  return fine;
}

double seconds_of_processor() {
  timespec time = {};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

// Linear is 8 times; where the whole run is gone over again and again, it is 64 times.
TEST(OnlineCounter, TimeGrowsWithTheRunAlsoWhereAddsAreAmongIt) {
  const auto takes = [](std::size_t events) {
    Watcher watcher = std::move(Watcher::make(counter()).value());
    std::int64_t count = 0;
    const double start = seconds_of_processor();
    EXPECT_TRUE(add_for_long(watcher, events, count));
    return seconds_of_processor() - start;
  };
  const double some = takes(60'000);
  EXPECT_LT(takes(480'000), 25 * some);
}

// So many different sums are possible that the next monitor takes over: it knows what the counter was before.
TEST(OnlineCounter, AfterALongRunItCanStillFallBack) {
  for (const std::int64_t off : {0, 1}) {
    Watcher watcher = std::move(Watcher::make(counter()).value());
    std::int64_t count = 0;
    ASSERT_TRUE(add_for_long(watcher, 60'000, count));
    for (int p = 0; p < 16; ++p) {
      const Value amount = Value::small(std::int64_t{1} << p);
      ASSERT_TRUE(watcher.call(Value::small(p), "add", std::span(&amount, 1)).ok());
    }
    ASSERT_TRUE(watcher.call(Value::small(20), "read", {}).ok());
    bool alarm = watcher.ret(Value::small(20), {Value::small(count + 0b1010101), true})->has_value();
    for (int p = 0; p < 16; ++p) alarm |= watcher.ret(Value::small(p), {kNull, true})->has_value();
    ASSERT_TRUE(watcher.call(Value::small(20), "read", {}).ok());
    alarm |= watcher.ret(Value::small(20), {Value::small(count + 0xFFFF + off), true})->has_value();
    alarm |= watcher.settle()->has_value();
    EXPECT_EQ(watcher.unjudged(), "");
    EXPECT_EQ(alarm, off != 0);
  }
}

}  // namespace
}  // namespace plumb::test
