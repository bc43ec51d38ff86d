// What every test of a program asks. Right programs: all strategies pass, the reduction runs exactly the
// traces that plain depth-first search finds, each once, and the counts are pinned. Wrong ones: every
// strategy finds the fault, with fibers and with real threads, and its token runs the very execution again.
#pragma once

#include <gtest/gtest.h>
#include <plumb/explore.hpp>

namespace plumb_tests {

using Body = void (*)(plumb::Program&);

// Loops that wait are cut after some rounds at one place of the code, and compilers unroll and rotate loops:
// their counts are pinned only where all agree.
constexpr std::uint64_t kDependsOnTheCompiler = 0;

inline void expect_count(std::uint64_t actual, std::uint64_t pinned) {
  if (pinned != kDependsOnTheCompiler) EXPECT_EQ(actual, pinned);
}

// Under a bound the reduction finds the traces that depth-first search finds under the same.
inline void expect_same_traces_within(Body program, int most) {
  for (int bound = 0; bound <= most; ++bound) {
    const auto few = plumb::explore(program, {.preemptions = bound, .count_traces = true});
    const auto all = plumb::explore(
        program, {.order = plumb::SearchOrder::kDepthFirst, .preemptions = bound, .count_traces = true});
    EXPECT_TRUE(few.passed() && all.passed()) << few.text() << all.text();
    EXPECT_EQ(few.traces, all.traces) << "within " << bound;
    EXPECT_LE(few.executions, all.executions) << "within " << bound;
  }
}

inline void expect_pass(Body program, std::uint64_t reduced, std::uint64_t depth_first) {
  const auto few = plumb::explore(program, {.count_traces = true});
  EXPECT_TRUE(few.passed() && few.exhausted) << few.text();
  EXPECT_EQ(few.executions, few.traces) << "a trace was run twice";
  const auto all = plumb::explore(program, {.order = plumb::SearchOrder::kDepthFirst, .count_traces = true});
  EXPECT_TRUE(all.passed() && all.exhausted) << all.text();
  EXPECT_EQ(all.traces, few.traces) << "the reduction lost a trace, or found one that is none";
  expect_count(few.executions, reduced);
  expect_count(all.executions, depth_first);
  expect_same_traces_within(program, 3);
  const auto threads = plumb::explore(program, {.executions = 50, .real_threads = true});
  EXPECT_NE(threads.verdict, plumb::Outcome::kViolation) << threads.text();
}

// The same for programs with too many interleavings to run them all.
inline void expect_pass_reduced(Body program, std::uint64_t reduced) {
  const auto few = plumb::explore(program, {.count_traces = true});
  EXPECT_TRUE(few.passed() && few.exhausted) << few.text();
  EXPECT_EQ(few.executions, few.traces) << "a trace was run twice";
  expect_count(few.executions, reduced);
  expect_same_traces_within(program, 1);
}

// Explores; a finding must be what its token leads to again.
template <class F>
plumb::Exploration explore_and_replay(const F& program, plumb::ExploreOptions options = {}) {
  auto result = plumb::explore(program, options);
  if (result.verdict != plumb::Outcome::kViolation) return result;
  options.replay = result.replay;
  const auto again = plumb::explore(program, options);
  EXPECT_EQ(plumb::to_string(again.kind), std::string(plumb::to_string(result.kind))) << again.text();
  EXPECT_EQ(again.message, result.message);
  EXPECT_EQ(again.trace.size(), result.trace.size());
  return result;
}

inline void expect_found(Body program, plumb::FindingKind kind) {
  using plumb::SearchOrder;
  plumb::ExploreOptions options;
  const std::pair<SearchOrder, plumb::PreemptionBound> searches[] = {
      {SearchOrder::kReduced, plumb::kAnyPreemptions},
      {SearchOrder::kReduced, 3},
      {SearchOrder::kDepthFirst, 3},
      {SearchOrder::kRandom, plumb::kAnyPreemptions},
      {SearchOrder::kPct, plumb::kAnyPreemptions}};
  for (const auto& [order, preemptions] : searches) {
    options.order = order;
    options.preemptions = preemptions;
    const auto result = plumb::explore(program, options);
    EXPECT_EQ(plumb::to_string(result.kind), std::string(plumb::to_string(kind)))
        << static_cast<int>(order) << "\n"
        << result.text();
    if (result.kind != kind) continue;
    for (const bool real_threads : {false, true}) {
      const auto again = plumb::explore(program, {.real_threads = real_threads, .replay = result.replay});
      EXPECT_EQ(again.kind, kind) << again.text();
      EXPECT_EQ(again.executions, 1);
      EXPECT_EQ(again.replay, result.replay);
      ASSERT_EQ(again.trace.size(), result.trace.size());
      for (std::size_t i = 0; i < again.trace.size(); ++i) {
        EXPECT_EQ(again.trace[i].thread, result.trace[i].thread);
        EXPECT_EQ(again.trace[i].what, result.trace[i].what);
        EXPECT_EQ(again.trace[i].after == again.trace[i].before,
                  result.trace[i].after == result.trace[i].before);
      }
    }
  }
}

}  // namespace plumb_tests
