// The counter, watched: against the definition at every event, and for long.
#include <gtest/gtest.h>

#include <optional>

#include "support/scale.hpp"
#include "support/watched_run.hpp"

namespace plumb::test {
namespace {

const Model& counter() { return *find_model("counter").value(); }

struct CounterShape {
  std::size_t processes = 3;
  std::size_t operations = 7;
  std::int64_t largest = 3;  // amount
  double reads = 0.3;
  double ends_badly = 0.05;  // each: fails, is lost
  std::int64_t initial = 0;
};

// A run that is linearizable, unless a failed operation was needed, and that tells of each event as it makes it.
class CounterRun {
 public:
  CounterRun(const CounterShape& shape, std::uint64_t seed)
      : shape_(shape), rng_(seed), count_(shape.initial), processes_(shape.processes) {
    for (auto& process : processes_) process.name = next_name_++;
    run_.script.initial = Value::small(shape.initial);
  }

  WatchedRun make() {
    while (started_ < shape_.operations) step();
    for (std::size_t i = 0; i < 4 * shape_.processes; ++i) {
      if (processes_[i % shape_.processes].running) move(processes_[i % shape_.processes]);
    }
    return std::move(run_);
  }

  Rng& rng() { return rng_; }

 private:
  struct Process {
    std::int64_t name = 0;
    std::optional<std::size_t> running;
    bool took_effect = false;
  };

  void step() {
    Process& process = processes_[rng_.below(processes_.size())];
    if (process.running) return move(process);
    Op op{Value::small(process.name), "read", {}, std::nullopt};
    if (!rng_.chance(shape_.reads)) {
      op.f = "fetch_add";
      op.args = {Value::small(
          1 + static_cast<std::int64_t>(rng_.below(static_cast<std::uint64_t>(shape_.largest))))};
    }
    process.running = run_.script.operations.size();
    process.took_effect = false;
    run_.script.operations.push_back(std::move(op));
    run_.steps.push_back({WatchedRun::kCall, *process.running});
    ++started_;
  }

  void move(Process& process) {
    const std::size_t i = *process.running;
    Op& op = run_.script.operations[i];
    if (!process.took_effect && rng_.below(2) == 0) {
      process.took_effect = true;
      op.result = Value::small(count_);
      if (!op.args.empty()) count_ += op.args[0].small_integer();
      return;
    }
    WatchedRun::Kind kind = WatchedRun::kOk;
    if (rng_.chance(shape_.ends_badly)) {
      kind = WatchedRun::kFail;
    } else if (rng_.chance(shape_.ends_badly)) {
      kind = WatchedRun::kInfo;
      process.name = next_name_++;
    } else if (!process.took_effect) {
      return;
    }
    run_.steps.push_back({kind, i});
    process.running.reset();
  }

  CounterShape shape_;
  Rng rng_;
  std::int64_t count_;
  std::vector<Process> processes_;
  std::int64_t next_name_ = 0;
  std::size_t started_ = 0;
  WatchedRun run_;
};

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
  for (std::size_t seed = 0; seed < rounds; ++seed) {
    CounterShape shape;
    shape.processes = 2 + seed % 5;
    shape.operations = 3 + seed % 8;
    shape.largest = std::array{1, 2, 3, 5, 9}[seed % 5];
    shape.reads = std::array{0.0, 0.2, 0.5}[seed / 5 % 3];
    shape.ends_badly = std::array{0.0, 0.03, 0.15}[seed / 15 % 3];
    shape.initial = seed % 7 == 0 ? -3 : 0;
    CounterRun maker(shape, seed);
    WatchedRun run = maker.make();
    spoil(run, maker.rng());
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
    shape.ends_badly = 0;
    WatchedRun run = CounterRun(shape, 1).make();
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

}  // namespace
}  // namespace plumb::test
