// The plan of the default campaign and the order of its work, without an engine: whatever scenarios take, a pass needs everything small.
#include "testing/campaign.hpp"

#include <gtest/gtest.h>
#include <plumb/plumb.hpp>

#include <functional>
#include <map>
#include <set>

#include "testing/shape.hpp"

namespace plumb::testing {
namespace {

struct Register {
  void write(int) {}
  int read() { return 0; }
};

class CampaignTest : public ::testing::Test {
 protected:
  CampaignTest() : defined_("S", 1) {
    defined_.operation("write", &Register::write, plumb::values(1, 2));
    defined_.operation("read", &Register::read);
    EXPECT_TRUE(test().finish().ok());
  }
  TestCase& test() { return case_of(defined_); }

  // Runs the campaign on one worker whose proofs take as long as `needs` says. Returns how long it took.
  using Needs = std::function<Seconds(std::size_t number, std::optional<unsigned> preemptions)>;
  Seconds simulate(Campaign& campaign, const Needs& needs, Seconds budget) {
    Seconds now{};
    while (const auto task = campaign.next(now)) {
      ScenarioResult outcome;
      Seconds took = std::min(task->share, Seconds(0.01));
      if (task->effort.kind == Effort::Kind::kProof) {
        const Seconds needed = needs(task->number, task->effort.preemptions);
        took = std::min(needed, task->share);
        outcome.verdict = needed <= task->share ? Outcome::kHolds : Outcome::kUnknown;
        if (needed > task->share) outcome.cut = CutOff::kTimeout;
        proofs_ += took;
      } else {
        outcome.cut = CutOff::kRandom;
        outcome.executions = 10;
        walks_ += took;
      }
      now += took;
      campaign.take(*task, outcome, took);
      EXPECT_LE(now, budget + Seconds(0.001));
      if (now > 2 * budget) break;
    }
    return now;
  }

