// Several processes count and find what one process counts and finds.
#include <unistd.h>
#include <csignal>

#include <array>
#include <atomic>
#include <mutex>

#include "explore/programs.hpp"
#include "explore/search_parts.hpp"

namespace {

using plumb::Exploration;
using plumb::ExploreOptions;
using plumb::FindingKind;
using plumb::SearchOrder;

// Else nothing as short as these programs would be shared out.
class Jobs : public ::testing::Test {
 protected:
  Jobs() { plumb::engine::share_out_at_once(true); }
  ~Jobs() override { plumb::engine::share_out_at_once(false); }
};

void expect_same(plumb_tests::Body program, const char* what) {
  for (const SearchOrder order : {SearchOrder::kReduced, SearchOrder::kDepthFirst}) {
    const Exploration one = plumb::explore(program, {.order = order});
    for (const unsigned jobs : {2U, 3U}) {
      const std::uint64_t before = plumb::engine::parts_handed_over();
      const Exploration several = plumb::explore(program, {.order = order, .jobs = jobs});
      EXPECT_EQ(plumb::engine::parts_handed_over() > before, several.executions > 1) << what;
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

TEST_F(Jobs, CountAndFindTheSame) {
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

TEST_F(Jobs, AWorkerThatDiesIsAFinding) {
  for (const unsigned jobs : {2U, 3U}) {
    const Exploration result = plumb::explore(&killed, {.jobs = jobs});
    EXPECT_EQ(result.kind, FindingKind::kCrash) << result.text();
    EXPECT_NE(result.message.find("signal 9"), std::string::npos) << result.message;
    const Exploration again = plumb::explore(&killed, {.replay = result.replay});  // in this process
    EXPECT_EQ(again.ended_by, plumb::SearchEnd::kReplayed) << again.text();
  }
}

TEST_F(Jobs, LimitsHold) {
  const Exploration result =
      plumb::explore(&counters, {.order = SearchOrder::kDepthFirst, .executions = 200, .jobs = 2});
  EXPECT_EQ(result.ended_by, plumb::SearchEnd::kExecutions) << result.text();
  EXPECT_GE(result.executions, 200);
  EXPECT_EQ(result.verdict, plumb::Outcome::kUnknown);
}

}  // namespace
