// Parts share one budget: a violation stops the parts after it, never those before it.
#include <atomic>
#include <chrono>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/oracle.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

using test::options;

// Key 1 is wrong at once and has the most operations, so it is decided first; key 2 would take for ever.
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

}  // namespace
}  // namespace plumb
