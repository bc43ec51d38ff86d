// Tables with named columns: what a cell is, what starts a history, and what is wrong with a file.
#include <gtest/gtest.h>

#include "support/parsing.hpp"

namespace plumb {
namespace {

const std::string kNames = "process,f,args,result,call,return\n";

TEST(Csv, ReadsOperations) {
  const History h = parsed_one(kNames + "0,enqueue,1,,0,5\n1,dequeue,,1,2,9\n\n2,dequeue,,,7,\n");
  ASSERT_EQ(h.size(), 3U);
  EXPECT_EQ(h.describe(0), "process 0: enqueue(1)");
  EXPECT_EQ(h.describe(1), "process 1: dequeue() -> 1");
  EXPECT_EQ(h.describe(2), "process 2: dequeue() -> (pending)");
  EXPECT_EQ(h.call(1), 2);
  EXPECT_EQ(h.ret(1), 9);
  EXPECT_EQ(h.place(2), (Place{5, 1}));
  EXPECT_TRUE(h.has_clock_times());
}

TEST(Csv, ColumnsInAnyOrderUnderOtherNames) {
  const History h = parsed_one(
      "note;end;start;client;operation;arg1;arg2;output;object\n"
      "hello;9;2;\"a;b\";cas;1;2;true;x\n",
      "csv");
  ASSERT_EQ(h.size(), 1U);
  EXPECT_EQ(h.describe(0), R"(process "a;b": cas(1, 2) -> true)");
  EXPECT_EQ(h.values().to_json(h.object(0)), R"("x")");
  EXPECT_EQ(parsed_one("process\tf\tcall\treturn\n1\tread\t0\t5\r\n").size(), 1U);
}

TEST(Csv, NamesOfColumnsInCapitals) {
  const History h = parsed_one("Process,F,Arg1,RESULT,Call,Return,Comment\n0,enqueue,5,null,0,5,x\n");
  ASSERT_EQ(h.size(), 1U);
  EXPECT_EQ(h.describe(0), "process 0: enqueue(5) -> null");
}

TEST(Csv, CellsAreJsonOrText) {
  const std::pair<const char*, const char*> table[] = {{"7", "7"},
                                                       {"-0", "0"},
                                                       {"1.0", "1"},
                                                       {"1.5", "1.5"},
                                                       {"007", R"("007")"},
                                                       {"+7", R"("+7")"},
                                                       {"null", "null"},
                                                       {"true", "true"},
                                                       {"True", R"("True")"},
                                                       {"a b", R"("a b")"},
                                                       {"  x  ", R"("x")"},
                                                       {R"("""7""")", R"("7")"},
                                                       {R"("7")", "7"},
                                                       {R"("[1,[2]]")", "[1,[2]]"},
                                                       {R"("{""a"":1}")", R"({"a":1})"},
                                                       {"\"a\nb\"", R"("a\nb")"},
                                                       {"2024-01-01", R"("2024-01-01")"},
                                                       {R"("say ""hi""")", R"("say \"hi\"")"}};
  for (const auto& [cell, value] : table) {
    const History h = parsed_one(kNames + "0,read,," + cell + ",0,5\n");
    EXPECT_EQ(h.values().to_json(h.result(0)), value) << cell;
  }
}

TEST(Csv, ArgumentsAreOneOrAnArray) {
  EXPECT_EQ(parsed_one(kNames + "0,f,\"[1,2]\",,0,5\n").args(0).size(), 2U);
  EXPECT_EQ(parsed_one(kNames + "0,f,\"[[1,2]]\",,0,5\n").args(0).size(), 1U);
  EXPECT_EQ(parsed_one(kNames + "0,f,[],,0,5\n").args(0).size(), 0U);
  EXPECT_EQ(parsed_one("process,f,arg1,arg2,call,return\n0,f,1,,0,5\n").args(0).size(), 1U);
}

// No result is not the result null.
TEST(Csv, AResultThatIsMissing) {
  EXPECT_FALSE(parsed_one(kNames + "0,dequeue,,,0,5\n").has_result(0));
  EXPECT_TRUE(parsed_one(kNames + "0,dequeue,,null,0,5\n").has_result(0));
  EXPECT_FALSE(parsed_one(kNames + "0,dequeue,,null,0,\n").has_result(0)) << "pending";
}

TEST(Csv, HeadersStartHistories) {
  const auto all = parsed("# today\n#{\"plumb\":1,\"model\":\"queue\",\"id\":\"a\"}\n" + kNames +
                          "0,enqueue,1,,0,5\n" + kNames +
                          "0,enqueue,2,,0,5\n0,enqueue,3,,6,7\n#{\"plumb\":1,\"model\":\"stack\",\"initial\":"
                          "[1]}\n0,pop,,1,0,1\n");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].model(), "queue");
  EXPECT_EQ(all[0].name(), "a");
  EXPECT_EQ(all[1].size(), 2U);
  EXPECT_EQ(all[1].model(), "");
  EXPECT_EQ(all[2].model(), "stack");
  EXPECT_EQ(all[2].size(), 1U);
  EXPECT_EQ(parsed_one(kNames).size(), 0U);
}

TEST(Csv, WhatIsWrongIsSaidWithItsPlace) {
  EXPECT_TRUE(says(fault("process,f,args,result,call\n", "csv"), "1:1", "no column \"return\""));
  EXPECT_TRUE(says(fault("process,f,agrs,call,return\n"), "1:11", "did you mean 'args'?"));
  EXPECT_TRUE(says(fault("process,f,key,args,call,return\n"), "1:11", "may change what an operation is"));
  EXPECT_TRUE(says(fault("process,f,args,call,return,type\n"), "1:28", "may change what an operation is"));
  EXPECT_TRUE(says(fault("process,f,args,call,return,Status\n"), "1:28", "may change what an operation is"));
  EXPECT_TRUE(says(fault("process,f,call,Call,return\n"), "1:16", "a second column for \"Call\""));
  EXPECT_TRUE(says(fault("process,f,call,call,return\n"), "1:16", "a second column for \"call\""));
  EXPECT_TRUE(says(fault("process,f,arg2,call,return\n"), "1:1", "no column \"arg1\""));
  EXPECT_TRUE(says(fault("process,f,args,arg1,call,return\n"), "1:16", "beside one for all"));
  EXPECT_TRUE(says(fault("process,f,arg1,arg2,call,return\n0,f,,2,0,5\n"), "2:6",
                   "argument 2 without the one before"));
  EXPECT_TRUE(says(fault(kNames + "0,read,,1,0\n"), "2:1", "a row of 5 cells; expected 6"));
  EXPECT_TRUE(says(fault(kNames + "0,read,,1,soon,5\n"), "2:11", "expected the call time as a whole number"));
  EXPECT_TRUE(says(fault(kNames + "0,read,,1,0,5.5\n"), "2:13", "expected the return time"));
  EXPECT_TRUE(says(fault(kNames + "0,read,,1,0,9223372036854775807\n"), "2:13", "below 2^63-1"));
  EXPECT_TRUE(says(fault(kNames + "1.5,read,,1,0,5\n"), "2:1", "expected the process"));
  EXPECT_TRUE(says(fault(kNames + ",read,,1,0,5\n"), "2:1", "without \"process\""));
  EXPECT_TRUE(says(fault(kNames + "0,read,,1,0,\n"), "2:9", "has not returned"));
  EXPECT_TRUE(says(fault(kNames + "0,read,,[1,0,5\n"), "2:9", "begins like JSON"));
  EXPECT_TRUE(says(fault(kNames + "0,read,,\"[1\",0,5\n"), "2:9", "begins like JSON"));
  EXPECT_TRUE(says(fault(kNames + "0,read,,1e400,0,5\n"), "2:9", "too large"));
  EXPECT_TRUE(says(fault(kNames + "0,read,,\"1,0,5\n"), "2:9", "quotes do not end"));
  EXPECT_TRUE(says(fault(kNames + "0,read,,\"1\"2,0,5\n"), "2:12", "after the quotes"));
  EXPECT_TRUE(says(fault(kNames + "0,re\"ad,,1,0,5\n"), "2:5", "a quote inside a cell"));
  EXPECT_TRUE(says(fault(kNames + "0,read,,1,9,5\n"), "2:1", "before its call"));
  EXPECT_TRUE(says(fault(kNames + "0,read,,1,0,5\n0,read,,1,3,8\n"), "3:1", "one operation at a time"));
  EXPECT_TRUE(says(fault("#{\"plumb\":2}\n" + kNames), "1:2", "version 1"));
  EXPECT_TRUE(says(fault(kNames + "0,read,,\xFF,0,5\n"), "2:9", "expected UTF-8"));
}

// A process may be called #1.
TEST(Csv, ACommentThatMayBeAnOperation) {
  EXPECT_TRUE(says(fault(kNames + "#1,enqueue,1,,0,5\n"), "2:1", "a comment that reads like an operation"));
  const History h = parsed_one("#1,enqueue,1,,0,5\n" + kNames +
                               "\"#1\",enqueue,1,,0,5\n# 1,enqueue,1,,0,5\n#1,enqueue,1\n#\n#a,b,c,d,e,f\n");
  ASSERT_EQ(h.size(), 1U);
  EXPECT_EQ(h.describe(0), R"(process "#1": enqueue(1))");
}

TEST(Csv, ACellIsOneValue) {
  EXPECT_TRUE(says(fault(kNames + "0,enqueue,\"[1],\"\"x\"\":2\",,0,5\n"), "2:11", "more than one value"));
}

TEST(Csv, WritesWhatReadsBack) {
  const std::string text =
      "#{\"plumb\":1,\"model\":\"map\"}\nprocess,f,args,result,call,return,object\n"
      "0,put,\"[\"\"a,b\"\",1]\",,0,5,\n"
      "x,get,\"a,b\",1,6,,o\n";
  const auto refused = parse_histories(text, "csv");
  EXPECT_FALSE(refused) << "a result of what is pending";
  const std::string fine =
      "#{\"plumb\":1,\"model\":\"map\"}\nprocess,f,args,result,call,return,object\n"
      "0,put,\"[\"\"a,b\"\",1]\",,0,5,\n"
      "x,get,\"a,b\",1,6,8,o\n"
      "y,get,\"\"\"7\"\"\",null,6,8,o\n"
      "z,get,\"\"\"\"\"\",,6,,\n";
  const auto histories = parsed(fine);
  EXPECT_EQ(*format_histories(histories, "csv"), fine);
}

}  // namespace
}  // namespace plumb
