// What a pass is about: which operations were under way at the same time, what they gave, and what of that is suspicious.
#include "testing/coverage.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include <atomic>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "testing/scenario_answer.hpp"
#include "testing/subjects.hpp"

namespace {

// No call adds so much that the gauge overflows, or resets it.
class Gauge {
 public:
  static constexpr int kAtomicLine = __LINE__ + 4;
  static constexpr int kPlainLine = __LINE__ + 5;
  int add(int by) {
    if (by > 100) {
      overflows_.fetch_add(1);
      const std::lock_guard lock(mutex_);
      last_ = by;
      return -1;
    }
    const std::lock_guard lock(mutex_);
    value_ += by;
    return value_;
  }
  int get() {
    const std::lock_guard lock(mutex_);
    return value_;
  }

 private:
  std::mutex mutex_;
  std::atomic<int> overflows_{0};
  int value_ = 0;
  int last_ = 0;
};

}  // namespace

namespace plumb::testing {
namespace {

using plumb_tests::BlockingQueue;
using plumb_tests::Counter;
using plumb_tests::LockedQueue;
using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const TestOptions kSmall{.threads = 2, .operations = 2, .budget = Seconds(60), .jobs = 1};

const OperationCoverage& of(const TestResult& result, const std::string& name) {
  const auto& all = result.coverage.value().operations;
  return *std::ranges::find(all, name, &OperationCoverage::name);
}

template <class Define>
TestResult run_locked(Define more, TestOptions options = kSmall) {
  return plumb::check<LockedQueue>(
      [&](auto& test) {
        test.operation("push", &LockedQueue::push, plumb::values(1, 2));
        test.operation("pop", &LockedQueue::pop);
        more(test);
      },
      options);
}
const auto kNothingMore = [](auto&) {};

// A lock keeps them apart: in the order that counts none is called before the other has returned.
TEST(Coverage, OperationsUnderALockTakeTurns) {
  const TestResult result = run_locked(kNothingMore);
  ASSERT_TRUE(result) << result.report;
  EXPECT_THAT(of(result, "pop").results, ElementsAre("null", "1", "2"));
  EXPECT_THAT(of(result, "pop").overlapped, IsEmpty());
  EXPECT_THAT(of(result, "pop").took_turns, ElementsAre("push", "pop"));
  EXPECT_TRUE(of(result, "pop").succeeded && of(result, "pop").failed);
  EXPECT_TRUE(of(result, "push").succeeded);
  EXPECT_THAT(of(result, "push").results, IsEmpty());
  EXPECT_EQ(result.coverage->pairs, 3U);
  EXPECT_EQ(result.coverage->overlapped, 0U);
  EXPECT_THAT(result.coverage->warnings, IsEmpty());
  EXPECT_THAT(result.report, HasSubstr("  push       (returns)                        push, pop\n"));
  EXPECT_THAT(result.report, HasSubstr("taking turns: "));
  EXPECT_THAT(result.json(), HasSubstr(R"("coverage":{"operations":[{"operation":"push","called":true,)"));
  EXPECT_THAT(result.json(), HasSubstr(R"("overlapped":0,"pairs":3,"warnings":[],"unreached":[]})"));
}

struct Stack {  // that frees nothing while it is used
  struct Node {
    int value;
    Node* next;
  };
  std::atomic<Node*> head{nullptr};
  Stack() = default;
  Stack(const Stack&) = delete;
  Stack& operator=(const Stack&) = delete;
  ~Stack() {
    for (Node* node = head; node != nullptr;) delete std::exchange(node, node->next);
  }
  void push(int v) {
    auto* node = new Node{v, head.load()};
    while (!head.compare_exchange_strong(node->next, node)) {
    }
  }
  bool empty() const { return head.load() == nullptr; }
};

TestResult run_stack(TestOptions options) {
  return plumb::check<Stack>(
      [](auto& test) {
        test.operation("push", &Stack::push, plumb::values(1));
        test.operation("empty", &Stack::empty);
      },
      options);
}

// Whoever searches, and however: the same is covered.
TEST(Coverage, EveryStrategySaysTheSame) {
  std::vector<TestOptions> all(5, kSmall);
  all[1].jobs = 2;  // in processes
  for (std::size_t i = 2; i < all.size(); ++i) all[i].samples = 100;
  all[2].explore.preemptions = all[3].explore.preemptions = kAnyPreemptions;
  all[3].explore.order = SearchOrder::kStates;
  all[4].explore.order = SearchOrder::kDepthFirst;
  for (const TestOptions& options : all) {
    const TestResult result = run_stack(options);
    ASSERT_TRUE(result) << result.report;
    EXPECT_THAT(of(result, "push").overlapped, ElementsAre("push", "empty"));
    EXPECT_THAT(of(result, "empty").overlapped, ::testing::Contains("push"));
    EXPECT_THAT(of(result, "empty").results, ElementsAre("false", "true"));
    EXPECT_THAT(result.coverage->warnings, IsEmpty());
  }
}

// Steps that touch nothing in common have no order: both may be under way.
struct Two {
  std::atomic<int> a{0};
  std::atomic<int> b{0};
  void one() { a.fetch_add(1); }
  void other() { b.fetch_add(1); }
};

TEST(Coverage, IndependentOperationsOverlap) {
  const TestResult result = plumb::check<Two>(
      [](auto& test) {
        test.operation("one", &Two::one);
        test.operation("other", &Two::other);
      },
      kSmall);
  ASSERT_TRUE(result) << result.report;
  EXPECT_THAT(of(result, "one").overlapped, ElementsAre("other"));
  EXPECT_THAT(of(result, "one").took_turns, ElementsAre("one"));  // a single step each
}

TEST(Coverage, AnOperationMayWait) {
  const TestResult result = plumb::check<BlockingQueue>(
      [](auto& test) {
        test.operation("push", &BlockingQueue::push, plumb::values(1));
        test.operation("take", &BlockingQueue::take);
      },
      kSmall);
  ASSERT_TRUE(result) << result.report;
  EXPECT_TRUE(of(result, "take").waited);
  EXPECT_THAT(of(result, "take").overlapped, ElementsAre("push", "take"));
  EXPECT_THAT(result.report, HasSubstr("1, (waits)"));
}

struct Odd {
  std::atomic<int> n{0};
  bool take() { return n.load() > 0; }
  void set() { n.store(0); }
  int size() { return n.load(); }
  int fails(int) { throw std::runtime_error("no"); }
};

TEST(Coverage, WhatNeverSucceededIsSuspicious) {
  const TestResult result = plumb::check<Odd>(
      [](auto& test) {
        test.operation("take", &Odd::take);
        test.operation("set", &Odd::set);
        test.operation("size", &Odd::size);
        test.operation("fails", &Odd::fails, plumb::values(1));
      },
      {.threads = 2, .operations = 1, .budget = Seconds(60), .jobs = 1});
  ASSERT_TRUE(result) << result.report;
  EXPECT_THAT(
      result.coverage->warnings,
      ElementsAre("take() never succeeded: it gave only false; test.before(…) can call what it needs",
                  "size() gave 0 in every execution: nothing that was called beside it made a difference",
                  "fails() never succeeded: it only throws std::runtime_error: no"));
  EXPECT_THAT(result.report, HasSubstr("\nwarning: take() never succeeded"));
}

TEST(Coverage, WhatWasNeverCalledOrNeverBesideAnotherIsSuspicious) {
  const TestResult result = run_locked([](auto& test) {
    test.operation("clear", [](LockedQueue& queue) { queue.items.clear(); });
    test.scenario({{plumb::call("push", 1)}, {plumb::call("pop")}});
  });
  ASSERT_TRUE(result) << result.report;
  EXPECT_THAT(
      result.coverage->warnings,
      ElementsAre("clear() was never called by a thread",
                  "never called by different threads of one scenario: push() and push(), pop() and pop()"));
  EXPECT_THAT(result.report, Not(HasSubstr("at the same time as")));  // the table is that of a campaign
}

// One thread calls all of a group: that these never overlap is meant.
TEST(Coverage, GroupsAreNotSuspicious) {
  const TestResult result = plumb::check<LockedQueue>(
      [](auto& test) {
        test.operation("push", &LockedQueue::push, plumb::values(1)).one_thread("producer");
        test.operation("pop", &LockedQueue::pop).one_thread("consumer");
      },
      kSmall);
  ASSERT_TRUE(result) << result.report;
  EXPECT_EQ(result.coverage->pairs, 1U);
  EXPECT_THAT(result.coverage->warnings, IsEmpty());
}

TEST(Coverage, AViolationHasNone) {
  const TestResult result = plumb::check<plumb_tests::LostUpdate>(
      [](auto& test) { test.operation("increment", &plumb_tests::LostUpdate::increment); }, kSmall);
  ASSERT_FALSE(result);
  EXPECT_FALSE(result.coverage.has_value());
}

TEST(Coverage, UnderAWeakModelAlone) {
  TestOptions options = kSmall;
  options.memory_model = MemoryModel::kRc11;
  const TestResult result = run_stack(options);
  ASSERT_TRUE(result) << result.report;
  EXPECT_THAT(of(result, "empty").results, ElementsAre("false", "true"));
  EXPECT_THAT(of(result, "push").overlapped, ::testing::Contains("empty"));
}

TEST(Coverage, ResultsStandInTheOrderOfTheirSizeAndOnlySomeAreKept) {
  SeenResults seen;
  for (const char* text : {"10", "2", "true", "-1", "null", "1"}) seen.add(text);
  EXPECT_THAT(seen.texts, ElementsAre("null", "true", "1", "2", "10", "-1"));
  SeenResults many;
  for (int i = 100; i > 0; --i) many.add(std::to_string(i));
  EXPECT_EQ(many.texts.size(), SeenResults::kMost);
  EXPECT_TRUE(many.are_more);
  EXPECT_TRUE(many.texts.contains("1"));  // whatever the order in which they came
}

TEST(Coverage, CrossesFromProcessToProcess) {
  ScenarioResult outcome;
  outcome.coverage.beside = {{0, 1}, {1, 1}};
  outcome.coverage.overlapped = {{0, 1}};
  SeenResults& seen = outcome.coverage.results[1];
  seen.add("\"a\"");
  seen.add("null");
  seen.threw = seen.waited = outcome.coverage.destroyed = true;
  const auto read = from_answer(to_answer(outcome));
  ASSERT_TRUE(read.has_value());
  EXPECT_EQ(read->coverage.beside, outcome.coverage.beside);
  EXPECT_TRUE(read->coverage.destroyed);
  EXPECT_EQ(read->coverage.overlapped, outcome.coverage.overlapped);
  const SeenResults& there = read->coverage.results.at(1);
  EXPECT_EQ(there.texts, seen.texts);
  EXPECT_TRUE(there.threw && there.waited && !there.failed && !there.succeeded && !there.are_more);
}

TEST(Coverage, ManyOperationsAreNamedBriefly) {
  Coverage coverage;
  std::vector<std::string> names;
  for (char c = 'a'; c <= 'z'; ++c) names.emplace_back(1, c);
  for (const std::string& name : names) {
    OperationCoverage& each = coverage.operations.emplace_back();
    each.name = name;
    each.is_called = each.succeeded = each.returns_nothing = true;
  }
  coverage.operations[0].overlapped = names;
  coverage.operations[1].overlapped.assign(names.begin() + 1, names.end());
  coverage.operations[2].overlapped.assign(names.begin(), names.begin() + 13);
  const std::string text = coverage_text(coverage);
  EXPECT_THAT(text, HasSubstr("  a          (returns)  all of them\n"));
  EXPECT_THAT(text, HasSubstr("  b          (returns)  all but a\n"));
  EXPECT_THAT(text, HasSubstr("  c          (returns)  13 of 26 operations\n"));
  EXPECT_THAT(text, Not(HasSubstr("taking turns")));
}

std::vector<int> unreached_of(const TestResult& result) {
  std::vector<int> lines;
  for (const SourcePlace& place : result.coverage.value().unreached) {
    EXPECT_TRUE(place.file.ends_with("coverage_test.cpp")) << place.file;
    if (place.function == "Gauge::add") lines.push_back(place.line);
  }
  return lines;
}

TEST(Coverage, LinesThatWereNeverReachedAreNamed) {
  const auto run = [](int by, SearchOrder order) {
    TestOptions options = kSmall;
    options.explore.order = order;
    options.samples = 4;
    return plumb::check<Gauge>(
        [&](auto& test) {
          test.operation("add", &Gauge::add, plumb::values(by));
          test.operation("get", &Gauge::get);
        },
        options);
  };
  for (const SearchOrder order : {SearchOrder::kReduced, SearchOrder::kStates}) {
    const TestResult few = run(1, order);
    ASSERT_TRUE(few) << few.report;
    EXPECT_THAT(unreached_of(few), ElementsAre(Gauge::kAtomicLine, Gauge::kPlainLine));
    const TestResult more = run(101, order);  // now it is the other branch that no call takes
    ASSERT_TRUE(more) << more.report;
    EXPECT_THAT(unreached_of(more), Not(IsEmpty()));
    EXPECT_THAT(unreached_of(more), Each(::testing::Gt(Gauge::kPlainLine)));
  }
}

TEST(Coverage, LinesThatWereNeverReachedAreInTheReportAndInJson) {
  const TestResult result = plumb::check<Gauge>(
      [&](auto& test) {
        test.operation("add", &Gauge::add, plumb::values(1));
        test.operation("get", &Gauge::get);
      },
      kSmall);
  EXPECT_THAT(result.report,
              HasSubstr(fmt::format("lines never reached, of those that access memory: Gauge::add "
                                    "(coverage_test.cpp:{}, {})",
                                    Gauge::kAtomicLine, Gauge::kPlainLine)));
  EXPECT_THAT(result.json(),
              HasSubstr(fmt::format("\"line\":{},\"function\":\"Gauge::add\"}}", Gauge::kPlainLine)));
}

}  // namespace
}  // namespace plumb::testing
