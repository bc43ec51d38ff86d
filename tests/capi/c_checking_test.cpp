// The builder of the C interface: each argument is one value of JSON, and what is wrong is told by the operation's number.
#include <gtest/gtest.h>

#include <string>

#include <plumb/plumb.h>

namespace {

// What is wrong with the second of two operations; and how the first, which is fine, is told apart from it.
std::string fault_of(const char* arguments, const char* result, long long ret = 5) {
  plumb_builder* builder = plumb_builder_new("queue", nullptr);
  EXPECT_EQ(plumb_builder_add(builder, 0, "enqueue", "[1]", nullptr, 0, 5), 0);
  const bool added = plumb_builder_add(builder, 1, "enqueue", arguments, result, 0, ret) == 0;
  const std::string at_once = added ? "" : plumb_error();
  plumb_histories* histories = plumb_builder_finish(builder);
  if (histories != nullptr) {
    EXPECT_EQ(plumb_operations(histories, 0), 2U);
    plumb_histories_free(histories);
    return "none";
  }
  const std::string at_the_end = plumb_error();
  EXPECT_TRUE(added || at_once == at_the_end) << at_once;
  return at_the_end;
}

TEST(CBuilder, ArgumentsAreOneValue) {
  EXPECT_EQ(fault_of("[2]", nullptr), "none");
  EXPECT_EQ(fault_of("[2,\n3]", "true"), "none");
  EXPECT_EQ(fault_of(nullptr, "null", PLUMB_PENDING), "none");
  EXPECT_EQ(fault_of(R"([2],"call":0)", nullptr), "operation:2:1: the arguments: more than one value");
  EXPECT_EQ(fault_of("[2]", R"(1,"process":7)"), "operation:2:1: the result: more than one value");
  EXPECT_EQ(fault_of("[2]}\n{\"process\":3", nullptr).find("operation:2:1: the arguments: "), 0U);
  EXPECT_EQ(fault_of("2", nullptr), "operation:2:1: expected the arguments as an array, found 2");
  EXPECT_NE(fault_of("[2]", "1", PLUMB_PENDING).find("operation:2:1: a result of an operation that has not"),
            std::string::npos);
}

TEST(CBuilder, OperationsCountFromOne) {
  EXPECT_EQ(fault_of("[2]", nullptr, -3).find("operation:2:1: "), 0U);
  plumb_builder* builder = plumb_builder_new(nullptr, "[1");
  EXPECT_EQ(builder, nullptr);
  EXPECT_NE(std::string(plumb_error()).find("the initial value: "), std::string::npos);
}

TEST(CBuilder, TextIsUtf8) {
  plumb_builder* builder = plumb_builder_new("queue", nullptr);
  EXPECT_EQ(plumb_builder_add(builder, 0, "enqueue\xFF", "[1]", nullptr, 0, 5), -1);
  EXPECT_EQ(plumb_builder_finish(builder), nullptr);
}

}  // namespace
