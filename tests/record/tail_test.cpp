// The events of a recording while it grows: the same that are in it in the end, in an order that could have
// been.
#include "record/recording_tail.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

#include <plumb/check.hpp>
#include <plumb/model.hpp>
#include <plumb/record.hpp>

#include "record/support.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

// Everything that is told, until the recording is closed or, unless that is waited for, nothing more is
// there.
Result<History> follow(const std::string& path, bool to_the_end) {
  auto tail = RecordingTail::open(path);
  if (!tail) return tail.error();
  HistorySink sink;
  while (true) {
    Status told = Ok{};
    const auto next = tail->next(sink, told);
    if (!next) return next.error();
    if (!told) return told.error();
    if (*next == RecordingTail::Next::kEnded || (*next == RecordingTail::Next::kNothing && !to_the_end))
      break;
  }
  if (auto status = sink.end(); !status) return status.error();
  return std::move(sink.take_histories().front());
}

void expect_linearizable(const History& history, const char* model) {
  const auto verdict = check(history, **find_model(model));
  ASSERT_TRUE(verdict.ok()) << verdict.error().text();
  EXPECT_EQ(verdict->outcome, Outcome::kHolds) << (verdict->violation ? verdict->violation->reason : "");
}

TEST(RecordingTail, TellsOperationsOfEveryKind) {
  test::Folder folder;
  const std::string path = folder.file("run.plumb");
  auto recorder = Recorder::open(path, {.model = "register", .initial = "7", .block_size = 1 << 14});
  ASSERT_TRUE(recorder.ok()) << recorder.error().text();
  const auto f = (*recorder)->function("f");
  const auto g = (*recorder)->function("g", "other");
  ThreadLog& log = (*recorder)->thread();
  ThreadLog& second = (*recorder)->thread();
  second.call(g, "text");
  log.call(f, 1);
  log.fail();
  log.call(f, 2);
  log.info();
  log.call(f, 3, "three", std::int64_t{1} << 40);
  log.ret(std::string(20'000, 'x'));  // in a block of its own
  log.call(f, 4);
  const std::string told =
      "process 1: g(\"text\") -> (pending)\nprocess 0: f(2) -> (pending)\nprocess 1000000: f(3, \"three\", "
      "1099511627776) -> \"" +
      std::string(20'000, 'x') + "\"\nprocess 1000000: f(4) -> (pending)\n";
  auto history = follow(path, false);
  ASSERT_TRUE(history.ok()) << history.error().text();
  EXPECT_EQ(test::lines(*history), told);
  EXPECT_EQ(history->model(), "register");
  EXPECT_EQ(history->initial(), Value::small(7));
  EXPECT_EQ(history->values().to_json(history->object(0)), "\"other\"");
  second.ret(1);
  EXPECT_TRUE((*recorder)->close().ok());
  history = follow(path, true);
  ASSERT_TRUE(history.ok()) << history.error().text();
  EXPECT_EQ(history->pending(), 2U);
}

// What was lost is not what failed after it: it may have taken effect.
TEST(RecordingTail, KeepsWhatWasLostBeforeSomethingFailed) {
  test::Folder folder;
  const std::string path = folder.file("run.plumb");
  auto recorder = Recorder::open(path, {.model = "register"});
  ASSERT_TRUE(recorder.ok()) << recorder.error().text();
  const auto write = (*recorder)->function("write");
  const auto read = (*recorder)->function("read");
  ThreadLog& log = (*recorder)->thread();
  ThreadLog& second = (*recorder)->thread();
  log.call(write, 1);
  log.info();
  log.call(write, 2);
  log.fail();
  log.call(write, 3);
  log.fail();
  second.call(read);
  second.ret(1);
  const std::string told = "process 0: write(1) -> (pending)\nprocess 1: read() -> 1\n";
  auto history = follow(path, false);
  ASSERT_TRUE(history.ok()) << history.error().text();
  EXPECT_EQ(test::lines(*history), told);
  log.call(write, 4);
  log.ret();
  EXPECT_TRUE((*recorder)->close().ok());
  history = follow(path, true);
  ASSERT_TRUE(history.ok()) << history.error().text();
  EXPECT_EQ(test::lines(*history), told + "process 1000000: write(4)\n");
  expect_linearizable(*history, "register");
}

TEST(RecordingTail, KeepsUpWithARun) {
  test::Folder folder;
  const std::string path = folder.file("live.plumb");
  auto recorder = Recorder::open(path, {.block_size = 1 << 15});
  ASSERT_TRUE(recorder.ok()) << recorder.error().text();
  const int operations = static_cast<int>(test::scaled(50'000));
  const auto add = (*recorder)->function("fetch_add");
  std::atomic<int> counter = 0;
  Result<History> told = Error{"nothing"};
  std::thread follower([&] { told = follow(path, true); });
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i) {
    threads.emplace_back([&] {
      ThreadLog& log = (*recorder)->thread();
      for (int k = 0; k < operations; ++k) {
        log.call(add, 1);
        log.ret(counter.fetch_add(1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_TRUE((*recorder)->close().ok());
  follower.join();
  ASSERT_TRUE(told.ok()) << told.error().text();
  EXPECT_EQ(told->size(), static_cast<std::size_t>(counter));
  EXPECT_EQ(told->pending(), 0U);
  expect_linearizable(*told, "counter");
  expect_linearizable(*(*recorder)->history(), "counter");
}

}  // namespace
}  // namespace plumb
