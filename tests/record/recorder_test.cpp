// What a recorder keeps of operations, one by one.
#include <plumb/record.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include <plumb/files.hpp>

#include "record/support.hpp"

namespace plumb {
namespace {

using test::lines;

TEST(Recorder, KeepsOperationsInTheOrderOfTheirCalls) {
  auto recorder = Recorder::in_memory({.model = "queue"});
  ASSERT_TRUE(recorder.ok()) << recorder.error().text();
  const auto push = (*recorder)->function("enqueue");
  const auto pop = (*recorder)->function("dequeue");
  ThreadLog& first = (*recorder)->thread();
  ThreadLog& second = (*recorder)->thread();
  first.call(push, 7);
  second.call(pop);
  second.ret(nullptr);
  first.ret();
  second.call(pop);
  const auto history = (*recorder)->history();
  ASSERT_TRUE(history.ok()) << history.error().text();
  EXPECT_EQ(history->model(), "queue");
  EXPECT_EQ(history->clocks(), 1U) << "those of one machine do not differ";
  EXPECT_EQ(lines(*history),
            "process 0: enqueue(7)\nprocess 1: dequeue() -> null\nprocess 1: dequeue() -> (pending)\n");
  EXPECT_LT(history->call(0), history->call(1));
  EXPECT_LT(history->ret(1), history->ret(0));
  EXPECT_LT(history->ret(0), history->call(2));
}

// A slot has 32 bits for what an operation takes: less than two seconds of some clocks.
TEST(Recorder, KeepsOperationsThatTakeLong) {
  test::Folder folder;
  auto recorder = Recorder::open(folder.file("long.plumb"), {.clock = ClockKind::kSystem});
  ASSERT_TRUE(recorder.ok()) << recorder.error().text();
  const auto f = (*recorder)->function("f");
  ThreadLog& log = (*recorder)->thread();
  constexpr std::uint64_t kHour = 3'600'000'000'000;
  constexpr int kOperations = 1000;  // more than the first block has room for
  for (int i = 0; i < kOperations; ++i) {
    log.call(f, i);
    const std::uint64_t now = log.stamp();
    log.ret_at(i < kOperations / 2 ? now : now + kHour * static_cast<std::uint64_t>(i), i);
  }
  EXPECT_TRUE((*recorder)->close().ok());
  const auto history = (*recorder)->history();
  ASSERT_TRUE(history.ok()) << history.error().text();
  ASSERT_EQ(history->size(), static_cast<std::size_t>(kOperations));
  EXPECT_EQ(history->pending(), 0U);
  for (OperationId i = kOperations / 2 + 1; i < kOperations; ++i) {
    EXPECT_GE(history->ret(i) - history->call(i), static_cast<Time>(kHour)) << i;
    EXPECT_GE(history->call(i), history->ret(i - 1)) << i;
  }
}

TEST(Recorder, KeepsValuesOfEveryKind) {
  test::Folder folder;
  for (const bool in_memory : {true, false}) {
    auto recorder = in_memory ? Recorder::in_memory() : Recorder::open(folder.file("values.plumb"));
    ASSERT_TRUE(recorder.ok()) << recorder.error().text();
    ThreadLog& log = (*recorder)->thread();
    const auto f = (*recorder)->function("f");
    log.call(f, 1, true, nullptr, "text", std::int64_t{1} << 40, LogValue::json("[1,{\"a\":2.5}]"), -1);
    log.ret(std::string(99, 'x'));
    log.call(f, std::string("\xff"));
    log.ret(~std::uint64_t{0});
    log.call(f, std::optional<int>());
    log.ret(std::optional<int>(5));
    log.call(f, -(1 << 30), (1 << 30) - 1, 1 << 30);
    log.ret("");
    EXPECT_TRUE((*recorder)->close().ok());
    const auto history = (*recorder)->history();
    ASSERT_TRUE(history.ok()) << history.error().text();
    EXPECT_EQ(lines(*history),
              "process 0: f(1, true, null, \"text\", 1099511627776, [1,{\"a\":2.5}], -1) -> \"" +
                  std::string(99, 'x') +
                  "\"\n"
                  "process 0: f({\"bytes\":\"ff\"}) -> \"18446744073709551615\"\n"
                  "process 0: f(null) -> 5\n"
                  "process 0: f(-1073741824, 1073741823, 1073741824) -> \"\"\n");
  }
}

TEST(Recorder, AnOperationThatFailedIsLeftOutAndOneThatIsLostStaysPending) {
  auto recorder = Recorder::in_memory();
  const auto f = (*recorder)->function("f");
  ThreadLog& log = (*recorder)->thread();
  ThreadLog& other = (*recorder)->thread();
  log.ret(3);  // of nothing
  log.call(f, 1);
  log.fail();
  log.call(f, 2);
  log.info();
  log.call(f, 3);
  log.call(f, 4);
  log.ret(5);
  (*recorder)->release(log);
  EXPECT_EQ(&(*recorder)->thread(), &log);
  other.call(f, 6);
  other.ret(6);
  log.call(f, 7);
  log.ret();
  const auto history = (*recorder)->history();
  ASSERT_TRUE(history.ok()) << history.error().text();
  EXPECT_EQ(lines(*history),
            "process 0: f(2) -> (pending)\nprocess 2: f(3) -> (pending)\nprocess 3: f(4) -> 5\n"
            "process 1: f(6) -> 6\nprocess 3: f(7)\n");
}

TEST(Recorder, ObjectsAreThoseOfTheFunctions) {
  auto recorder = Recorder::in_memory({.model = "register", .initial = "7"});
  const auto read_a = (*recorder)->function("read", "a");
  const auto read_b = (*recorder)->function("read", "b");
  ThreadLog& log = (*recorder)->thread();
  log.call(read_a);
  log.ret(7);
  log.call(read_b);
  log.ret(7);
  const auto history = (*recorder)->history();
  ASSERT_TRUE(history.ok()) << history.error().text();
  EXPECT_EQ(history->values().to_json(history->object(0)), "\"a\"");
  EXPECT_EQ(history->values().to_json(history->object(1)), "\"b\"");
  EXPECT_EQ(history->initial(), Value::small(7));
  EXPECT_EQ(history->functions().size(), 1U);
}

TEST(Recorder, ManyBlocksAreOneLog) {
  test::Folder folder;
  constexpr int kOperations = 100'000;
  for (const bool in_memory : {true, false}) {
    const RecorderOptions options{.block_size = 1 << 16};
    auto recorder =
        in_memory ? Recorder::in_memory(options) : Recorder::open(folder.file("many.plumb"), options);
    ASSERT_TRUE(recorder.ok()) << recorder.error().text();
    const auto f = (*recorder)->function("f");
    ThreadLog& log = (*recorder)->thread();
    const std::string text(50, 'x');
    for (int i = 0; i < kOperations; ++i) {
      log.call(f, i);
      if (i % 3 == 0) {
        log.ret(i);
      } else if (i % 3 == 1) {
        log.ret(text);
      } else {
        log.ret((std::int64_t{1} << 33) + i);
      }
    }
    const auto history = (*recorder)->history();
    ASSERT_TRUE(history.ok()) << history.error().text();
    ASSERT_EQ(history->size(), static_cast<std::size_t>(kOperations));
    EXPECT_EQ(history->pending(), 0U);
    for (OperationId i = 0; i < kOperations; ++i) ASSERT_EQ(history->args(i)[0], Value::small(i));
  }
}

TEST(Recorder, ClearForgetsOperationsOnly) {
  auto recorder = Recorder::in_memory({.block_size = 1 << 14});
  const auto f = (*recorder)->function("f");
  ThreadLog& log = (*recorder)->thread();
  for (int round = 0; round < 5; ++round) {
    for (int i = 0; i < 2000; ++i) {
      log.call(f, i);
      log.ret(round);
    }
    const auto history = (*recorder)->history();
    ASSERT_TRUE(history.ok()) << history.error().text();
    ASSERT_EQ(history->size(), 2000U);
    EXPECT_EQ(history->result(1999), Value::small(round));
    (*recorder)->clear();
  }
  EXPECT_EQ((*recorder)->history()->size(), 0U);
}

// Rounds of all sizes find the memory of those before, and nothing of what was in it.
TEST(Recorder, RoundsUseTheSameMemory) {
  auto recorder = Recorder::in_memory({.block_size = 1 << 18});
  const auto f = (*recorder)->function("f");
  ThreadLog& log = (*recorder)->thread();
  std::uint64_t most = 0;
  for (int round = 0; round < 12; ++round) {
    const int operations = round < 4 ? 10'000 : 10'000 / round;
    for (int i = 0; i < operations; ++i) {
      log.call(f, i);
      i % 7 == 0 ? log.ret(std::string(30, 'x')) : log.ret(round);
    }
    const auto history = (*recorder)->history();
    ASSERT_TRUE(history.ok()) << history.error().text();
    ASSERT_EQ(history->size(), static_cast<std::size_t>(operations));
    ASSERT_EQ(history->pending(), 0U);
    for (OperationId i = 1; i < history->size(); i += 7) ASSERT_EQ(history->result(i), Value::small(round));
    if (round < 4) most = std::max(most, (*recorder)->bytes());
    EXPECT_LE((*recorder)->bytes(), most);
    (*recorder)->clear();
  }
}

}  // namespace
}  // namespace plumb
