// Scenarios of classes under RC11: the numbers of execution graphs and of those that are judged, and what is found.
#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include "testing/line_up.hpp"
#include "testing/weak/weak_subjects.hpp"

namespace plumb::testing {
namespace {

using namespace plumb_tests;

using Matrix = std::vector<std::vector<TestCall>>;
const TestCall kPop = call("pop");

template <class S>
ScenarioResult run(const Matrix& threads, const std::string& model = {}) {
  Test<S> test("subject", 1);
  test.operation("push", &S::push, values(10, 11, 20, 21, 30));
  test.operation("pop", &S::pop);
  test.allow_leaks();
  if (!model.empty()) test.model(model);
  test.scenario(threads);
  TestCase& made = case_of(test);
  EXPECT_TRUE(made.finish().ok());
  const auto scenarios = given_scenarios(made);
  Settings settings;
  settings.explore.memory_model = MemoryModel::kRc11;
  settings.trace = false;
  return LineUp(made, scenarios->front()).run(settings);
}

struct Counts {
  std::uint64_t executions;
  std::uint64_t judged;
  bool operator==(const Counts&) const = default;
};
std::ostream& operator<<(std::ostream& out, const Counts& counts) {
  return out << counts.executions << " executions, " << counts.judged << " judged";
}

template <class S>
Counts counts(const Matrix& threads) {
  const ScenarioResult result = run<S>(threads);
  EXPECT_EQ(result.verdict, Outcome::kHolds) << result.message;
  EXPECT_TRUE(result.exhausted);
  return {result.executions, result.histories};
}

// The counts of the design, from an engine of its own: each execution is run, and of those with equal results and equal relations between
// calls and returns one is judged.
TEST(Rc11Scenarios, Counts) {
  const TestCall push_10 = call("push", 10);
  const TestCall push_20 = call("push", 20);
  EXPECT_EQ((counts<WeakStack<>>({{push_10, kPop}, {push_20, kPop}})), (Counts{40, 34}));
  EXPECT_EQ((counts<WeakStack<>>({{push_10, kPop, kPop}, {push_20, kPop, kPop}})), (Counts{164, 126}));
  EXPECT_EQ((counts<WeakStack<>>({{push_10, call("push", 11), kPop}, {push_20, call("push", 21), kPop}})),
            (Counts{496, 328}));
  EXPECT_EQ((counts<WeakQueue<>>({{push_10, kPop}, {push_20, kPop}})), (Counts{222, 42}));
}

TEST(Rc11Scenarios, ThreeThreads) {
  EXPECT_EQ(
      (counts<WeakStack<>>({{call("push", 10), kPop}, {call("push", 20), kPop}, {call("push", 30), kPop}})),
      (Counts{25'680, 7'134}));
}

}  // namespace
}  // namespace plumb::testing
