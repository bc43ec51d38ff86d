// Several processes count and find what one process counts and finds.
#include <unistd.h>
#include <csignal>

#include <array>
#include <atomic>
#include <mutex>

#include "explore/programs.hpp"

namespace {

using plumb::Exploration;
using plumb::ExploreOptions;
using plumb::FindingKind;
using plumb::SearchOrder;

void expect_same(plumb_tests::Body program, const char* what) {
  for (const SearchOrder order : {SearchOrder::kReduced, SearchOrder::kDepthFirst}) {
    const Exploration one = plumb::explore(program, {.order = order});
    for (const unsigned jobs : {2U, 3U}) {
      const Exploration several = plumb::explore(program, {.order = order, .jobs = jobs});
      EXPECT_EQ(several.verdict, one.verdict) << what << several.text();
      EXPECT_EQ(several.kind, one.kind) << what;
      EXPECT_EQ(several.message, one.message) << what;
      EXPECT_EQ(several.executions, one.executions) << what;
      EXPECT_EQ(several.pruned, one.pruned) << what;
      EXPECT_EQ(several.steps, one.steps) << what;
      EXPECT_EQ(several.exhausted, one.exhausted) << what;
      EXPECT_EQ(several.replay, one.replay) << what;
      EXPECT_EQ(several.text(), one.text()) << what;
    }
  }
}

void counters(plumb::Program& p) {
  std::array<std::atomic<int>, 2> counts{};
  for (std::size_t i = 0; i < 3; ++i) {
    p.thread([&, i] {
      counts[i % 2].fetch_add(1);
      counts[0].fetch_add(1);
      counts[1].load();
    });
  }
  p.check([&] { return counts[0] + counts[1] == 6; });
}

void few(plumb::Program& p) {
  std::atomic<int> n{0};
  p.thread([&] { n.fetch_add(1); });
  p.check([&] { return n == 1; });
}

void lost_update(plumb::Program& p) {
  std::atomic<int> n{0};
  for (int i = 0; i < 3; ++i) p.thread([&] { n.store(n.load() + 1); });
  p.check([&] { return n > 1; });
}

void deadlock(plumb::Program& p) {
  std::mutex a;
  std::mutex b;
  p.thread([&] {
    const std::lock_guard first(a);
    const std::lock_guard second(b);
  });
  p.thread([&] {
    const std::lock_guard first(b);
    const std::lock_guard second(a);
  });
  p.run();
}

TEST(Jobs, CountAndFindTheSame) {
  expect_same(&counters, "counters");
  expect_same(&few, "few");
  expect_same(&lost_update, "lost update");
  expect_same(&deadlock, "deadlock");
}

// Deep in one branch the process is killed: what signal handlers cannot catch.
const pid_t g_parent = getpid();

void killed(plumb::Program& p) {
  std::atomic<int> n{0};
  for (int i = 0; i < 2; ++i) {
    p.thread([&] {
      for (int round = 0; round < 6; ++round) {
        if (n.fetch_add(1) == 3 && round == 0 && getpid() != g_parent) kill(getpid(), SIGKILL);
      }
    });
  }
  p.check([&] { return n == 12; });
}

TEST(Jobs, AWorkerThatDiesIsAFinding) {
  const Exploration first = plumb::explore(&killed, {.jobs = 2});
  EXPECT_EQ(first.kind, FindingKind::kCrash) << first.text();
  EXPECT_NE(first.message.find("signal 9"), std::string::npos) << first.message;
  const Exploration second = plumb::explore(&killed, {.jobs = 3});
  EXPECT_EQ(second.replay, first.replay);
}

TEST(Jobs, LimitsHold) {
  const Exploration result =
      plumb::explore(&counters, {.order = SearchOrder::kDepthFirst, .executions = 200, .jobs = 2});
  EXPECT_EQ(result.ended_by, plumb::SearchEnd::kExecutions) << result.text();
  EXPECT_GE(result.executions, 200);
  EXPECT_EQ(result.verdict, plumb::Outcome::kUnknown);
}

}  // namespace
