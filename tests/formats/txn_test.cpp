// Transactions of one step, as registers per key; and Jepsen's history.txt.
#include <gtest/gtest.h>

#include "support/parsing.hpp"

namespace plumb {
namespace {

TEST(Txn, StepsAreReadsAndWritesOfRegisters) {
  const History h = parsed_one(R"({:process 0, :type :invoke, :f :txn, :value [[:w :x 3]]}
{:process 1, :type :invoke, :f :txn, :value [[:r :y nil]]}
{:process 0, :type :ok, :f :txn, :value [[:w :x 3]]}
{:process 1, :type :ok, :f :txn, :value [[:r :y 4]]}
{:process 1, :type :invoke, :f :txn, :value [[:w :y 5]]}
{:process 1, :type :info, :f :txn, :value [[:w :y 5]], :error :timeout}
{:process 2, :type :invoke, :f :txn, :value [[:w :y 6]]}
{:process 2, :type :fail, :f :txn, :value [[:w :y 6]]})",
                               "txn");
  ASSERT_EQ(h.size(), 3U);
  EXPECT_EQ(h.describe(0), "process 0: write(3) -> null");
  EXPECT_EQ(h.describe(1), "process 1: read() -> 4");
  EXPECT_EQ(h.describe(2), "process 1: write(5) -> (pending)");
  EXPECT_EQ(h.values().to_json(h.object(0)), R"(":x")");
  EXPECT_EQ(h.values().to_json(h.object(1)), R"(":y")");
  const History read_nothing = parsed_one(R"({"process":0,"type":"invoke","f":"txn","value":[["r",1,null]]}
{"process":0,"type":"ok","f":"txn","value":[["r",1,null]]})",
                                          "txn");
  EXPECT_EQ(read_nothing.describe(0), "process 0: read() -> null");
}

TEST(Txn, OtherEventsAreRefused) {
  const auto event = [](const std::string& f, const std::string& value) {
    return fault("{:process 0, :type :invoke, :f :" + f + ", :value " + value + "}", "txn");
  };
  EXPECT_TRUE(says(event("txn", "[[:r :x nil] [:w :y 1]]"), "1:1", "a transaction of one step"));
  EXPECT_TRUE(says(event("txn", "[]"), "1:1", "a transaction of one step"));
  EXPECT_TRUE(says(event("txn", "[[:append :x 1]]"), "1:1", "a step :r or :w"));
  EXPECT_TRUE(says(event("txn", "[[:r :x]]"), "1:1", "a step [:r key value]"));
  EXPECT_TRUE(says(event("read", "[[:r :x nil]]"), "1:32", "expected the function txn"));
  EXPECT_TRUE(says(fault("{:process 0, :type :invoke, :f :txn, :value [[:w :x 1]]}\n{:process 0, :type :ok, "
                         ":f :txn, :value [[:w :y 1]]}",
                         "txn"),
                   "2:1", "expected the same key"));
}

TEST(Txn, WhatWasWrittenStaysThat) {
  const auto ok = [](const std::string& value) {
    return fault(
        "{:process 0, :type :invoke, :f :txn, :value [[:w :x 1]]}\n{:process 0, :type :ok, :f :txn, "
        ":value [[:w :x " +
            value + "]]}",
        "txn");
  };
  EXPECT_TRUE(says(ok("nil"), "2:1", "the value null, but process 0 was called to write 1"));
  EXPECT_TRUE(says(ok("2"), "2:1", "the value 2"));
}

TEST(JepsenHistoryText, AMisspeltTypeIsNoOtherLine) {
  EXPECT_TRUE(says(fault("0\t:invoke\t:write\t4\n0\t:okay\t:write\t4\n"), "2:3", "did you mean 'ok'?"));
  EXPECT_TRUE(says(fault("0\t:invoke\t:write\t4\n0\t:OK\t:write\t4\n"), "2:3", "expected the type"));
  EXPECT_EQ(parsed_one("0\t:invoke\t:write\t4\nnode 3 :okay then\n").size(), 1U);
}

TEST(JepsenHistoryText, LinesWithoutWhatAConsoleWrites) {
  const std::string text =
      "0\t:invoke\t:write\t4\n:nemesis\t:info\t:start\tnil\n1\t:invoke\t:read\tnil\n0\t:ok\t:write\t4\n1\t:"
      "fail\t:read\tnil\t:timeout\n";
  const History h = parsed_one(text);
  ASSERT_EQ(h.size(), 1U);
  EXPECT_EQ(h.describe(0), "process 0: write(4) -> null");
  EXPECT_FALSE(h.has_clock_times());
}

// The value of an event may look like the beginning of a line of the console.
TEST(HistoryTxt, AValueThatReadsLikeTheMarker) {
  const History h = parsed_one(
      "0\t:invoke\t:write\t\"jepsen.util\"\n0\t:ok\t:write\t\"jepsen.util\"\n"
      "1\t:invoke\t:read\tnil\n1\t:ok\t:read\t\"jepsen.util\"\n",
      "jepsen-log");
  ASSERT_EQ(h.size(), 2U);
  EXPECT_EQ(h.pending(), 0U);
  EXPECT_EQ(h.describe(1), R"(process 1: read() -> "jepsen.util")");
}

}  // namespace
}  // namespace plumb
