// plumb check says which engine decided, and why: in `-v`, and in the JSON.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "cli/command.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;

const std::string kTwice =
    operation(0, "enqueue", "1", "null", 0, 10) + operation(0, "enqueue", "1", "null", 20, 30);

Ran verbose(const char* model, const std::string& history) {
  return run({"check", "-", "-v", "-m", model}, {.input = history});
}

TEST(CheckEngine, Monitor) {
  const std::string history =
      operation(0, "enqueue", "1", "null", 0, 10) + operation(1, "dequeue", "", "1", 5, 20);
  EXPECT_THAT(verbose("queue", history).out, HasSubstr("engine       monitor: values are distinct\n"));
}

TEST(CheckEngine, FallbackToTheSearch) {
  EXPECT_THAT(verbose("queue", kTwice).out,
              HasSubstr("engine       frontier: 1 is inserted twice; what goes in and what comes out are "
                        "ordered apart\n"));
  EXPECT_THAT(verbose("deque", operation(0, "push_back", "1", "null", 0, 10)).out,
              HasSubstr("engine       wgl: this model has no monitor\n"));
}

// Key 1 was only put and got; key 2 was removed, which the monitor of a map does not judge.
TEST(CheckEngine, OneKeyByMonitorAnotherBySearch) {
  const std::string history =
      operation(0, "put", "1,5", "null", 0, 10) + operation(1, "get", "1", "5", 5, 20) +
      operation(2, "put", "2,6", "null", 0, 10) + operation(3, "remove", "2", "true", 5, 20);
  EXPECT_THAT(
      verbose("map", history).out,
      HasSubstr("engine       monitor+wgl: 1 part by monitor, 1 by search: it has operations other than "
                "reads and writes; 2 parts by key\n"));
  EXPECT_THAT(run({"check", "-", "--json", "-m", "map"}, {.input = history}).out,
              HasSubstr(R"("engine":"monitor+wgl")"));
}

TEST(CheckEngine, AMonitorThatWasAskedForAndCannotJudgeIsUnknown) {
  const Ran ran = run({"check", "-", "-v", "-m", "queue", "--engine", "monitor"}, {.input = kTwice});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("no monitor can judge it: 1 is inserted twice"));
}

const std::string kQueue = R"({"plumb":1,"model":"queue"})"
                           "\n";

TEST(CheckEngine, HittingFamiliesSayTheDepth) {
  const std::string easy =
      kQueue + operation(0, "enqueue", "1", "null", 0, 10) + operation(1, "dequeue", "", "1", 5, 20);
  const Ran json = run({"check", "-", "--json", "--engine", "hitting"}, {.input = easy});
  EXPECT_EQ(json.status, 0);
  EXPECT_THAT(json.out, HasSubstr(R"("engine":"hitting","why":"asked for")"));
  EXPECT_THAT(json.out, HasSubstr(R"(,"depth":1,)"));
  EXPECT_THAT(run({"check", "-", "-e", "hitting"}, {.input = easy}).out, HasSubstr(", depth 1]"));
}

TEST(CheckEngine, WhatHittingFamiliesDoNotProveIsSearched) {
  const std::string bad = kQueue + operation(1, "dequeue", "", "1", 5, 20);
  const Ran handed = run({"check", "-", "--json", "-e", "hitting"}, {.input = bad});
  EXPECT_EQ(handed.status, 1);
  EXPECT_THAT(handed.out, HasSubstr(R"("engine":"hitting+wgl")"));
  EXPECT_THAT(handed.out, HasSubstr(R"(,"depth":null,)"));
  const Ran only = run({"check", "-", "-e", "hitting", "--only", "--max-depth", "3"}, {.input = bad});
  EXPECT_EQ(only.status, 3);
  EXPECT_THAT(only.out, HasSubstr("no witness in the hitting families up to depth 3"));
  EXPECT_EQ(run({"check", "-", "-e", "hitting", "--max-depth", "0"}, {.input = bad}).status, 2);
}

}  // namespace
}  // namespace plumb::test
