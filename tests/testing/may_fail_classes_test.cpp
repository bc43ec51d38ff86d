// Calls that may fail, from end to end: Vyukov's ring as it is, with its contract, and with a planted fault; models, stress, messages.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>
#include <plumb/stress.hpp>

#include <array>
#include <atomic>
#include <deque>
#include <mutex>

namespace plumb_tests {
namespace {

using plumb::Outcome;
using plumb::TestOptions;
using plumb::ViolationKind;

// Vyukov's bounded queue. `kTaken`: a push takes its cell with a compare-exchange; else with a load and a store, which is a fault.
template <bool kTaken = true>
struct Ring {
  struct Cell {
    std::atomic<std::size_t> turn{0};
    int value = 0;
  };
  std::array<Cell, 2> cells;
  std::atomic<std::size_t> head{0};
  std::atomic<std::size_t> tail{0};

  Ring() {
    for (std::size_t i = 0; i < cells.size(); ++i) cells[i].turn.store(i, std::memory_order_relaxed);
  }
  bool push(int v) {
    std::size_t at = tail.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells[at % 2];
      const std::size_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == at && take(at)) {
        cell.value = v;
        cell.turn.store(at + 1, std::memory_order_release);
        return true;
      }
      if (turn < at) return false;
      at = tail.load(std::memory_order_relaxed);
    }
  }
  std::optional<int> pop() {
    std::size_t at = head.load(std::memory_order_relaxed);
    for (;;) {
      Cell& cell = cells[at % 2];
      const std::size_t turn = cell.turn.load(std::memory_order_acquire);
      if (turn == at + 1 && head.compare_exchange_strong(at, at + 1, std::memory_order_relaxed)) {
        const int v = cell.value;
        cell.turn.store(at + 2, std::memory_order_release);
        return v;
      }
      if (turn < at + 1) return std::nullopt;
      at = head.load(std::memory_order_relaxed);
    }
  }
  bool take(std::size_t& at) {
    if constexpr (kTaken) return tail.compare_exchange_strong(at, at + 1, std::memory_order_relaxed);
    tail.store(at + 1, std::memory_order_relaxed);
    return true;
  }
};

enum class Says { kNothing, kMayFail, kWhenContended };

template <class S>
auto ring(Says says, bool races = true) {
  return [=](plumb::Test<S>& test) {
    auto push = test.operation("push", &S::push, plumb::values(1, 2));
    auto pop = test.operation("pop", &S::pop);
    if (says == Says::kMayFail) {
      push.may_fail(false);
      pop.may_fail();
    } else if (says == Says::kWhenContended) {
      push.may_fail_when_contended();
      pop.may_fail_when_contended();
    }
    if (!races) test.allow_races();
  };
}

const TestOptions kSmall{.threads = 2, .operations = 2, .samples = 100, .jobs = 1};

TEST(MayFailRing, IsRedAsItIsAndGreenWithItsContract) {
  const auto red = plumb::check<Ring<>>(ring<Ring<>>(Says::kNothing), kSmall);
  EXPECT_EQ(red.kind, ViolationKind::kNotLinearizable) << red.report;
  for (const Says says : {Says::kMayFail, Says::kWhenContended}) {
    const auto green = plumb::check<Ring<>>(ring<Ring<>>(says), kSmall);
    EXPECT_TRUE(green) << green.report;
    TestOptions by_states = kSmall;
    by_states.explore.order = plumb::SearchOrder::kStates;
    const auto same = plumb::check<Ring<>>(ring<Ring<>>(says), by_states);
    EXPECT_TRUE(same) << same.report;
    EXPECT_EQ(same.by_schedules, 0) << same.beyond_states;
  }
}

// Two threads take one cell: of three that fit, two are there.
TEST(MayFailRing, APlantedFaultIsRedWhateverMayFail) {
  using Faulty = Ring<false>;
  TestOptions options = kSmall;
  for (const auto order : {plumb::SearchOrder::kReduced, plumb::SearchOrder::kStates}) {
    options.explore.order = order;
    for (const Says says : {Says::kMayFail, Says::kWhenContended}) {
      const auto red = plumb::check<Faulty>(ring<Faulty>(says, false), options);
      EXPECT_EQ(red.kind, ViolationKind::kNotLinearizable) << red.report;
    }
  }
}

