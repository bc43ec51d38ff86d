// A Result that is asked for what it does not hold ends the program, in every build, and says why.
#include <plumb/result.hpp>

#include <memory>

#include <gtest/gtest.h>

namespace plumb {
namespace {

Result<int> missing() { return Error{"cannot read: No such file or directory", {3, 7}, "run.jsonl"}; }

TEST(Result, HoldsAValueOrAnError) {
  const Result<int> seven = 7;
  EXPECT_TRUE(seven.ok());
  EXPECT_EQ(*seven, 7);
  EXPECT_FALSE(missing());
  EXPECT_EQ(missing().error().text(), "run.jsonl:3:7: cannot read: No such file or directory");
  Result<std::unique_ptr<int>> moved(std::make_unique<int>(5));
  EXPECT_EQ(*std::move(moved).value(), 5);
}

TEST(Result, TheValueOfAnErrorEndsTheProgram) {
  const char* words =
      "plumb: the value of a failed result was taken: run.jsonl:3:7: cannot read: No such file or directory";
  EXPECT_DEATH((void)missing().value(), words);
  EXPECT_DEATH((void)std::as_const(*std::make_unique<Result<int>>(missing())).value(), words);
  EXPECT_DEATH(
      {
        auto failed = missing();
        *failed = 1;
      },
      words);
  EXPECT_DEATH((void)Result<std::string>(Error{"no"})->size(), "the value of a failed result was taken: no");
}

TEST(Result, TheErrorOfAValueEndsTheProgram) {
  EXPECT_DEATH((void)Result<int>(7).error(), "plumb: the error of a result was taken that has none");
}

}  // namespace
}  // namespace plumb
