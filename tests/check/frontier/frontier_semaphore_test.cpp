// Semaphores by frontiers: what is searched, and what has a best moment.
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/oracle.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

using ::testing::ElementsAre;

Verdict verdict_of(const test::Script& script) {
  return *check(script.build(), *find_model("semaphore").value(), test::options(Engine::kFrontier));
}

TEST(FrontierSemaphore, NothingIsSearchedWhereNobodyFails) {
  test::Script script;
  for (int i = 0; i < 1000; ++i)
    script.add(i % 7, i % 2 == 0 ? "try_acquire:true" : "release", 10 * i, 10 * i + 60);
  const Verdict verdict = verdict_of(script);
  EXPECT_EQ(verdict.outcome, Outcome::kHolds) << verdict.why;
  EXPECT_EQ(verdict.configurations, 0U);
}

TEST(FrontierSemaphore, SearchesOnlyWhatOverlapsAFailure) {
  test::Script script;
  for (int i = 0; i < 1000; ++i)
    script.add(i % 7, i % 2 == 0 ? "try_acquire:true" : "release", 10 * i, 10 * i + 60);
  script.add(8, "try_acquire:false", 5000, 5001);
  const Verdict verdict = verdict_of(script);
  EXPECT_EQ(verdict.outcome, Outcome::kHolds) << verdict.why;
  EXPECT_GT(verdict.configurations, 0U);
  EXPECT_LT(verdict.configurations, 200U);
}

TEST(FrontierSemaphore, WhoTriedAndCannotHaveSucceededCouldHaveFailed) {
  test::Script script;
  script.add(0, "acquire", 0, 1).add(1, "try_acquire:true", 2, 5).add(2, "acquire", 3, 9);
  const Verdict verdict = verdict_of(script);
  ASSERT_EQ(verdict.outcome, Outcome::kViolation);
  EXPECT_EQ(verdict.violation->stuck, 1U);
  EXPECT_THAT(verdict.violation->allowed, ElementsAre("false"));
  EXPECT_TRUE(verdict.violation->allowed_complete);
}

// More permits than can be counted there must never be: so the release has to come after the acquisition, although that
// returns later.
TEST(FrontierSemaphore, ReleasesOfMoreThanCanBeCountedMayHaveToWait) {
  test::Script script;
  script.add(0, "acquire", 0, 9).add(1, "release(9223372036854775807)", 1, 2);
  EXPECT_EQ(verdict_of(script).outcome, Outcome::kHolds);
  script.add(1, "release", 3, 4);
  EXPECT_EQ(verdict_of(script).outcome, Outcome::kViolation);
}

}  // namespace
}  // namespace plumb
