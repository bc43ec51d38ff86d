// A hint where a number is meant and a string is there; none where both are really used.
#include "history/same_spelling.hpp"

#include <gtest/gtest.h>

namespace plumb {
namespace {

class SameSpelling : public ::testing::Test {
 protected:
  Value number(std::int64_t n) { return builder_.values().integer(n); }
  Value text(std::string_view text) { return builder_.values().string(text); }
  void add(std::string_view function, std::vector<Value> arguments, Value result) {
    const auto process = static_cast<std::int64_t>(builder_.size());
    builder_.add(number(process), builder_.function(function), arguments, {result}, 2 * process,
                 2 * process + 1);
  }
  std::string hint() {
    const auto last = static_cast<OperationId>(builder_.size() - 1);
    auto history = builder_.finish();
    return same_spelling(history.value(), last);
  }

  HistoryBuilder builder_;
};

TEST_F(SameSpelling, ANumberThatWasWrittenAsAString) {
  add("write", {text("1")}, kNull);
  add("read", {}, number(1));
  EXPECT_EQ(hint(), "the number 1 and the string \"1\", an argument elsewhere, are different values");
}

TEST_F(SameSpelling, AStringThatWasWrittenAsANumber) {
  add("write", {builder_.values().array(std::vector<Value>{number(7), number(-12)})}, kNull);
  add("read", {}, text("-12"));
  EXPECT_EQ(hint(), "the string \"-12\" and the number -12, an argument elsewhere, are different values");
}

TEST_F(SameSpelling, AKeyOfAnotherType) {
  add("put", {text("3"), number(5)}, kNull);
  add("get", {number(3)}, kNull);
  EXPECT_EQ(hint(), "the number 3 and the string \"3\", an argument elsewhere, are different values");
}

TEST_F(SameSpelling, AConstant) {
  add("write", {text("null")}, kNull);
  add("read", {}, kNull);
  EXPECT_EQ(hint(), "the constant null and the string \"null\", an argument elsewhere, are different values");
}

TEST_F(SameSpelling, NothingWhereBothAreUsed) {
  add("write", {text("1")}, kNull);
  add("write", {number(1)}, kNull);
  add("read", {}, number(1));
  EXPECT_EQ(hint(), "");
}

TEST_F(SameSpelling, NothingWhereNothingIsSpelledAlike) {
  add("write", {text("01")}, kNull);
  add("write", {text("a")}, kNull);
  add("read", {}, number(1));
  EXPECT_EQ(hint(), "");
}

}  // namespace
}  // namespace plumb