// Every second pop() fails; alone, too.
struct FailsAlone {
  std::mutex mutex;
  std::deque<int> items;
  int calls = 0;
  bool push(int v) {
    const std::lock_guard lock(mutex);
    items.push_back(v);
    return true;
  }
  std::optional<int> pop() {
    const std::lock_guard lock(mutex);
    if (++calls % 2 == 0 || items.empty()) return std::nullopt;
    const int v = items.front();
    items.pop_front();
    return v;
  }
};

auto by_model(Says says) {
  return [=](auto& test) {
    ring<FailsAlone>(says)(test);
    test.model("queue");
  };
}

TEST(MayFailModel, AFailureAloneIsToldFromOneThatIsContended) {
  TestOptions options = kSmall;
  options.samples = 200;
  EXPECT_FALSE(plumb::check<FailsAlone>(by_model(Says::kNothing), options));
  const auto green = plumb::check<FailsAlone>(by_model(Says::kMayFail), options);
  EXPECT_TRUE(green) << green.report;
  const auto alone = plumb::check<FailsAlone>(by_model(Says::kWhenContended), options);
  EXPECT_EQ(alone.kind, ViolationKind::kNotLinearizable) << alone.report;
  EXPECT_THAT(alone.report, ::testing::HasSubstr("may fail while another operation runs, but none did"));
}

TEST(MayFailModel, AStressRunKnowsTheContract) {
  const plumb::StressOptions options{.threads = 2, .operations = 100, .rounds = 3};
  EXPECT_EQ(plumb::stress<FailsAlone>(by_model(Says::kNothing), options).verdict, Outcome::kViolation);
  const auto green = plumb::stress<FailsAlone>(by_model(Says::kMayFail), options);
  EXPECT_NE(green.verdict, Outcome::kViolation) << green.report;
}

// One that holds one value: what push() says when there is one already, and whether it is right.
enum class Full : std::uint8_t { kSaysSo, kLies, kLoses };
template <Full kFull>
struct One {
  std::mutex mutex;
  std::deque<int> items;

  bool push(int v) {
    const std::lock_guard lock(mutex);
    const bool fits = items.empty();
    if (fits || kFull == Full::kLies) items.push_back(v);
    return fits || kFull == Full::kLoses;
  }
  std::optional<int> pop() {
    const std::lock_guard lock(mutex);
    if (items.empty()) return std::nullopt;
    const int v = items.front();
    items.pop_front();
    return v;
  }
};

template <Full kFull>
auto judge_one(Says says) {
  return plumb::check<One<kFull>>(
      [&](plumb::Test<One<kFull>>& test) {
        auto push = test.operation("push", &One<kFull>::push, plumb::values(1, 2));
        test.operation("pop", &One<kFull>::pop);
        test.model("queue");
        if (says == Says::kMayFail) push.may_fail();
        if (says == Says::kWhenContended) push.may_fail_when_contended();
      },
      kSmall);
}

// The model's push always succeeds, and has no result: what false means is for the author to say.
TEST(MayFailModel, APushThatFailsIsNoPushOfTheModel) {
  const auto unstated = judge_one<Full::kSaysSo>(Says::kNothing);
  EXPECT_TRUE(unstated.refused) << unstated.report;
  EXPECT_THAT(unstated.message, ::testing::HasSubstr("the test does not fit the model queue: push("));
  EXPECT_THAT(unstated.message, ::testing::HasSubstr("returned false, but in the model every push()"));
  EXPECT_THAT(unstated.message, ::testing::HasSubstr(".may_fail()"));
  const auto green = judge_one<Full::kSaysSo>(Says::kMayFail);
  EXPECT_TRUE(green) << green.report;
  EXPECT_EQ(judge_one<Full::kLies>(Says::kMayFail).kind, ViolationKind::kNotLinearizable)
      << "it has pushed, and may not have";
  EXPECT_EQ(judge_one<Full::kLoses>(Says::kMayFail).kind, ViolationKind::kNotLinearizable);
  const auto alone = judge_one<Full::kSaysSo>(Says::kWhenContended);
  EXPECT_EQ(alone.kind, ViolationKind::kNotLinearizable) << "full, whether or not another operation runs";
  EXPECT_THAT(alone.report, ::testing::HasSubstr("may fail while another operation runs, but none did"));
}

TEST(MayFailModel, APushThatFailsIsAskedAboutInAStressRun) {
  const auto result = plumb::stress<One<Full::kSaysSo>>(
      [](auto& test) {
        test.operation("push", &One<Full::kSaysSo>::push, plumb::values(1, 2));
        test.model("queue");
      },
      {.threads = 2, .operations = 20, .rounds = 1});
  EXPECT_TRUE(result.refused) << result.report;
  EXPECT_THAT(result.message, ::testing::HasSubstr("returned false, but in the model every push()"));
}