  plumb::Test<Register> defined_;
  Seconds proofs_{};
  Seconds walks_{};
};

// Every sequence of calls for every thread, named anew and kept once: the definition.
std::set<std::string> by_definition(const TestCase& test, Shape shape) {
  std::set<std::string> all;
  const std::size_t kinds = test.invocations().size();
  std::size_t count = 1;
  for (std::size_t i = 0; i < shape.threads * shape.operations; ++i) count *= kinds;
  for (std::size_t code = 0; code < count; ++code) {
    Scenario scenario;
    std::size_t rest = code;
    for (std::size_t thread = 0; thread < shape.threads; ++thread) {
      auto& calls = scenario.threads.emplace_back();
      for (std::size_t i = 0; i < shape.operations; ++i, rest /= kinds)
        calls.push_back(static_cast<InvocationId>(rest % kinds));
    }
    all.insert(to_text(canonical(scenario, test)));
  }
  return all;
}

TEST_F(CampaignTest, ShapesHaveAllScenariosUpToSymmetryOnce) {
  for (const Shape shape : {Shape{2, 1}, Shape{3, 1}, Shape{2, 2}, Shape{2, 3}, Shape{3, 2}}) {
    const OfShape found = of_shape(test(), shape, 10'000, 1);
    std::set<std::string> texts;
    for (const Scenario& scenario : found.scenarios) texts.insert(to_text(scenario));
    EXPECT_EQ(texts, by_definition(test(), shape)) << to_text(shape);
    EXPECT_EQ(texts.size(), found.scenarios.size()) << to_text(shape);
    EXPECT_EQ(found.existing, found.scenarios.size()) << to_text(shape);
  }
}

TEST_F(CampaignTest, OfAShapeWithTooManySomeAreDrawn) {
  const OfShape all = of_shape(test(), {2, 3}, 10'000, 1);
  const OfShape some = of_shape(test(), {2, 3}, 7, 1);
  EXPECT_EQ(some.existing, all.existing);
  EXPECT_EQ(some.scenarios.size(), 7U);
  const OfShape many = of_shape(test(), {4, 4}, 50, 1);  // 81^4 / 4! of them: not even counted
  EXPECT_EQ(many.existing, 0U);
  EXPECT_EQ(many.scenarios.size(), 50U);
}

TEST_F(CampaignTest, ThePlanKeepsToTheLargestShape) {
  const auto shapes = [&](Shape largest) {
    std::string text;
    for (const auto& part : plan_campaign(test(), largest, 1).parts)
      text += (part.is_first ? "" : "+") + to_text(part.shape) + " ";
    return text;
  };
  EXPECT_EQ(shapes({3, 3}), "2x1 3x1 2x2 +2x3 +3x2 +3x3 ");
  EXPECT_EQ(shapes({2, 2}), "2x1 2x2 ");
  EXPECT_EQ(shapes({2, 3}), "2x1 2x2 +2x3 ");
  EXPECT_EQ(shapes({4, 4}), "2x1 3x1 2x2 +2x3 +3x2 +3x3 +4x4 ");
  EXPECT_EQ(shapes({1, 2}), "1x2 ");
}

TEST_F(CampaignTest, EndsEarlyWhenAllIsExhausted) {
  const CampaignPlan plan = plan_campaign(test(), {2, 2}, 1);
  Campaign campaign(plan, {.budget = Seconds(60)});
  EXPECT_LT(simulate(
                campaign, [](auto, auto) { return Seconds(0.01); }, Seconds(60)),
            Seconds(3));
  EXPECT_TRUE(campaign.first_part_done());
  for (std::size_t i = 0; i < plan.scenarios.size(); ++i)
    EXPECT_EQ(campaign.exhausted(i).value().most(), std::nullopt);
}

// Before anything larger is begun, and also where one small scenario takes half of the time.
TEST_F(CampaignTest, TheFirstPartHasAllTheTimeItNeeds) {
  const CampaignPlan plan = plan_campaign(test(), {3, 3}, 1);
  for (const double hard : {0.01, 1.0, 25.0}) {
    Campaign campaign(plan, {.budget = Seconds(60)});
    (void)simulate(
        campaign, [&](std::size_t number, auto) { return Seconds(number == 3 ? hard : 0.02); }, Seconds(60));
    EXPECT_TRUE(campaign.first_part_done()) << hard;
  }
  Campaign campaign(plan, {.budget = Seconds(60)});
  (void)simulate(
      campaign, [&](std::size_t number, auto) { return Seconds(number == 3 ? 100 : 0.02); }, Seconds(60));
  EXPECT_FALSE(campaign.first_part_done());
  EXPECT_EQ(campaign.exhausted(3), std::nullopt);
  EXPECT_TRUE(campaign.figures().further.empty());
}

// Larger scenarios that never end without a bound are exhausted within one.
TEST_F(CampaignTest, LargerOnesComeDownTheLadder) {
  const CampaignPlan plan = plan_campaign(test(), {3, 3}, 1);
  Campaign campaign(plan, {.budget = Seconds(60)});
  (void)simulate(
      campaign,
      [&](std::size_t number, std::optional<unsigned> preemptions) {
        if (number < plan.first_size()) return Seconds(0.01);
        return Seconds(!preemptions ? 1e6 : *preemptions == 3 ? 1e5 : 0.2);
      },
      Seconds(60));
  std::map<std::optional<unsigned>, std::size_t> counts;
  for (const ExhaustedShape& shape : campaign.figures().further) counts[shape.preemptions] += shape.scenarios;
  EXPECT_EQ(counts.size(), 1U);
  EXPECT_GT(counts[2U], 40U);  // of 300 that the time would be enough for, if nothing else were tried
  EXPECT_GT(walks_, Seconds(10));
  EXPECT_GT(proofs_, Seconds(30));
}

// A search that some other limit ends is not tried again, and what comes after it is.
TEST_F(CampaignTest, WhatIsHopelessIsLeft) {
  const CampaignPlan plan = plan_campaign(test(), {2, 3}, 1);
  Campaign campaign(plan, {.budget = Seconds(10)});
  std::size_t tries = 0;
  Seconds now{};
  while (const auto task = campaign.next(now)) {
    ScenarioResult outcome{.verdict = Outcome::kHolds};
    if (task->effort.kind == Effort::Kind::kWalks) outcome = {.cut = CutOff::kRandom};
    if (task->number == 0 && task->effort.kind == Effort::Kind::kProof) {
      outcome = {.cut = CutOff::kExecutions};
      ++tries;
    }
    now += Seconds(0.01);
    campaign.take(*task, outcome, Seconds(0.01));
  }
  EXPECT_EQ(tries, 1U);
  EXPECT_FALSE(campaign.first_part_done());
  EXPECT_FALSE(campaign.figures().further.empty());
}

// From half of the budget on nothing else is begun beside what is left of the first part: whoever is idle helps with that.
TEST_F(CampaignTest, WhatIsLeftOfTheFirstPartIsAloneInTheEnd) {
  const CampaignPlan plan = plan_campaign(test(), {3, 3}, 1);
  Campaign campaign(plan, {.budget = Seconds(10), .workers = 2});
  ScenarioResult proved;
  proved.verdict = Outcome::kHolds;
  std::optional<Task> last;
  for (std::size_t i = 0; i < plan.first_size(); ++i) {
    last = campaign.next(Seconds(0));
    ASSERT_TRUE(last && last->effort.kind == Effort::Kind::kProof);
    if (i + 1 < plan.first_size()) campaign.take(*last, proved, Seconds(0.001));
  }
  EXPECT_TRUE(campaign.first_part_waits());
  EXPECT_FALSE(campaign.waits(Seconds(1)));
  EXPECT_TRUE(campaign.waits(Seconds(6)));
  campaign.take(*last, proved, Seconds(6));
  EXPECT_FALSE(campaign.waits(Seconds(6)));
  EXPECT_TRUE(campaign.next(Seconds(6)));
}

}  // namespace
}  // namespace plumb::testing
