// Parts share one budget: a violation stops the parts after it, never those before it.
#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <plumb/check.hpp>
#include <plumb/explain.hpp>

#include "support/oracle.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

using test::options;

// Key 1 is wrong at once and has the most operations, so it is decided first; key 2 would take forever.
test::Script wrong_and_endless() {
  test::Script script;
  for (int k = 0; k < 100; ++k) script.add(100, "get(1):9", 1000 + 2 * k, 1001 + 2 * k);
  for (int p = 0; p < 40; ++p) script.add(p, "put(2," + std::to_string(p) + "):null", 0, 10);
  script.add(50, "get(2):99", 11, 12);
  return script;
}

TEST(Budget, AViolationEndsTheWorkOnOtherParts) {
  const History history = wrong_and_endless().build();
  const auto verdict = check(history, *find_model("map").value(), options(Engine::kWgl));
  ASSERT_TRUE(verdict.ok() && verdict->violation);
  EXPECT_EQ(verdict->parts, 2U);
  EXPECT_EQ(verdict->violation->stuck, 0U);
}

// The other way round the endless part comes first; the time it takes must not turn into a verdict.
TEST(Budget, WhatIsNotDecidedIsNotLinearizable) {
  test::Script script = wrong_and_endless();
  for (test::Op& op : script.operations) {
    if (op.f == "get" && op.args[0] == Value::small(1)) op.result = kNull;  // key 1 is in order now
  }
  const History history = script.build();
  CheckOptions limited = options(Engine::kWgl);
  limited.timeout = std::chrono::milliseconds(50);
  const auto verdict = check(history, *find_model("map").value(), limited);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->outcome, Outcome::kUnknown);
  EXPECT_TRUE(verdict->linearization.empty());
}

TEST(Budget, TheStopFlagIsSeenDuringASearch) {
  test::Script endless = wrong_and_endless();
  std::erase_if(endless.operations, [](const test::Op& op) { return op.args[0] == Value::small(1); });
  const History only_endless = endless.build();
  std::atomic<bool> stop = false;
  CheckOptions stopped = options(Engine::kWgl);
  stopped.stop = &stop;
  std::thread other([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    stop = true;
  });
  const auto verdict = check(only_endless, *find_model("map").value(), stopped);
  other.join();
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->outcome, Outcome::kUnknown);
  EXPECT_EQ(verdict->why, "interrupted");
}

// A register whose every step takes its time.
class SlowStates final : public States {
 public:
  StateId initial() override { return 0; }
  void step(StateId from, const Call& call, std::optional<Value> result,
            std::vector<StateId>& next) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
    const bool is_read = call.operation == 1;
    if (is_read && result && *result != Value::from_bits(from)) return;
    next.push_back(is_read ? from : call.args[0].bits());
  }
  std::vector<Value> results(StateId from, const Call&) override { return {Value::from_bits(from)}; }
  std::string describe(StateId) const override { return "?"; }
  const Values& values() const override { return values_; }
  std::size_t count() const override { return 1; }
  std::size_t memory() const override { return 0; }

 private:
  Values values_;
};

class SlowModel final : public Model {
 public:
  std::string_view name() const override { return "slow"; }
  std::string_view summary() const override { return ""; }
  std::span<const OperationSpec> operations() const override { return operations_; }
  std::optional<Value> key(const Call&) const override { return std::nullopt; }
  bool is_keyed() const override { return false; }
  bool depends_on_process() const override { return false; }
  Result<std::unique_ptr<States>> states(const Values&, Value) const override {
    return std::unique_ptr<States>(std::make_unique<SlowStates>());
  }

 private:
  std::vector<OperationSpec> operations_ = {
      {.name = "write", .takes = {Takes::kAny}},
      {.name = "read", .returns = Returns::kAny, .effect = Effect::kNeverChanges}};
};

// Where steps are slow, the clock is read after each: a thousand of them would take five seconds.
TEST(Budget, TheClockIsReadOftenWhereStepsAreSlow) {
  test::Script script;
  for (int p = 0; p < 30; ++p) script.add(p, "write(" + std::to_string(p) + "):null", 0, 10);
  script.add(40, "read():99", 11, 12);
  const History history = script.build();
  CheckOptions limited = options(Engine::kWgl);
  limited.timeout = std::chrono::milliseconds(50);
  const auto start = std::chrono::steady_clock::now();
  const auto verdict = check(history, SlowModel(), limited);
  EXPECT_LT(std::chrono::steady_clock::now() - start, std::chrono::seconds(2));
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->outcome, Outcome::kUnknown);
  ASSERT_TRUE(verdict->explained);
}

// Each state is a list of 20,000 values.
TEST(Budget, MemoryIsLookedAtOftenWhereStatesAreLarge) {
  test::Script script;
  for (int i = 0; i < 400; ++i) {
    script.add(0, "push_back(" + std::to_string(i) + "):null", 4 * i, 4 * i + 1);
    script.add(0, "pop_front():0", 4 * i + 2, 4 * i + 3);
  }
  script.initial = script.values->array(std::vector<Value>(20'000, Value::small(0)));
  const History history = script.build();
  CheckOptions limited = options(Engine::kWgl);
  limited.memory = std::size_t{1} << 20U;
  const auto verdict = check(history, *find_model("deque").value(), limited);
  ASSERT_TRUE(verdict.ok());
  EXPECT_EQ(verdict->outcome, Outcome::kUnknown);
  EXPECT_LT(verdict->configurations, 100U);
}

// What is explained of two keys: one is endless from its 41st operation on, the other is in order throughout.
TEST(Budget, WhatIsExplainedIsAnOrderOfAllThatReturned) {
  test::Script script = wrong_and_endless();
  for (test::Op& op : script.operations) {
    if (op.f == "get" && op.args[0] == Value::small(1)) op.result = kNull;
  }
  for (int k = 0; k < 3; ++k) script.add(200 + k, "put(1,7):null", 0, 5000);
  const History history = script.build();
  const Model& model = *find_model("map").value();
  for (const Engine engine : {Engine::kWgl, Engine::kBrute}) {
    CheckOptions limited = options(engine);
    limited.timeout = std::chrono::milliseconds(50);
    const auto verdict = check(history, model, limited);
    ASSERT_TRUE(verdict.ok() && verdict->explained);
    const Explained& explained = *verdict->explained;
    if (engine == Engine::kWgl) {
      EXPECT_EQ(history.describe(explained.next), "process 50: get(2) -> 99");
    }
    EXPECT_EQ(explained.returned, 40U);
    EXPECT_EQ(walk(history, model, explained.order).size(), explained.order.size());
    for (OperationId i = 0; i < history.size(); ++i) {
      if (history.ret(i) >= history.ret(explained.next)) continue;
      EXPECT_EQ(std::ranges::count(explained.order, i), 1) << history.describe(i);
    }
  }
}

}  // namespace
}  // namespace plumb
