// What becomes of a recording when its program is killed, or when there is no room for it.
#include <gtest/gtest.h>

#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <fstream>
#include <map>
#include <thread>
#include <vector>

#include <plumb/check.hpp>
#include <plumb/files.hpp>
#include <plumb/model.hpp>
#include <plumb/record.hpp>

#include "base/rng.hpp"
#include "record/log_block.hpp"
#include "record/support.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

constexpr std::size_t kThreads = 3;

// What a program says of itself to one that outlives it.
struct Progress {
  std::atomic<int> counter;
  std::atomic<int> returned[kThreads];
};

[[noreturn]] void record_until_killed(const std::string& path, Progress& progress) {
  auto recorder = Recorder::open(path, {.block_size = 1 << 14});
  if (!recorder) _exit(1);
  const auto add = (*recorder)->function("fetch_add");
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, i, &log = (*recorder)->thread()] {
      while (true) {
        log.call(add, 1);
        const int old = progress.counter.fetch_add(1);
        log.ret(old);
        progress.returned[i].fetch_add(1);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  _exit(1);
}

TEST(RecordingLoss, NothingIsLostWhenTheProgramIsKilled) {
  test::Folder folder;
  Rng rng(7);
  void* shared = mmap(nullptr, sizeof(Progress), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(shared, MAP_FAILED);
  for (std::size_t round = 0; round < test::scaled(12); ++round) {
    auto* progress = new (shared) Progress{};
    const std::string path = folder.file("killed.plumb");
    const pid_t child = fork();
    if (child == 0) record_until_killed(path, *progress);
    while (progress->counter == 0) std::this_thread::yield();
    std::this_thread::sleep_for(std::chrono::microseconds(rng.below(20'000)));
    ASSERT_EQ(kill(child, SIGKILL), 0);
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));

    const auto histories = read_histories(path);
    ASSERT_TRUE(histories.ok()) << histories.error().text();
    ASSERT_EQ(histories->size(), 1U);
    const History& history = histories->front();
    std::map<std::int64_t, int> returned;
    for (OperationId i = 0; i < history.size(); ++i)
      returned[history.process(i).small_integer()] += history.is_pending(i) ? 0 : 1;
    for (std::size_t i = 0; i < kThreads; ++i)
      EXPECT_GE(returned[static_cast<std::int64_t>(i)], progress->returned[i].load());
    EXPECT_LE(history.pending(), kThreads);
    // Every effect is that of an operation that was called.
    EXPECT_GE(history.size(), static_cast<std::size_t>(progress->counter));
    const auto verdict = check(history, **find_model("counter"));
    ASSERT_TRUE(verdict.ok()) << verdict.error().text();
    EXPECT_EQ(verdict->outcome, Outcome::kHolds);
  }
  munmap(shared, sizeof(Progress));
}

// Threads that record until there is no room, and for a while after.
struct Attempt {
  int operations = 0;
  std::uint64_t recorded_bytes = 0;
};

Attempt run_into_the_limit(Recorder& recorder, std::atomic<bool>& stop) {
  Attempt run;
  const auto add = recorder.function("fetch_add");
  std::atomic<int> counter = 0;
  std::vector<std::thread> threads;
  for (std::size_t i = 0; i < kThreads; ++i) {
    threads.emplace_back([&, &log = recorder.thread()] {
      for (int k = 0; k < 20'000 && !stop; ++k) {
        log.call(add, 1);
        log.ret(counter.fetch_add(1));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  run.operations = counter;
  run.recorded_bytes = recorder.bytes();
  return run;
}

void expect_good_beginning(const Result<History>& history, const Attempt& run) {
  ASSERT_TRUE(history.ok()) << history.error().text();
  EXPECT_GT(history->size(), 100U);
  EXPECT_LE(history->size(), static_cast<std::size_t>(run.operations));
  const auto verdict = check(*history, **find_model("counter"));
  ASSERT_TRUE(verdict.ok()) << verdict.error().text();
  EXPECT_EQ(verdict->outcome, Outcome::kHolds) << verdict->violation->reason;
}

TEST(RecordingLoss, AtItsLimitARecordingEndsAndTheProgramGoesOn) {
  test::Folder folder;
  for (const bool in_memory : {true, false}) {
    int lost = 0;
    std::atomic<bool> stop = false;
    const RecorderOptions options{
        .block_size = 1 << 15, .limit = 600'000, .when_lost = [&](const Error&) { ++lost; }};
    auto recorder =
        in_memory ? Recorder::in_memory(options) : Recorder::open(folder.file("limit.plumb"), options);
    ASSERT_TRUE(recorder.ok()) << recorder.error().text();
    const Attempt run = run_into_the_limit(**recorder, stop);
    EXPECT_EQ(run.operations, 20'000 * static_cast<int>(kThreads));
    EXPECT_LE(run.recorded_bytes, 600'000U);
    EXPECT_EQ(lost, 1);
    ASSERT_FALSE((*recorder)->status().ok());
    EXPECT_NE((*recorder)->status().error().message.find("limit of 600000 bytes"), std::string::npos);
    expect_good_beginning((*recorder)->history(), run);
    EXPECT_FALSE((*recorder)->close().ok());
    expect_good_beginning((*recorder)->history(), run);
  }
}

TEST(RecordingLoss, AThreadThatComesTooLateIsNotRecorded) {
  auto recorder = Recorder::in_memory({.limit = 3 << 14});
  ASSERT_TRUE(recorder.ok()) << recorder.error().text();
  const auto f = (*recorder)->function("f");
  ThreadLog& first = (*recorder)->thread();
  first.call(f);
  first.ret();
  ThreadLog& late = (*recorder)->thread();
  EXPECT_TRUE(first.recording());
  EXPECT_FALSE(late.recording());
  for (int i = 0; i < 10; ++i) {
    late.call(f, "text", i);
    late.ret("text");
    late.call(f);
    late.fail();
    first.call(f);
    first.ret();
  }
  const auto history = (*recorder)->history();
  ASSERT_TRUE(history.ok()) << history.error().text();
  EXPECT_EQ(history->size(), 1U);
}

TEST(RecordingLoss, AFullDiskIsReportedAndTheRunStopsIfAsked) {
  test::Folder folder;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto ignored = signal(SIGXFSZ, SIG_IGN);
  const rlimit little{600'000, before.rlim_max};
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &little), 0);
  std::atomic<bool> stop = false;
  std::string message;
  const std::string path = folder.file("full.plumb");
  auto recorder = Recorder::open(path, {.block_size = 1 << 15, .when_lost = [&](const Error& error) {
                                          message = error.text();
                                          stop = true;
                                        }});
  ASSERT_TRUE(recorder.ok()) << recorder.error().text();
  const Attempt run = run_into_the_limit(**recorder, stop);
  EXPECT_FALSE((*recorder)->close().ok());
  ASSERT_EQ(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, ignored);
  EXPECT_LT(run.operations, 20'000 * static_cast<int>(kThreads));
  EXPECT_EQ(message, path + ": cannot write: File too large");
  expect_good_beginning((*recorder)->history(), run);
}

TEST(RecordingLoss, WhatIsNoFileCannotBeRecordedTo) {
  const auto full = Recorder::open("/dev/full");
  ASSERT_FALSE(full.ok());
  EXPECT_EQ(full.error().text(), "/dev/full: is not a regular file; a recording needs one");
  EXPECT_FALSE(Recorder::open("/no/such/folder/run.plumb").ok());
}

TEST(RecordingLoss, AChangedByteIsFoundAndACutFileToo) {
  test::Folder folder;
  const std::string path = folder.file("run.plumb");
  {
    auto recorder = Recorder::open(path);
    const auto f = (*recorder)->function("f");
    ThreadLog& log = (*recorder)->thread();
    for (int i = 0; i < 1000; ++i) {
      log.call(f, i);
      log.ret();
    }
  }
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  ASSERT_TRUE(parse_histories(bytes).ok());
  // Twice the same, and at an odd address.
  const std::string twice = "." + bytes + bytes;
  const auto both = parse_histories(std::string_view(twice).substr(1));
  ASSERT_TRUE(both.ok()) << both.error().text();
  ASSERT_EQ(both->size(), 2U);
  EXPECT_EQ((*both)[1].size(), 1000U);

  EXPECT_FALSE(parse_histories(bytes.substr(0, bytes.size() - 1)).ok());
  EXPECT_FALSE(parse_histories(bytes.substr(0, 4096)).ok());
  Rng rng(3);
  const auto whole = test::lines(parse_histories(bytes)->front());
  for (int i = 0; i < 300; ++i) {
    std::string changed = bytes;
    changed[rng.below(changed.size())] ^= static_cast<char>(1 + rng.below(255));
    const auto read = parse_histories(changed);
    if (!read) continue;
    EXPECT_EQ(test::lines(read->front()), whole);  // it was in room that is not used
  }
}

// A file is not believed, whatever its sums say.
TEST(RecordingLoss, ADamagedSlotIsAnErrorOrAnotherHistory) {
  test::Folder folder;
  const std::string path = folder.file("run.plumb");
  {
    auto recorder = Recorder::open(path);
    const auto f = (*recorder)->function("f", "object");
    ThreadLog& log = (*recorder)->thread();
    for (int i = 0; i < 100; ++i) {
      log.call(f, i, "text", std::int64_t{1} << 40, LogValue::json("[1]"), nullptr, true);
      log.ret(i % 2 == 0 ? LogValue("result") : LogValue(std::int64_t{i} << 33));
    }
  }
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  Rng rng(5);
  for (std::size_t i = 0; i < test::scaled(3000); ++i) {
    std::vector<std::uint64_t> changed((bytes.size() + 7) / 8);
    char* copy = reinterpret_cast<char*>(changed.data());
    bytes.copy(copy, bytes.size());
    const std::size_t block = rng.below(3) * (1 << 14);
    const auto header = LogBlockHeader::read({copy + block, LogBlockHeader::kSize});
    ASSERT_TRUE(header.ok());
    auto* slots = reinterpret_cast<LogSlot*>(copy + block + LogBlockHeader::kSize);
    LogSlot& seal = slots[LogBlockView(*header, copy + block).room()];
    const std::size_t used = seal.duration * sizeof(LogSlot);
    for (std::uint64_t k = rng.below(3) + 1; k > 0; --k)
      copy[block + LogBlockHeader::kSize + rng.below(used)] ^= static_cast<char>(1U << rng.below(8));
    seal.time = log_sum(copy + block, seal.duration);
    if (rng.chance(0.3)) seal.head = 0;
    (void)parse_histories({copy, bytes.size()});
  }
}

}  // namespace
}  // namespace plumb
