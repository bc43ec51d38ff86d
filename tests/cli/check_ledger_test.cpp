// What the progress line is made from: never of a history that may be gone.
#include "cli/check_ledger.hpp"

#include <gtest/gtest.h>
#include <plumb/history.hpp>

namespace plumb::cli {
namespace {

class Ledger : public testing::Test {
 protected:
  Options options_;
  Console console_{Color::kNever};
  CheckLedger ledger_{options_, console_, nullptr, false};
  History history_;
};

TEST_F(Ledger, NothingIsCurrentBetweenTwoHistories) {
  ledger_.begin({"a file", 0, true, &history_, "queue", nullptr}, nullptr);
  ASSERT_TRUE(ledger_.current());
  ledger_.rest();
  EXPECT_FALSE(ledger_.current());
}

TEST_F(Ledger, NothingIsCurrentAfterAVerdictThatCameTooLate) {
  options_.quiet = true;
  ledger_.begin({"a file", 0, true, &history_, "queue", nullptr}, nullptr);
  ledger_.cut_off("time");
  EXPECT_FALSE(ledger_.current());
  EXPECT_EQ(ledger_.doing(), CheckLedger::Doing::kNothing);
}

}  // namespace
}  // namespace plumb::cli
