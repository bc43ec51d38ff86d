// The search that leaves out what it can against those that leave out less: what the simplest one finds within the bound the
// reduced one finds, too; and whatever that finds is found by who runs everything.
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include "explore/states/explore_states.hpp"
#include "support/scale.hpp"
#include "testing/line_up.hpp"
#include "testing/subjects.hpp"

namespace plumb::testing {
namespace {

using plumb_tests::BlockingQueue;
using plumb_tests::Counter;
using plumb_tests::LostUpdate;
using plumb_tests::LostWakeUp;

// Reads both halves one after the other, and may see one write of two.
struct TornPair {
  std::atomic<int> low{0};
  std::atomic<int> high{0};
  void set(int v) {
    low.store(v);
    high.store(v);
  }
  int get() const { return low.load() * 10 + high.load(); }
};

// Gives up when somebody else is at it.
struct Impatient {
  std::mutex mutex;
  int n = 0;
  bool increment() {
    const std::unique_lock lock(mutex, std::try_to_lock);
    if (lock) ++n;
    return lock.owns_lock();
  }
  int get() {
    const std::lock_guard lock(mutex);
    return n;
  }
};

// A flag each, and nothing in common: only what was called after what has returned tells them apart.
struct Unrelated {
  std::atomic<int> a{0};
  std::atomic<int> b{0};
  void set_a() { a.store(1); }
  void set_b() { b.store(1); }
  int get() const { return a.load() + 2 * b.load(); }
};

ScenarioResult run(const TestCase& test, const Scenario& scenario, SearchOrder order, PreemptionBound bound) {
  Settings settings;
  settings.explore.order = order;
  settings.explore.preemptions = bound;
  settings.trace = false;
  return LineUp(test, scenario).run(settings);
}

template <class S, class Define>
void compare(Define define, std::size_t samples, bool wrong) {
  plumb::Test<S> defined("S", 1);
  define(defined);
  TestCase& test = case_of(defined);
  ASSERT_TRUE(test.finish().ok());
  std::size_t found = 0;
  for (const Scenario& scenario :
       sample(test, {.threads = 2, .operations = 2, .samples = samples, .seed = 5})) {
    const ScenarioResult reduced = run(test, scenario, SearchOrder::kReduced, 2);
    const ScenarioResult simple = run(test, scenario, SearchOrder::kDepthFirst, 2);
    const ScenarioResult everything = run(test, scenario, SearchOrder::kDepthFirst, kAnyPreemptions);
    const ScenarioResult sleep_sets = run(test, scenario, SearchOrder::kReduced, kAnyPreemptions);
    engine::search_states_both_ways(true);
    const ScenarioResult states = run(test, scenario, SearchOrder::kStates, 2);
    const ScenarioResult all_states = run(test, scenario, SearchOrder::kStates, kAnyPreemptions);
    engine::search_states_both_ways(false);
    const std::string what = to_text(scenario) + " " + reduced.message;
    ASSERT_EQ(states.beyond_states + all_states.beyond_states, "") << what;
    if (simple.verdict == Outcome::kViolation) ASSERT_EQ(states.verdict, Outcome::kViolation) << what;
    if (states.verdict == Outcome::kViolation) ASSERT_EQ(everything.verdict, Outcome::kViolation) << what;
    ASSERT_EQ(all_states.verdict, everything.verdict) << what;
    ASSERT_EQ(all_states.kind, everything.kind) << what;
    for (const ScenarioResult& each : {reduced, simple, everything, sleep_sets})
      ASSERT_TRUE(each.verdict == Outcome::kHolds || each.verdict == Outcome::kViolation) << what;
    if (simple.verdict == Outcome::kViolation) ASSERT_EQ(reduced.verdict, Outcome::kViolation) << what;
    if (reduced.verdict == Outcome::kViolation) ASSERT_EQ(everything.verdict, Outcome::kViolation) << what;
    ASSERT_EQ(sleep_sets.verdict, everything.verdict) << what;
    if (reduced.verdict == Outcome::kHolds) EXPECT_LE(reduced.executions, simple.executions) << what;
    found += reduced.verdict == Outcome::kViolation ? 1 : 0;
  }
  EXPECT_EQ(found > 0, wrong);
}

// Random ones find what is wrong, and never something that is right; what they judge by a tree that grows as histories ask is what they
// judge by the whole one.
template <class S, class Define>
void compare_walks(Define define, std::size_t samples, bool wrong) {
  plumb::Test<S> defined("S", 1);
  define(defined);
  TestCase& test = case_of(defined);
  ASSERT_TRUE(test.finish().ok());
  std::size_t found = 0;
  for (const Scenario& scenario :
       sample(test, {.threads = 2, .operations = 2, .samples = samples, .seed = 5})) {
    const ScenarioResult everything = run(test, scenario, SearchOrder::kReduced, kAnyPreemptions);
    const std::string what = to_text(scenario) + " " + everything.message;
    Settings settings;
    settings.trace = false;
    for (const Walk& walk : portfolio(3, 1)) {
      const ScenarioResult grown = LineUp(test, scenario).walk(settings, {walk});
      ASSERT_NE(grown.verdict, Outcome::kHolds) << what;
      if (everything.verdict == Outcome::kHolds) ASSERT_FALSE(grown.has_finding()) << what << grown.message;
      if (walk.order == SearchOrder::kReduced) continue;
      settings.explore.order = walk.order;
      settings.explore.depth = walk.depth;
      settings.explore.executions = walk.executions;
      settings.explore.seed = walk.seed;
      const ScenarioResult whole = LineUp(test, scenario).run(settings);
      EXPECT_EQ(whole.has_finding(), grown.has_finding()) << what;
      EXPECT_EQ(whole.executions, grown.executions) << what;
      EXPECT_EQ(whole.token, grown.token) << what;
      found += grown.has_finding() ? 1 : 0;
    }
  }
  EXPECT_EQ(found > 0, wrong);
}

TEST(Strategies, WalksFindWhatIsWrongAndNothingElse) {
  const auto counter = []<class S>(plumb::Test<S>& test) {
    test.operation("increment", &S::increment);
    test.operation("get", &S::get);
  };
  const auto queue = []<class S>(plumb::Test<S>& test) {
    test.operation("push", &S::push, plumb::values(1, 2));
    test.operation("take", &S::take);
  };
  compare_walks<Counter>(counter, 10, false);
  compare_walks<LostUpdate>(counter, 10, true);
  compare_walks<Impatient>(counter, 10, true);
  compare_walks<BlockingQueue>(queue, 8, false);
  compare_walks<LostWakeUp>(queue, 8, true);
}

TEST(Strategies, AgreeOnSmallScenarios) {
  const auto counter = []<class S>(plumb::Test<S>& test) {
    test.operation("increment", &S::increment);
    test.operation("get", &S::get);
  };
  const auto queue = []<class S>(plumb::Test<S>& test) {
    test.operation("push", &S::push, plumb::values(1, 2));
    test.operation("take", &S::take);
  };
  compare<Counter>(counter, 20, false);
  compare<LostUpdate>(counter, 20, true);
  compare<Impatient>(counter, 20, true);
  compare<BlockingQueue>(queue, 8, false);
  compare<LostWakeUp>(queue, 8, true);
  compare<TornPair>(
      [](plumb::Test<TornPair>& test) {
        test.operation("set", &TornPair::set, plumb::values(1, 2));
        test.operation("get", &TornPair::get);
      },
      20, true);
  compare<Unrelated>(
      [](plumb::Test<Unrelated>& test) {
        test.operation("a", &Unrelated::set_a);
        test.operation("b", &Unrelated::set_b);
        test.operation("get", &Unrelated::get);
      },
      30, true);
}

}  // namespace
}  // namespace plumb::testing
