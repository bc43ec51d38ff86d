// Histories that do not fit their model: each is told what was expected.
#include <gtest/gtest.h>

#include "sequential.hpp"

namespace plumb::test {
namespace {

struct Misfit {
  std::string model;
  std::string line;
  std::string message;  // part of it
};

TEST(Bind, SaysWhatWasExpected) {
  const std::vector<Misfit> misfits = {
      {"queue", "enqeue(1)", "no operation 'enqeue' (did you mean 'enqueue'?)"},
      {"queue", "enqueue()", "'enqueue' with 0 arguments; expected 1 argument"},
      {"queue", "dequeue(1)", "'dequeue' with 1 argument; expected 0 arguments"},
      {"queue", "enqueue(null)", "argument 1 of 'enqueue' is null; expected a value other than null"},
      {"counter", "add(\"1\")", "argument 1 of 'add' is \"1\"; expected an integer"},
      {"counter", "read() -> null", "result of 'read' is null; expected an integer"},
      {"set", "add(1) -> 1", "result of 'add' is 1; expected true or false"},
      {"kv-append", "append(1, 2)", "argument 2 of 'append' is 2; expected a string"},
      {"kv-append", "get(1) -> null", "result of 'get' is null; expected a string"},
      {"semaphore", "acquire(0)", "'acquire': 0 permits; expected at least 1"},
      {"semaphore", "acquire(1, 2)", "'acquire' with 2 arguments; expected 0 to 1 argument"},
      {"multi-register", "txn(3)", "argument 1 of 'txn' is 3; expected an array"},
      {"multi-register", "txn([[\"cas\", 1, 2]])",
       "expected [\"read\", key, null] or [\"write\", key, value]"},
      {"multi-register", "txn([[\"write\", 1]])",
       "expected [\"read\", key, null] or [\"write\", key, value]"},
      {"multi-register", "txn([[\"r\", 1]]) -> 4",
       "expected the steps of the transaction with the reads filled in"},
      {"multi-register", "txn([[\"w\", 1, 2]]) -> [[\"w\", 1, 3]]", "expected the steps of the transaction"},
  };
  for (const Misfit& misfit : misfits) {
    SCOPED_TRACE(misfit.model + " " + misfit.line);
    const auto histories = parse_script({parse_line(misfit.line)}, "null");
    ASSERT_TRUE(histories.ok()) << histories.error().text();
    const auto bound = BoundHistory::bind(histories->front(), **find_model(misfit.model));
    ASSERT_FALSE(bound.ok());
    EXPECT_NE(bound.error().message.find(misfit.message), std::string::npos) << bound.error().message;
    EXPECT_EQ(bound.error().place.line, 2U);
  }
}

TEST(Bind, WhatIsReturnedForNothingDoesNotMatter) {
  const auto histories = parse_script({parse_line("enqueue(1) -> \"ok\"")}, "null");
  ASSERT_TRUE(histories.ok());
  const auto bound = BoundHistory::bind(histories->front(), **find_model("queue"));
  ASSERT_TRUE(bound.ok());
  EXPECT_EQ(bound->result(0), kNull);
}

}  // namespace
}  // namespace plumb::test
