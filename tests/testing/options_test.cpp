// Whatever the engine can be told, a test of a class can tell it: TestOptions::explore.
#include <gtest/gtest.h>

#include <condition_variable>
#include <mutex>

#include <plumb/plumb.hpp>

namespace {

using plumb::Outcome;
using plumb::TestOptions;

// Waits with `if` where nothing but a notification wakes: wrong only if a wait ends without a cause.
struct Gate {
  std::mutex mutex;
  std::condition_variable opened;
  bool open = false;
  void set() {
    const std::scoped_lock lock(mutex);
    open = true;
    opened.notify_all();
  }
  bool pass() {
    std::unique_lock lock(mutex);
    if (!open) opened.wait(lock);
    return open;
  }
};

plumb::TestResult run(const plumb::ExploreOptions& explore) {
  return plumb::check<Gate>(
      [](auto& test) {
        test.operation("set", &Gate::set);
        test.operation("pass", &Gate::pass);
        test.scenario({{plumb::call("set")}, {plumb::call("pass")}});
      },
      TestOptions{.jobs = 1, .explore = explore});
}

TEST(Options, SpuriousWakeUpsReachTheEngine) {
  EXPECT_EQ(run({}).verdict, Outcome::kHolds);
  const auto found = run({.spurious_wakeups = 1});
  EXPECT_EQ(found.verdict, Outcome::kViolation);
  EXPECT_EQ(found.kind, plumb::ViolationKind::kNotLinearizable) << found.report;
}

TEST(Options, ATestCanSayHowItIsExplored) {
  const auto found = plumb::check<Gate>(
      [](auto& test) {
        test.operation("set", &Gate::set);
        test.operation("pass", &Gate::pass);
        test.scenario({{plumb::call("set")}, {plumb::call("pass")}});
        test.explore({.spurious_wakeups = 1});
      },
      {.jobs = 1});
  EXPECT_EQ(found.verdict, Outcome::kViolation) << found.report;
}

// The command that is printed has whatever decides which choices an execution has, and so leads there again.
TEST(Options, ATokenIsPrintedWithTheOptionsThatItNeeds) {
  const auto gate = [](bool says_so, const TestOptions& options) {
    return plumb::check<Gate>(
        [&](auto& test) {
          test.operation("set", &Gate::set);
          test.operation("pass", &Gate::pass);
          test.scenario({{plumb::call("set")}, {plumb::call("pass")}});
          if (says_so) test.explore({.spurious_wakeups = 1});
        },
        options);
  };
  TestOptions options{.jobs = 1, .explore = {.patience = 9, .spurious_wakeups = 1}};
  options.program = "./gate";
  const auto found = gate(false, options);
  EXPECT_NE(found.report.find("./gate --spurious-wakeups 1 --patience 9 --replay "), std::string::npos)
      << found.report;
  EXPECT_NE(gate(true, options).report.find("./gate --replay "), std::string::npos);
  options.replay = found.replay;
  EXPECT_EQ(gate(false, options).kind, plumb::ViolationKind::kNotLinearizable);
}

TEST(Options, LimitsOfAnExecutionReachTheEngine) {
  const auto short_of_steps = run({.steps = 3});
  EXPECT_NE(short_of_steps.verdict, Outcome::kHolds) << short_of_steps.report;
}

TEST(Options, ATestHasTwoPreemptionsUnlessItIsToldOtherwise) {
  EXPECT_NE(run({}).report.find("at most 2 preemptions"), std::string::npos);
  EXPECT_NE(run({.preemptions = 1}).report.find("at most 1 preemption"), std::string::npos);
  EXPECT_EQ(run({.preemptions = plumb::kAnyPreemptions}).report.find("preemption"), std::string::npos);
}

}  // namespace
