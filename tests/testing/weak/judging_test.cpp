// What decides a test under rc11 beside single executions: calls that may have failed while contended, many operations, scenarios that
// cannot be run, races that are allowed; and histories in which an operation is open, of tests that cannot be judged.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include <array>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>

#include "testing/weak/weak_subjects.hpp"

namespace {

using namespace plumb_tests;
using plumb::call;
using plumb::MemoryModel;
using ::testing::HasSubstr;

// Only weak memory leaves 1 in both.
struct TwoWriters {
  std::atomic<int> x{0}, y{0};
  void a() {
    x.store(1, kRelaxed);
    y.store(2, kRelaxed);
  }
  void b() {
    y.store(1, kRelaxed);
    x.store(2, kRelaxed);
  }
  bool get() {
    const int seen = x.load(kRelaxed);
    return seen != 1 || y.load(kRelaxed) != 1;
  }
};

// get() failed, and is contended unless a client orders it behind both: then nothing excuses it, wherever it stands.
TEST(WeakJudging, WhatIsNoLongerContendedMayNotFail) {
  const auto check = [](const plumb::TestMatrix& scenario) {
    const auto define = [&](plumb::Test<TwoWriters>& test) {
      test.operation("a", &TwoWriters::a);
      test.operation("b", &TwoWriters::b);
      test.operation("get", &TwoWriters::get).may_fail_when_contended();
      test.scenario(scenario);
    };
    return plumb::check<TwoWriters>(define, {.jobs = 1});
  };
  for (const auto& result :
       {check({{call("a")}, {call("b")}, {call("get")}}), check({{call("get")}, {call("a")}, {call("b")}}),
        check({{call("b")}, {call("get")}, {call("a")}})}) {
    EXPECT_EQ(result.kind, plumb::ViolationKind::kNotLinearizable) << result.report;
    EXPECT_EQ(result.memory_model, MemoryModel::kRc11);
  }
}

// Twelve operations that nothing orders: there are more orders than anybody can go through.
TEST(WeakJudging, ManyThatDoNotInteract) {
  struct Slots {
    std::array<std::atomic<int>, 12> slots{};
    bool add(int i) { return slots.at(static_cast<std::size_t>(i)).exchange(1, kRelaxed) == 0; }
  };
  const auto define = [](plumb::Test<Slots>& test) {
    test.model("set");
    test.operation("add", &Slots::add, plumb::values(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11));
    const auto add = [](int i) { return call("add", i); };
    test.scenario({{add(0), add(1), add(2), add(3)},
                   {add(4), add(5), add(6), add(7)},
                   {add(8), add(9), add(10), add(11)}});
  };
  plumb::TestOptions options = {.jobs = 1};
  options.memory_model = MemoryModel::kRc11;
  const auto result = plumb::check<Slots>(define, options);
  EXPECT_TRUE(result.passed()) << result.report;
}

// odd() cannot be run under rc11; a() and b() pass a message, without any order.
struct OddAndMessage {
  std::atomic<int> x{0}, y{0};
  alignas(8) std::array<std::uint32_t, 2> halves{};
  void odd() {
    __atomic_store_n(halves.data(), 1, __ATOMIC_RELAXED);
    (void)__atomic_load_n(reinterpret_cast<std::uint64_t*>(halves.data()), __ATOMIC_RELAXED);
  }
  void a() {
    x.store(1, kRelaxed);
    y.store(1, kRelaxed);
  }
  bool b() {
    const int seen = y.load(kRelaxed);
    return seen != 1 || x.load(kRelaxed) != 0;
  }
};

plumb::TestResult check_odd(bool odd_first, bool with_message, plumb::TestOptions options) {
  const auto define = [&](plumb::Test<OddAndMessage>& test) {
    if (odd_first) test.operation("odd", &OddAndMessage::odd);
    if (with_message) test.operation("a", &OddAndMessage::a);
    test.operation("b", &OddAndMessage::b);
    if (!odd_first) test.operation("odd", &OddAndMessage::odd);
  };
  return plumb::check<OddAndMessage>(define, options);
}

TEST(WeakJudging, AViolationOutranksWhatCannotBeRun) {
  for (const bool odd_first : {true, false}) {
    plumb::TestOptions options = {.threads = 2, .operations = 1, .jobs = 1};
    const auto both = check_odd(odd_first, true, options);
    EXPECT_EQ(both.verdict, plumb::Outcome::kViolation) << both.report;
    EXPECT_EQ(both.memory_model, MemoryModel::kRc11);
    options.samples = 6;
    EXPECT_EQ(check_odd(odd_first, true, options).verdict, plumb::Outcome::kViolation);
    options.samples.reset();
    options.memory_model = MemoryModel::kRc11;
    EXPECT_EQ(check_odd(odd_first, true, options).verdict, plumb::Outcome::kViolation);
    EXPECT_TRUE(check_odd(odd_first, false, options).refused);
  }
}

TEST(WeakJudging, OnlyWhatCannotBeRunIsLeftOut) {
  const auto some = check_odd(true, false, {.threads = 2, .operations = 1, .jobs = 1});
  EXPECT_TRUE(some.passed()) << some.report;
  ASSERT_EQ(some.models.size(), 2U);
  EXPECT_EQ(some.models[1].scenarios, 1U);
  EXPECT_FALSE(some.models[1].exhausted);
  EXPECT_THAT(some.models[1].not_run, HasSubstr("different sizes"));
  EXPECT_THAT(some.models[1].not_run, HasSubstr("odd()"));
  EXPECT_THAT(some.models[1].not_run, HasSubstr(" other scenario"));
  EXPECT_THAT(some.report, HasSubstr("every execution of 1 small scenario was run"));
  EXPECT_THAT(some.report, HasSubstr("; not run: "));
}

// Plain accesses that may race are relaxed ones: the message is seen, and not what came before it.
TEST(WeakJudging, RacesThatAreAllowedAreWeak) {
  struct PlainMessage {
    alignas(8) volatile long x = 0;
    alignas(8) volatile long y = 0;
    void a() {
      x = 1;
      y = 1;
    }
    bool b() {
      const long seen = y;
      return seen != 1 || x != 0;
    }
  };
  const auto define = [](plumb::Test<PlainMessage>& test) {
    test.allow_races();
    test.operation("a", &PlainMessage::a);
    test.operation("b", &PlainMessage::b);
  };
  const auto result = plumb::check<PlainMessage>(define, {.threads = 2, .operations = 1, .jobs = 1});
  EXPECT_EQ(result.kind, plumb::ViolationKind::kNotLinearizable) << result.report;
  EXPECT_EQ(result.memory_model, MemoryModel::kRc11);
}

// One permit, for ever. No semaphore returns 5.
struct Permit {
  std::mutex mutex;
  std::condition_variable never;
  bool is_free = true;
  void acquire() {
    std::unique_lock lock(mutex);
    never.wait(lock, [&] { return is_free; });
    is_free = false;
  }
  int try_acquire() { return 5; }
};

TEST(WeakJudging, WhatDoesNotFitTheModelDoesNotBlockForEver) {
  const auto define = [](plumb::Test<Permit>& test) {
    test.model("semaphore");
    test.operation("acquire", &Permit::acquire);
    test.operation("try_acquire", &Permit::try_acquire);
    test.scenario({{call("try_acquire"), call("acquire")}, {call("acquire")}});
  };
  for (const auto model : {MemoryModel::kSequential, MemoryModel::kRc11}) {
    plumb::TestOptions options = {.jobs = 1};
    options.memory_model = model;
    const auto result = plumb::check<Permit>(define, options);
    EXPECT_TRUE(result.refused) << result.report;
    EXPECT_THAT(result.message, HasSubstr("does not fit the model semaphore"));
  }
}

// How far from the order an element may come is known; after which ones a call may block, is not.
TEST(WeakJudging, RelaxedModelsDoNotSayWhatBlocks) {
  const auto define = [](plumb::Test<WaitingQueue>& test) {
    test.model("queue");
    test.operation("enqueue", &WaitingQueue::push, plumb::values(1));
    test.operation("dequeue", &WaitingQueue::take);
    test.relax("dequeue", 1);
    test.scenario({{call("enqueue", 1), call("dequeue")}, {call("dequeue")}});
  };
  for (const auto model : {MemoryModel::kSequential, MemoryModel::kRc11}) {
    plumb::TestOptions options = {.jobs = 1};
    options.memory_model = model;
    const auto result = plumb::check<WaitingQueue>(define, options);
    EXPECT_EQ(result.verdict, plumb::Outcome::kUnknown) << result.report;
    EXPECT_FALSE(result.refused) << result.report;
    EXPECT_THAT(result.message, HasSubstr("relaxed models do not say"));
  }
}

}  // namespace
