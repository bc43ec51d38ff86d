// What a failure says: who is to blame where nobody returned a wrong value but somebody returned at all, and
// how far those are that had not returned.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <condition_variable>
#include <deque>
#include <memory>
#include <mutex>
#include <regex>

#include <plumb/plumb.hpp>
#include <plumb/report.hpp>

namespace {

using testing::HasSubstr;
using testing::Not;

// Waits with `if`: who is woken finds that another was faster.
struct WaitsOnce {
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<int> items;
  void put(int item) {
    const std::scoped_lock lock(mutex);
    items.push_back(item);
    changed.notify_all();
  }
  int take() {
    std::unique_lock lock(mutex);
    if (items.empty()) changed.wait(lock);
    if (items.empty()) return -1;
    const int item = items.front();
    items.pop_front();
    return item;
  }
};

TEST(FailureText, AReturnThatSerialRunsNeverComeToIsBlamed) {
  const auto result = plumb::check<WaitsOnce>(
      [](auto& test) {
        test.operation("put", &WaitsOnce::put, plumb::values(1));
        test.operation("take", &WaitsOnce::take);
        test.scenario({{plumb::call("put", 1), plumb::call("take")}, {plumb::call("take")}});
      },
      {.jobs = 1});
  EXPECT_EQ(result.kind, plumb::ViolationKind::kNotLinearizable);
  EXPECT_THAT(
      result.report,
      HasSubstr("take() in thread 2 returned -1, which is impossible: run one after the other in "
                "any order that fits what was observed, with every other result as it was, it blocks."));
  EXPECT_THAT(result.report, HasSubstr("The closest serial run: put(1), take() -> 1, [take() blocks]"));
}

// What it increments is on the heap: the trace says whose that block is.
struct Boxed {
  std::unique_ptr<std::atomic<int>> count = std::make_unique<std::atomic<int>>(0);
  int increment() {
    const int seen = count->load();
    count->store(seen + 1);
    return seen + 1;
  }
};

TEST(FailureText, ABlockThatStepsNameIsAllocatedInTheTrace) {
  const auto result = plumb::check<Boxed>([](auto& test) { test.operation("increment", &Boxed::increment); },
                                          {.threads = 2, .operations = 1, .jobs = 1});
  EXPECT_EQ(result.kind, plumb::ViolationKind::kNotLinearizable) << result.report;
  std::smatch found;
  ASSERT_TRUE(std::regex_search(result.report, found, std::regex("load (block 0\\.[0-9]+):")))
      << result.report;
  EXPECT_THAT(result.report, HasSubstr("thread 0  allocate " + found.str(1)));
  EXPECT_THAT(result.report, Not(HasSubstr("free block")));
}

// Two calls could be the one that is wrong. The closest serial run is one in which the sentence's call differs.
struct Counter {
  std::atomic<int> count{0};
  int increment() {
    const int seen = count.load();
    count.store(seen + 1);
    return seen + 1;
  }
};

TEST(FailureText, TheClosestSerialRunDiffersWhereTheSentenceSays) {
  const auto result =
      plumb::check<Counter>([](auto& test) { test.operation("increment", &Counter::increment); },
                            {.threads = 2, .operations = 1, .jobs = 1});
  const std::string page = result.rendered(plumb::ReportFormat::kHtml);
  std::smatch said;
  std::smatch differs;
  ASSERT_TRUE(std::regex_search(page, said, std::regex("increment\\(\\) in thread ([12]) returned 1")));
  ASSERT_TRUE(std::regex_search(page, differs,
                                std::regex("<li class=\"differs\"><span class=\"who\">thread ([12])<")));
  EXPECT_EQ(said.str(1), differs.str(1));
}

struct Racy {
  std::mutex mutex;
  int value = 0;
  void set(int to) {
    const std::scoped_lock lock(mutex);
    value = to;
  }
  int get() { return value; }
};

TEST(FailureText, TheOperationInWhichARaceIsFoundHasNotReturnedYet) {
  const auto result = plumb::check<Racy>(
      [](auto& test) {
        test.operation("set", &Racy::set, plumb::values(1));
        test.operation("get", &Racy::get);
        test.scenario({{plumb::call("set", 1)}, {plumb::call("get")}});
      },
      {.jobs = 1});
  EXPECT_EQ(result.kind, plumb::ViolationKind::kRace);
  EXPECT_THAT(result.report, HasSubstr("(here)"));
  EXPECT_THAT(result.report, Not(HasSubstr("never returns")));
  EXPECT_THAT(result.report, Not(HasSubstr("thread 0")))
      << "how the object was made says nothing of the race";
}

// The race is in what the constructor has allocated: there it is told what the block is.
struct PlainCounter {
  int value = 0;
  int increment() {
    const int seen = value;
    value = seen + 1;
    return seen + 1;
  }
};

// Where races are allowed plain accesses are steps, too: those of the class are told, not those by which plumb calls it.
TEST(FailureText, HowAnOperationIsCalledIsNotTold) {
  const auto result = plumb::check<PlainCounter>(
      [](auto& test) {
        test.operation("increment", &PlainCounter::increment);
        test.allow_races();
      },
      {.threads = 2, .operations = 1, .jobs = 1});
  ASSERT_EQ(result.kind, plumb::ViolationKind::kNotLinearizable) << result.report;
  EXPECT_THAT(result.report, HasSubstr("read plainCounter.value"));
  EXPECT_THAT(result.report, HasSubstr("write plainCounter.value"));
  EXPECT_THAT(result.report, Not(HasSubstr("std_function.h")));
  EXPECT_THAT(result.report, Not(HasSubstr("object 1")));
}

struct RacyBlock {
  std::unique_ptr<int[]> cells = std::make_unique<int[]>(4);
  void set(int to) { cells[1] = to; }
  int get() { return cells[1]; }
};

TEST(FailureText, ABlockThatTheRaceNamesIsAllocatedInTheTrace) {
  const auto result = plumb::check<RacyBlock>(
      [](auto& test) {
        test.operation("set", &RacyBlock::set, plumb::values(1));
        test.operation("get", &RacyBlock::get);
        test.scenario({{plumb::call("set", 1)}, {plumb::call("get")}});
      },
      {.jobs = 1});
  EXPECT_EQ(result.kind, plumb::ViolationKind::kRace);
  EXPECT_THAT(result.report, HasSubstr("thread 0  allocate block 0.2 "));
  EXPECT_THAT(result.report, Not(HasSubstr("allocate block 0.1 "))) << "the object itself";
}

}  // namespace
