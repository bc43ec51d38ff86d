// Which memory models a test is run under, what it says of that, and everything that tests have under RC11, too: models, what comes before
// and after, exceptions, operations that block, replay.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <stdexcept>

#include "testing/weak/weak_subjects.hpp"

namespace {

using namespace plumb_tests;
using plumb::MemoryModel;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Not;

plumb::TestOptions two_by_two() { return {.threads = 2, .operations = 2, .jobs = 1}; }
plumb::TestOptions under(MemoryModel model) {
  plumb::TestOptions options = two_by_two();
  options.memory_model = model;
  return options;
}

template <class S>
struct Optional : S {
  std::optional<int> pop() {
    const int v = S::pop();
    return v == -1 ? std::nullopt : std::optional(v);
  }
};
using RightStack = Optional<WeakStack<>>;
using WrongStack = Optional<WeakStack<kRelaxed, kAcquire, FromPool>>;
using RightQueue = Optional<WeakQueue<>>;

template <class S>
void push_and_pop(plumb::Test<S>& test) {
  test.operation("push", &S::push, plumb::values(1, 2));
  test.operation("pop", &S::pop);
  test.allow_leaks();
}

TEST(MemoryModels, BothByDefault) {
  const auto result = plumb::check<RightStack>(&push_and_pop<RightStack>, two_by_two());
  EXPECT_TRUE(result.passed()) << result.report;
  ASSERT_EQ(result.models.size(), 2U);
  EXPECT_EQ(result.models[0].memory_model, MemoryModel::kSequential);
  EXPECT_EQ(result.models[1].memory_model, MemoryModel::kRc11);
  EXPECT_EQ(result.models[0].scenarios, result.models[1].scenarios);
  EXPECT_TRUE(result.models[0].exhausted && result.models[1].exhausted);
  EXPECT_THAT(result.report, HasSubstr("\nunder rc11, the C++ memory model: every execution of "));
  EXPECT_THAT(result.json(), HasSubstr(R"("models":[{"memory_model":"sc","scenarios":)"));
  EXPECT_THAT(result.json(), HasSubstr(R"({"memory_model":"rc11","scenarios":)"));
}

// A letter, and a flag that says that it is there.
template <std::memory_order kStore>
struct Handover {
  void put(int v) {
    letter = v;
    is_there.store(true, kStore);
  }
  int get() { return is_there.load(kAcquire) ? letter : 0; }
  int letter = 0;
  std::atomic<bool> is_there{false};
};

template <class S>
plumb::TestResult hand_over(const plumb::TestOptions& options) {
  return plumb::check<S>(
      [](plumb::Test<S>& test) {
        test.operation("put", &S::put, plumb::values(1)).one_thread("writer");
        test.operation("get", &S::get).one_thread("reader");
        test.scenario({{plumb::call("put", 1)}, {plumb::call("get")}});
      },
      options);
}

// The race is there without any weak memory, and so it is found first. What it takes is known of the orders all the same.
TEST(MemoryModels, StrongerOrdersAreSuggestedForARaceUnderSequentialConsistency) {
  EXPECT_TRUE(hand_over<Handover<kRelease>>(two_by_two()).passed());
  const auto result = hand_over<Handover<kRelaxed>>(two_by_two());
  EXPECT_EQ(result.kind, plumb::ViolationKind::kRace) << result.report;
  EXPECT_EQ(result.memory_model, MemoryModel::kSequential);
  EXPECT_THAT(result.report, HasSubstr("\nPerhaps memory_order_release instead of relaxed for the store at "
                                       "models_test.cpp:"));
  ASSERT_EQ(result.suggested_orders.size(), 1U);
  EXPECT_EQ(result.suggested_orders[0].order, kRelease);
  const auto weak = hand_over<Handover<kRelaxed>>(under(MemoryModel::kRc11));
  EXPECT_EQ(weak.suggested_orders[0].line, result.suggested_orders[0].line);
  // The token is of that execution, and says the same.
  auto again = two_by_two();
  again.replay = result.replay;
  EXPECT_THAT(hand_over<Handover<kRelaxed>>(again).report, HasSubstr("\nPerhaps memory_order_release"));
  const auto sequential = hand_over<Handover<kRelaxed>>(under(MemoryModel::kSequential));
  EXPECT_EQ(sequential.kind, plumb::ViolationKind::kRace);
  EXPECT_THAT(sequential.report, Not(HasSubstr("Perhaps"))) << "only that was asked for";
}

TEST(MemoryModels, OnlyWhereOrdersAreWeaker) {
  struct Counter {
    std::atomic<int> n{0};
    int increment() { return ++n; }
  };
  const auto define = [](plumb::Test<Counter>& test) { test.operation("increment", &Counter::increment); };
  const auto result = plumb::check<Counter>(define, two_by_two());
  EXPECT_TRUE(result.passed()) << result.report;
  ASSERT_EQ(result.models.size(), 1U);
  EXPECT_EQ(result.models[0].memory_model, MemoryModel::kSequential);
  EXPECT_THAT(result.report, Not(HasSubstr("rc11")));
  const auto weak = plumb::check<Counter>(define, under(MemoryModel::kRc11));
  EXPECT_TRUE(weak.passed()) << weak.report;
  EXPECT_THAT(weak.report, HasSubstr("every execution under rc11"));
}

TEST(MemoryModels, FindsWhatSequentialConsistencyHides) {
  EXPECT_TRUE(plumb::check<WrongStack>(&push_and_pop<WrongStack>, under(MemoryModel::kSequential)).passed());
  const auto result = plumb::check<WrongStack>(&push_and_pop<WrongStack>, two_by_two());
  ASSERT_EQ(result.verdict, plumb::Outcome::kViolation) << result.report;
  EXPECT_EQ(result.memory_model, MemoryModel::kRc11);
  EXPECT_THAT(result.json(), HasSubstr(R"("memory_model":"rc11")"));
  EXPECT_THAT(result.report, HasSubstr("Under rc11, the C++ memory model: "));
  EXPECT_THAT(result.report, HasSubstr("{.memory_model = plumb::MemoryModel::kRc11}"));
  // What is shown is the execution that was found, not one of those that tried other orders: the pop that found nothing, or not yet a value.
  EXPECT_THAT(result.report, ::testing::AnyOf(HasSubstr("pop() -> null\n"), HasSubstr("pop() -> 0\n")));
  plumb::TestOptions again = two_by_two();
  again.replay = result.replay;
  const auto replayed = plumb::check<WrongStack>(&push_and_pop<WrongStack>, again);
  EXPECT_EQ(replayed.verdict, plumb::Outcome::kViolation) << replayed.report;
  EXPECT_EQ(replayed.kind, result.kind);
  EXPECT_EQ(replayed.executions, 1U);
}

TEST(MemoryModels, FixedScenarios) {
  const auto define = [](plumb::Test<WrongStack>& test) {
    push_and_pop(test);
    test.scenario({{plumb::call("push", 1)}, {plumb::call("pop")}});
  };
  const auto result = plumb::check<WrongStack>(define, two_by_two());
  EXPECT_EQ(result.verdict, plumb::Outcome::kViolation) << result.report;
  EXPECT_EQ(result.memory_model, MemoryModel::kRc11);
  plumb::TestOptions samples = two_by_two();
  samples.samples = 5;
  const auto right = plumb::check<RightStack>(&push_and_pop<RightStack>, samples);
  EXPECT_TRUE(right.passed()) << right.report;
  ASSERT_EQ(right.models.size(), 2U);
  EXPECT_EQ(right.models[1].scenarios, 5U);
}

// The client's part is told: nothing in the class orders the two reads of WeakRegisters.
TEST(MemoryModels, TheClientIsTold) {
  using S = WeakRegisters<>;
  const auto define = [](plumb::Test<S>& test) {
    test.operation("write_x", &S::write_x);
    test.operation("write_y", &S::write_y);
    test.operation("read_x", &S::read_x);
    test.operation("read_y", &S::read_y);
    test.scenario({{plumb::call("write_x")},
                   {plumb::call("read_y")},
                   {plumb::call("write_y")},
                   {plumb::call("read_x")}});
  };
  const auto result = plumb::check<S>(define, under(MemoryModel::kRc11));
  ASSERT_EQ(result.kind, plumb::ViolationKind::kNotLinearizable) << result.report;
  EXPECT_THAT(result.report,
              HasSubstr("thread 4 learns that write_x() of thread 1 has returned, then calls read_y()"));
  EXPECT_THAT(result.report,
              HasSubstr("thread 3 learns that write_y() of thread 2 has returned, then calls read_x()"));
  EXPECT_THAT(result.report, HasSubstr("while (!returned_1_1.load(std::memory_order_acquire)) {}"));
}

TEST(MemoryModels, AgainstAModel) {
  const auto right = [](plumb::Test<RightStack>& test) {
    push_and_pop(test);
    test.model("stack");
  };
  const auto passed = plumb::check<RightStack>(right, under(MemoryModel::kRc11));
  EXPECT_TRUE(passed.passed()) << passed.report;
  const auto wrong = [](plumb::Test<WrongStack>& test) {
    push_and_pop(test);
    test.model("stack");
  };
  const auto found = plumb::check<WrongStack>(wrong, under(MemoryModel::kRc11));
  EXPECT_EQ(found.kind, plumb::ViolationKind::kNotLinearizable) << found.report;
  const auto misfit = [](plumb::Test<RightStack>& test) {
    push_and_pop(test);
    test.model("queue");
  };
  EXPECT_EQ(plumb::check<RightStack>(misfit, under(MemoryModel::kRc11)).kind,
            plumb::ViolationKind::kNotLinearizable);
}

// A stack is no queue, but one in which a value may be overtaken by another.
TEST(MemoryModels, Relaxed) {
  const auto define = [](plumb::Test<RightStack>& test) {
    test.operation("enqueue", &RightStack::push, plumb::values(1, 2));
    test.operation("dequeue", &RightStack::pop);
    test.allow_leaks();
    test.model("queue");
    test.before(plumb::call("enqueue", 1));
    test.before(plumb::call("enqueue", 2));
    test.scenario({{plumb::call("dequeue")}, {plumb::call("dequeue")}});
  };
  const auto strict = plumb::check<RightStack>(define, under(MemoryModel::kRc11));
  EXPECT_EQ(strict.kind, plumb::ViolationKind::kNotLinearizable) << strict.report;
  const auto relaxed = plumb::check<RightStack>(
      [&](plumb::Test<RightStack>& test) {
        define(test);
        test.relax("dequeue", 1);
      },
      under(MemoryModel::kRc11));
  EXPECT_TRUE(relaxed.passed()) << relaxed.report;
}

TEST(MemoryModels, BeforeAndAfter) {
  const auto define = [](auto& test) {
    push_and_pop(test);
    test.before(plumb::call("push", 1));
    test.after(plumb::call("pop"));
  };
  const auto right = plumb::check<RightQueue>(define, under(MemoryModel::kRc11));
  EXPECT_TRUE(right.passed()) << right.report;
  EXPECT_EQ(plumb::check<WrongStack>(define, under(MemoryModel::kRc11)).kind,
            plumb::ViolationKind::kNotLinearizable);
}

struct Tickets {
  std::atomic<int> left{2};
  int take() {
    if (left.fetch_sub(1, kRelaxed) <= 0) throw std::out_of_range("nothing left");
    return 1;
  }
};
// Both may take the last one.
struct WrongTickets : Tickets {
  int take() {
    const int now = left.load(kRelaxed);
    if (now <= 0) throw std::out_of_range("nothing left");
    left.store(now - 1, kRelaxed);
    return now;
  }
};

TEST(MemoryModels, Exceptions) {
  const auto define = [](auto& test) {
    using S = std::remove_cvref_t<decltype(test)>;
    if constexpr (std::is_same_v<S, plumb::Test<Tickets>>) {
      test.operation("take", &Tickets::take);
    } else {
      test.operation("take", &WrongTickets::take);
    }
  };
  EXPECT_TRUE(plumb::check<Tickets>(define, under(MemoryModel::kRc11)).passed());
  EXPECT_EQ(plumb::check<WrongTickets>(define, under(MemoryModel::kRc11)).kind,
            plumb::ViolationKind::kNotLinearizable);
}

// Who comes last opens the gate; but both may believe that the other has not come.
template <std::memory_order kStore, std::memory_order kLoad>
struct Gate {
  std::atomic<bool> x{false};
  std::atomic<bool> y{false};
  std::atomic<bool> open{false};
  void arrive_x() {
    x.store(true, kStore);
    if (y.load(kLoad)) open.store(true, kRelease);
  }
  void arrive_y() {
    y.store(true, kStore);
    if (x.load(kLoad)) open.store(true, kRelease);
  }
  void enter() {
    while (!open.load(kAcquire)) {
    }
  }
};

template <class S>
plumb::TestResult check_gate() {
  const auto define = [](plumb::Test<S>& test) {
    test.operation("arrive_x", &S::arrive_x);
    test.operation("arrive_y", &S::arrive_y);
    test.operation("enter", &S::enter);
    test.scenario({{plumb::call("arrive_x")}, {plumb::call("arrive_y")}, {plumb::call("enter")}});
    test.scenario({{plumb::call("arrive_x")}, {plumb::call("enter")}});
  };
  return plumb::check<S>(define, under(MemoryModel::kRc11));
}

TEST(MemoryModels, OperationsThatBlock) {
  const auto right = check_gate<Gate<kSeqCst, kSeqCst>>();
  EXPECT_TRUE(right.passed()) << right.report;
  const auto wrong = check_gate<Gate<kRelease, kAcquire>>();
  EXPECT_EQ(wrong.kind, plumb::ViolationKind::kStuck) << wrong.report;
  EXPECT_THAT(wrong.report, HasSubstr("enter()"));
}

// What cannot be run under rc11 is said, and the verdict is that of sequential consistency; asked for alone, it is an error.
TEST(MemoryModels, WhatIsNotExplored) {
  // A word that is also accessed by halves.
  struct Halves {
    alignas(4) std::array<std::uint16_t, 2> halves{};
    int count() { return __atomic_fetch_add(halves.data(), 1, __ATOMIC_RELAXED); }
    int both() {
      return static_cast<int>(
          __atomic_load_n(reinterpret_cast<std::uint32_t*>(halves.data()), __ATOMIC_RELAXED));
    }
  };
  const auto define = [](plumb::Test<Halves>& test) {
    test.operation("count", &Halves::count);
    test.operation("both", &Halves::both);
  };
  const auto both = plumb::check<Halves>(define, two_by_two());
  EXPECT_TRUE(both.passed()) << both.report;
  ASSERT_EQ(both.models.size(), 2U);
  EXPECT_THAT(both.models[1].not_run, HasSubstr("different sizes"));
  EXPECT_THAT(both.report, HasSubstr("; not run: "));
  EXPECT_THAT(both.json(), HasSubstr(R"("not_run":")"));
  const auto alone = plumb::check<Halves>(define, under(MemoryModel::kRc11));
  EXPECT_TRUE(alone.refused) << alone.report;
  plumb::TestOptions reuse = two_by_two();
  reuse.explore.reuse_by_others = true;
  const auto option = plumb::check<RightStack>(&push_and_pop<RightStack>, reuse);
  EXPECT_TRUE(option.passed()) << option.report;
  EXPECT_THAT(option.models.back().not_run, HasSubstr("reuse_by_others"));
  reuse.memory_model = MemoryModel::kRc11;
  EXPECT_TRUE(plumb::check<RightStack>(&push_and_pop<RightStack>, reuse).refused);
}

// One value, which the last one to put it there hands over.
template <std::memory_order kGive, std::memory_order kTake>
struct Mailbox {
  std::atomic<int> slot{0};
  void put(int v) { slot.store(v, kGive); }
  int get() { return slot.load(kTake); }
};

template <class S>
plumb::TestResult check_mailbox(bool all) {
  const auto define = [all](plumb::Test<S>& test) {
    test.operation("put", &S::put, plumb::values(1, 2));
    test.operation("get", &S::get);
    if (all) {
      test.synchronises_all();
    } else {
      test.synchronises("put", "get");
    }
  };
  return plumb::check<S>(define, two_by_two());
}

TEST(MemoryModels, ClaimsOfSynchronisation) {
  for (const bool all : {false, true}) {
    const auto right = check_mailbox<Mailbox<kRelease, kAcquire>>(all);
    EXPECT_TRUE(right.passed()) << right.report;
    EXPECT_TRUE((check_mailbox<Mailbox<kSeqCst, kSeqCst>>(all)).passed());
    for (const auto& wrong :
         {check_mailbox<Mailbox<kRelaxed, kAcquire>>(all), check_mailbox<Mailbox<kRelease, kRelaxed>>(all)}) {
      EXPECT_EQ(wrong.kind, plumb::ViolationKind::kRace) << wrong.report;
      EXPECT_THAT(wrong.message, HasSubstr("put(1) does not synchronise with get()"));
    }
  }
  const auto unknown = plumb::check<Mailbox<kRelease, kAcquire>>(
      [](auto& test) {
        test.operation("put", &Mailbox<kRelease, kAcquire>::put, plumb::values(1));
        test.synchronises("put", "gett");
      },
      two_by_two());
  EXPECT_TRUE(unknown.refused);
  EXPECT_THAT(unknown.message, HasSubstr("gett"));
}

// What the destructor does comes after all that is wrong.
struct LooksBack {
  std::array<std::atomic<int>, 3> old{};
  std::atomic<int> ready{0};
  std::atomic<int> value{0};
  ~LooksBack() {
    for (const auto& each : old) each.load();
  }
  void put() {
    value.store(1, std::memory_order_relaxed);
    ready.store(1, std::memory_order_relaxed);
  }
  int get() {
    if (ready.load(std::memory_order_relaxed) == 0) return -1;
    return value.load(std::memory_order_relaxed);
  }
};
TEST(MemoryModels, ATraceEndsWhereTheLastThreadDoes) {
  const auto result = plumb::check<LooksBack>(
      [](auto& test) {
        test.operation("put", &LooksBack::put);
        test.operation("get", &LooksBack::get);
      },
      two_by_two());
  ASSERT_EQ(result.kind, plumb::ViolationKind::kNotLinearizable) << result.report;
  EXPECT_THAT(result.report, HasSubstr("The interleaving"));
  EXPECT_THAT(result.report, Not(HasSubstr("~LooksBack")));
}

// Nothing that it returns is an argument: the claim says nothing, whatever the memory orders are.
struct Pairs {
  std::atomic<int> value{0};
  void put(int to) { value.store(to, std::memory_order_relaxed); }
  std::pair<int, bool> get() { return {value.load(std::memory_order_relaxed), true}; }
};
TEST(MemoryModels, AClaimThatNoExecutionMeetsIsWarnedOf) {
  const auto right = check_mailbox<Mailbox<kRelease, kAcquire>>(false);
  ASSERT_TRUE(right.coverage.has_value());
  EXPECT_THAT(right.coverage->warnings, Not(Contains(HasSubstr("the claim"))));
  const auto vacuous = check_mailbox<Pairs>(false);
  EXPECT_TRUE(vacuous.passed()) << vacuous.report;
  ASSERT_TRUE(vacuous.coverage.has_value());
  EXPECT_THAT(vacuous.coverage->warnings,
              Contains(HasSubstr("the claim synchronises(\"put\", \"get\") was met by no execution")));
  const auto none = check_mailbox<Pairs>(true);
  ASSERT_TRUE(none.coverage.has_value());
  EXPECT_THAT(none.coverage->warnings,
              Contains(HasSubstr("the claim synchronises_all() was met by no execution")));
}

TEST(MemoryModels, NoFalseAlarmOfLocksAndConditions) {
  const auto define = [](plumb::Test<WaitingQueue>& test) {
    test.operation("push", &WaitingQueue::push, plumb::values(1, 2));
    test.operation("take", &WaitingQueue::take);
  };
  const auto result = plumb::check<WaitingQueue>(define, two_by_two());
  EXPECT_TRUE(result.passed()) << result.report;
}

}  // namespace
