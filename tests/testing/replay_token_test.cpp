// Tokens of failures that were damaged on their way: each is refused, and none runs another execution than
// the one it was made for.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plumb/plumb.hpp>

#include "testing/subjects.hpp"

namespace {

using plumb::Outcome;
using plumb::TestResult;
using plumb_tests::LostUpdate;

void counter(plumb::Test<LostUpdate>& test) {
  test.operation("increment", &LostUpdate::increment);
  test.operation("get", &LostUpdate::get);
}

TestResult replayed(const std::string& token) {
  return plumb::check<LostUpdate>(&counter, {.replay = token});
}

void expect_refused(const std::string& token) {
  const TestResult result = replayed(token);
  EXPECT_TRUE(result.refused) << token << "\n" << result.report;
  EXPECT_EQ(result.executions, 0) << token;
}

class ReplayToken : public testing::Test {
 protected:
  void SetUp() override {
    const TestResult found = plumb::check<LostUpdate>(&counter, {.jobs = 1});
    ASSERT_EQ(found.verdict, Outcome::kViolation) << found.report;
    ASSERT_EQ(replayed(found.replay).kind, found.kind);
    token_ = found.replay;
    scenario_ = token_.find('@') + 1;
  }
  std::string token_;
  std::size_t scenario_ = 0;
};

TEST_F(ReplayToken, CutShortIsRefused) {
  for (std::size_t size = scenario_; size < token_.size(); ++size) expect_refused(token_.substr(0, size));
  EXPECT_THAT(replayed(token_.substr(0, token_.size() - 1)).message,
              testing::HasSubstr("it is damaged or truncated"));
}

TEST_F(ReplayToken, WithACharacterChangedLostOrTwiceIsRefused) {
  for (std::size_t at = scenario_; at < token_.size(); ++at) {
    for (const char other : {'0', '1', '2', '3', '9', 'a', 'x', '.', '_', '/', '-', '@', '%', '+'}) {
      std::string damaged = token_;
      damaged[at] = other;
      if (damaged != token_) expect_refused(damaged);
      expect_refused(std::string(token_).insert(at, 1, other));
    }
    expect_refused(std::string(token_).erase(at, 1));
  }
  expect_refused(token_ + ".1");
}

}  // namespace
