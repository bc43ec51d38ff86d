// The rows of steps.def and findings.def: names tell kinds apart, and traits are those of the kinds that have them.
#include <gtest/gtest.h>

#include <set>
#include <string>

#include "plumb/finding.hpp"
#include "runtime/step.hpp"

namespace {

using plumb::FindingKind;
using plumb::runtime::StepKind;

TEST(Rows, EveryKindOfStepHasANameOfItsOwn) {
  std::set<std::string> names;
  std::size_t kinds = 0;
#define PLUMB_STEP(name, text, traits)           \
  names.insert(kind_name(StepKind::name));       \
  EXPECT_STREQ(kind_name(StepKind::name), text); \
  ++kinds;
#include "runtime/steps.def"
#undef PLUMB_STEP
  EXPECT_EQ(names.size(), kinds);
}

TEST(Rows, EveryKindOfFindingHasANameOfItsOwn) {
  std::set<std::string> names;
  std::size_t kinds = 0;
#define PLUMB_FINDING(name, text, test_kind)  \
  names.insert(to_string(FindingKind::name)); \
  ++kinds;
#include "plumb/detail/findings.def"
#undef PLUMB_FINDING
  EXPECT_EQ(names.size(), kinds);
  EXPECT_STREQ(to_string(FindingKind::kDeadlock), "deadlock");
}

TEST(Rows, TraitsAreThoseOfTheKind) {
  EXPECT_TRUE(is_atomic(StepKind::kCompareExchange));
  EXPECT_FALSE(is_atomic(StepKind::kFence));
  EXPECT_FALSE(is_atomic(StepKind::kRead));
  EXPECT_TRUE(takes_lock(StepKind::kWake));
  EXPECT_FALSE(takes_lock(StepKind::kUnlock));
  EXPECT_TRUE(releases_lock(StepKind::kWait));
  EXPECT_TRUE(uses_object(StepKind::kBarrier));
  EXPECT_FALSE(uses_object(StepKind::kWake)) << "a thread that is woken may find it gone";
  EXPECT_FALSE(uses_object(StepKind::kDestroy));
  EXPECT_TRUE(is_yielding(StepKind::kSleep));
  EXPECT_TRUE(is_yielding(StepKind::kReturn));
  EXPECT_FALSE(is_yielding(StepKind::kClock));
  EXPECT_TRUE(is_operation(StepKind::kCall));
  EXPECT_FALSE(is_operation(StepKind::kFree));
}

}  // namespace
