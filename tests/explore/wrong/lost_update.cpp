// Read, then write: an update is lost, with atomics and with a plain variable.
#include <atomic>

#include "explore/programs.hpp"

namespace {

using plumb::FindingKind;
using plumb_tests::expect_found;

void increments(plumb::Program& p) {
  std::atomic<int> n{0};
  p.name(&n, "n");
  for (int i = 0; i < 2; ++i) p.thread([&] { n.store(n.load() + 1); });
  p.check([&] { return n == 2; });
}
TEST(LostUpdate, IsFound) { expect_found(increments, FindingKind::kCheck); }

TEST(LostUpdate, TheTraceTellsIt) {
  const auto result =
      plumb::explore(increments, {.order = plumb::SearchOrder::kDepthFirst, .preemptions = 2});
  const std::string token = result.replay.substr(result.replay.rfind('-') + 1);
  EXPECT_EQ(token, "1.2x2");
  ASSERT_GE(result.trace.size(), 4);
  const auto told = [&](std::size_t i) {
    const plumb::TraceStep& step = result.trace[i];
    return std::to_string(step.thread) + " " + step.what + " " + step.object + " " + step.seen + " " +
           step.left;
  };
  EXPECT_EQ(told(0), "1 load n 0 0");
  EXPECT_EQ(told(1), "2 load n 0 0");
  EXPECT_EQ(told(2), "2 store n 0 1");
  EXPECT_EQ(told(3), "1 store n 1 1");
}

TEST(LostUpdate, APlainVariableRaces) {
  expect_found(
      [](plumb::Program& p) {
        int n = 0;
        for (int i = 0; i < 2; ++i) p.thread([&] { ++n; });
        p.check([&] { return n == 2; });
      },
      FindingKind::kRace);
}

TEST(LostUpdate, NeedsOnePreemption) {
  const auto none = plumb::explore(increments, {.order = plumb::SearchOrder::kDepthFirst, .preemptions = 0});
  EXPECT_TRUE(none.passed()) << none.text();
  EXPECT_EQ(none.executions, 2);
}

TEST(Replay, OfAnotherBuildIsRefused) {
  const auto result = plumb::explore(increments, {.replay = "plumb1-00000000-1x2"});
  EXPECT_EQ(result.kind, FindingKind::kBadReplay);
  EXPECT_NE(result.message.find("it was rebuilt since"), std::string::npos) << result.message;
  EXPECT_EQ(plumb::explore(increments, {.replay = "nonsense"}).kind, FindingKind::kBadReplay);
}

TEST(Replay, OfADamagedTokenIsRefused) {
  const std::string token = plumb::explore(increments).replay;
  for (const std::string& damaged : {token.substr(0, token.size() - 1), token + "1", token + ".1"}) {
    const auto result = plumb::explore(increments, {.replay = damaged});
    EXPECT_EQ(result.kind, FindingKind::kBadReplay) << damaged;
    EXPECT_EQ(result.executions, 0) << damaged;
    EXPECT_NE(result.message.find("it is damaged or truncated"), std::string::npos) << result.message;
  }
}

TEST(Limits, AreNeverAPass) {
  const auto few = plumb::explore(
      [](plumb::Program& p) {
        std::atomic<int> n{0};
        for (int i = 0; i < 4; ++i)
          p.thread([&] {
            n.fetch_add(1);
            n.fetch_add(1);
          });
        p.check([&] { return n == 8; });
      },
      {.executions = 10});
  EXPECT_EQ(few.verdict, plumb::Outcome::kUnknown);
  EXPECT_EQ(few.executions, 10);
  EXPECT_EQ(few.ended_by, plumb::SearchEnd::kExecutions);
}

}  // namespace