// Without a model, in rounds of small scenarios: what it does serially is the specification, and it does lose everything.
TEST(MayFailStress, ScenariosAreJudgedWithCallsLeftOut) {
  const plumb::StressOptions options{.threads = 2, .operations = 2, .rounds = 20, .scenarios = 20};
  const auto result = plumb::stress<Ring<>>(ring<Ring<>>(Says::kWhenContended), options);
  EXPECT_NE(result.verdict, Outcome::kViolation) << result.report;
}

TEST(MayFailReport, SaysWhichCallsMayFailAndDid) {
  using Faulty = Ring<false>;
  const auto define = [](plumb::Test<Faulty>& test) {
    ring<Faulty>(Says::kMayFail, false)(test);
    test.scenario(
        {{plumb::call("pop"), plumb::call("push", 1), plumb::call("push", 1)}, {plumb::call("push", 2)}});
  };
  const auto red = plumb::check<Faulty>(define, {.jobs = 1, .minimise = false});
  ASSERT_EQ(red.kind, ViolationKind::kNotLinearizable) << red.report;
  EXPECT_THAT(red.report, ::testing::HasSubstr("pop() in thread 1 may fail, and did"));
}

// One of two that are given at once may be lost, and is missed when nobody else is there.
struct LosesCredits {
  std::atomic<int> count{0};
  void give() { count.store(count.load() + 1); }
  bool take() {
    int seen = count.load();
    while (seen > 0 && !count.compare_exchange_weak(seen, seen - 1)) {
    }
    return seen > 0;
  }
};

// A ring without a contract, and a class for which there is none: what fails alone is lost.
TEST(MayFailReport, SaysWhereAContractWouldBeEnough) {
  const auto report_of = [](const plumb::TestResult& result) {
    EXPECT_EQ(result.kind, ViolationKind::kNotLinearizable) << result.report;
    return result.report;
  };
  EXPECT_THAT(report_of(plumb::check<Ring<>>(ring<Ring<>>(Says::kNothing), kSmall)),
              ::testing::ContainsRegex(
                  "Without p(op|ush)\\(\\) of thread [12], a serial run explains the rest. If it may "
                  "return (null|false) while another operation runs, say so: "
                  "test.operation\\(\"p(op|ush)\", …\\).may_fail_when_contended\\(\\)"));
  const auto define = [](plumb::Test<LosesCredits>& test) {
    test.operation("give", &LosesCredits::give);
    test.operation("take", &LosesCredits::take);
    test.scenario({{plumb::call("give")}, {plumb::call("give"), plumb::call("take"), plumb::call("take")}});
  };
  EXPECT_THAT(report_of(plumb::check<LosesCredits>(define, {.jobs = 1, .minimise = false})),
              ::testing::Not(::testing::HasSubstr("explains the rest")));
}

TEST(MayFailMistakes, AreToldByName) {
  struct Odd {
    int number() { return 1; }
    void nothing() {}
    std::optional<int> pop() { return {}; }
  };
  const auto no_result =
      plumb::check<Odd>([](auto& test) { test.operation("number", &Odd::number).may_fail(); });
  EXPECT_TRUE(no_result.refused);
  EXPECT_THAT(no_result.message,
              ::testing::HasSubstr("number() may fail, says the test, but not with which result"));
  const auto relaxed = plumb::check<Odd>([](auto& test) {
    test.operation("pop", &Odd::pop).may_fail_when_contended();
    test.model("queue");
    test.relax("pop", 1);
  });
  EXPECT_THAT(relaxed.message, ::testing::HasSubstr("with relax() only may_fail() is possible"));
  const auto nothing =
      plumb::check<Odd>([](auto& test) { test.operation("nothing", &Odd::nothing).may_fail(); });
  EXPECT_THAT(nothing.message,
              ::testing::HasSubstr("nothing() may fail, says the test, but it returns nothing"));
  const auto against = plumb::check<Odd>([](auto& test) { test.operation("pop", &Odd::pop).may_fail(); },
                                         {.against = "no-such-file.xml"});
  EXPECT_THAT(against.message, ::testing::HasSubstr("--against: an operation of the test may fail"));
}

}  // namespace
}  // namespace plumb_tests
