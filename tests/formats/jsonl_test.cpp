// The native format: what it takes, and where it says that something is wrong.
#include "support/parsing.hpp"

namespace plumb {
namespace {

constexpr std::string_view kQueue =
    R"({"process":0,"f":"enqueue","args":[1],"result":null,"call":0,"return":5}
{"process":1,"f":"dequeue","args":[],"result":1,"call":2,"return":9}
{"process":2,"f":"dequeue","args":[],"call":7,"return":null}
)";

TEST(Jsonl, ReadsTheExampleOfTheManual) {
  const History h = parsed_one(kQueue);
  ASSERT_EQ(h.size(), 3U);
  EXPECT_EQ(h.pending(), 1U);
  EXPECT_EQ(h.describe(0), "process 0: enqueue(1) -> null");
  EXPECT_EQ(h.describe(1), "process 1: dequeue() -> 1");
  EXPECT_EQ(h.describe(2), "process 2: dequeue() -> (pending)");
  EXPECT_EQ(h.call(1), 2);
  EXPECT_EQ(h.ret(1), 9);
  EXPECT_EQ(h.place(2), (Place{3, 1}));
}

// The quick reader and the general one must agree. A space before the end sends a line to the general one.
TEST(Jsonl, BothReadersAgree) {
  for (const std::string line : {
           R"({"process":0,"f":"enqueue","args":[1],"result":null,"call":0,"return":5})",
           R"({"return":5,"call":-3,"args":["a",true,false,null],"f":"x","process":"p"})",
           R"({"process": 0, "f": "cas", "args": [1, 2], "result": true, "call": 0, "return": 5})",
           R"({"process":5000000000,"f":"x","args":[99999999999],"result":"","call":0,"return":5})",
           R"({"process":0,"f":"x","call":0,"return":null})",
           R"({"process":0,"f":"x","object":"o","call":0,"return":1})",
       }) {
    const std::string padding = "\n                                ";
    std::string general(line);
    general.insert(general.size() - 1, "  ");
    EXPECT_EQ(essence(parsed_one(line + padding, "jsonl")), essence(parsed_one(general + padding, "jsonl")))
        << line;
    EXPECT_EQ(essence(parsed_one(line, "jsonl")), essence(parsed_one(line + padding, "jsonl"))) << line;
  }
}

TEST(Jsonl, TakesAnyJsonAsValue) {
  const History h = parsed_one(
      R"({"process":"client é","f":"w","args":[{"a":[1,2.5,null]},"\u00e9\n"],"result":[],"call":1.0,"return":2e1,"x":{}})");
  EXPECT_EQ(h.values().to_json(h.args(0)[0]), R"({"a":[1,2.5,null]})");
  EXPECT_EQ(h.values().to_json(h.args(0)[1]), "\"é\\n\"");
  EXPECT_EQ(h.call(0), 1);
  EXPECT_EQ(h.ret(0), 20);
}

TEST(Jsonl, ResultsMayBeMissing) {
  const History h = parsed_one(R"({"process":0,"f":"w","args":[1],"call":0,"return":5})");
  EXPECT_FALSE(h.has_result(0));
  EXPECT_FALSE(h.is_pending(0));
}

TEST(Jsonl, ByteOrderMarkWindowsLinesAndBlankLinesAreFine) {
  const History h =
      parsed_one("\xEF\xBB\xBF\r\n{\"process\":0,\"f\":\"r\",\"call\":0,\"return\":1}\r\n\r\n  \n");
  EXPECT_EQ(h.size(), 1U);
  EXPECT_EQ(h.place(0), (Place{2, 1}));
}

TEST(Jsonl, EmptyTextIsOneEmptyHistory) {
  EXPECT_TRUE(parsed_one("").empty());
  EXPECT_TRUE(parsed_one(" \n\t\r\n").empty());
  EXPECT_TRUE(parsed_one("", "jsonl").empty());
}

TEST(Jsonl, AHeaderNamesTheModelAndStartsAHistory) {
  const auto all = parsed(R"({"plumb":1,"model":"queue","initial":[1,2],"id":"first"}
{"process":0,"f":"deq","result":1,"call":0,"return":1}
{"plumb":1,"model":"stack"}
{"plumb":1}
{"process":0,"f":"pop","result":1,"call":0,"return":1}
)");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].model(), "queue");
  EXPECT_EQ(all[0].name(), "first");
  EXPECT_EQ(all[0].values().to_json(all[0].initial()), "[1,2]");
  EXPECT_EQ(all[1].model(), "stack");
  EXPECT_TRUE(all[1].empty());
  EXPECT_EQ(all[2].model(), "");
  EXPECT_EQ(all[2].size(), 1U);
}

TEST(Jsonl, ALineMayHoldAWholeHistory) {
  const auto all = parsed(
      R"({"id":"a","model":"register","linearizable":true,"history":[{"process":0,"f":"read","args":[],"result":1,"call":0,"return":1}, {"process":1,"f":"write","args":[1],"call":0,"return":null}]}
{"history":[],"model":"set"}
)");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].name(), "a");
  EXPECT_EQ(all[0].model(), "register");
  EXPECT_EQ(all[0].size(), 2U);
  EXPECT_EQ(all[0].place(0), (Place{1, 61}));
  EXPECT_EQ(all[1].model(), "set");
  EXPECT_TRUE(all[1].empty());
}

TEST(Jsonl, ObjectsAreKept) {
  const History h = parsed_one(R"({"process":0,"f":"r","call":0,"return":1,"object":"x"}
{"process":0,"f":"r","call":2,"return":3})");
  EXPECT_EQ(h.values().to_json(h.object(0)), "\"x\"");
  EXPECT_TRUE(h.object(1).is_null());
}

struct Bad {
  const char* text;
  const char* place;
  const char* words;
};

TEST(Jsonl, SaysWhatIsWrongAndWhere) {
  const Bad cases[] = {
      {R"({"process":0,"f":"enq)", "1:22", "end of the text"},
      {R"({"process":0,"f":"r","call":0,"return":1)", "1:41", "',' or '}'"},
      {"{\"process\":0,\"f\":\"r\",\"call\":0,\"return\":1}\n{\"process\":0,\"f\":\"r\",\"ca", "2:25",
       "'\"'"},
      {R"({"process":0.5,"f":"r","call":0,"return":1})", "1:12", "the process as a whole number"},
      {R"({"process":[0],"f":"r","call":0,"return":1})", "1:12", "whole number or a string, found an array"},
      {R"({"process":0,"f":7,"call":0,"return":1})", "1:18", "the function's name as a string, found 7"},
      {R"({"process":0,"f":"r","args":5,"call":0,"return":1})", "1:29", "the arguments as an array, found 5"},
      {R"({"process":0,"f":"r","call":"0","return":1})", "1:29",
       "the call time as a whole number, found \"0\""},
      {R"({"process":0,"f":"r","call":0.5,"return":1})", "1:29",
       "the call time as a whole number, found 0.5"},
      {R"({"process":0,"f":"r","call":0,"return":true})", "1:40", "null for a pending operation, found true"},
      {R"({"f":"r","call":0,"return":1})", "1:1", "without \"process\""},
      {R"({"process":0,"call":0,"return":1})", "1:1", "without \"f\""},
      {R"({"process":0,"f":"r","return":1})", "1:1", "without \"call\""},
      {R"({"process":0,"f":"r","call":0})", "1:1", "without \"return\""},
      {R"({"process":0,"f":"r","result":1,"call":0,"return":null})", "1:31", "has not returned"},
      {R"({"process":0,"f":"r","call":3,"return":2})", "1:1", "before its call"},
      {"{\"process\":0,\"f\":\"r\",\"call\":0,\"return\":3}\n "
       "{\"process\":0,\"f\":\"r\",\"call\":2,\"return\":4}",
       "2:2", "one operation at a time"},
      {"{\"id\":1,\"process\":0,\"f\":\"r\",\"call\":0,\"return\":3}\n{\"process\":1,\"id\":1,\"f\":\"r\","
       "\"call\":2,\"return\":4}",
       "2:19", "the id 1 appears twice"},
      {R"({"process":0,"f":"r","call":0,"return":9223372036854775808})", "1:40", "too large"},
      {R"({"process":0,"f":"r","call":0,"return":9223372036854775807})", "1:40", "below 2^63-1"},
      {R"({"process":0,"f":"r","args":[123456789012345678901],"call":0,"return":1})", "1:30", "too large"},
      {R"({"process":0,"f":"r","args":[01],"call":0,"return":1})", "1:30", "leading zeros"},
      {R"({"process":0,"f":"r","args":[nul],"call":0,"return":1})", "1:30", "'null'"},
      {R"({"process":0,"f":"r","args":[1,],"call":0,"return":1})", "1:32", "a value"},
      {R"({"process":0,"f":"r" "call":0,"return":1})", "1:22", "',' or '}'"},
      {R"({"process":0,"f":"r","call":0,"return":1} {})", "1:43", "the end of the line"},
      {R"({"process":0,"f":"a\qb","call":0,"return":1})", "1:21", "after a backslash"},
      {R"({"process":0,"f":"a\ud800b","call":0,"return":1})", "1:20", "surrogate"},
      {"{\"process\":0,\"f\":\"a\xFF\",\"call\":0,\"return\":1}", "1:20", "UTF-8"},
      {"{\"process\":0,\"f\":\"a\x01\",\"call\":0,\"return\":1}", "1:20", "control characters"},
      {R"({"plumb":2})", "1:10", "version 1"},
      {R"({"plumb":1,"model":7})", "1:20", "the model's name"},
      {R"({"history":7})", "1:12", "an array, found 7"},
      {R"({"history":[7]})", "1:13", "an object, found 7"},
      {"{\"process\":0,\"f\":\"r\",\"call\":0,\"return\":1}\n5", "2:1", "a JSON object"},
      {"{}", "1:1", "without \"process\""},
  };
  for (const Bad& bad : cases) EXPECT_TRUE(says(fault(bad.text, "jsonl"), bad.place, bad.words)) << bad.text;
}

TEST(Jsonl, NulBytesAreAnError) {
  const std::string text("{\"process\":0,\0\"f\":\"r\",\"call\":0,\"return\":1}", 41);
  EXPECT_TRUE(says(fault(text, "jsonl"), "1:14", "byte 0x00"));
}

TEST(Jsonl, DeepNestingIsAnErrorAndNotACrash) {
  for (const std::size_t depth : {300U, 100'000U, 1'000'000U}) {
    const std::string deep = R"({"process":0,"f":"r","args":[)" + std::string(depth, '[') +
                             std::string(depth, ']') + R"(],"call":0,"return":1})";
    EXPECT_TRUE(says(fault(deep, "jsonl"), "1:286", "nested too deeply")) << fault(deep, "jsonl");
    EXPECT_NE(fault(std::string(depth, '['), "jsonl"), "no fault");
    std::string objects;
    for (std::size_t i = 0; i < depth; ++i) objects += R"({"a":)";
    EXPECT_NE(fault(objects, "jsonl"), "no fault");
  }
}

TEST(Jsonl, LimitsOfArgumentsAndFunctions) {
  const auto with_args = [](int n) {
    std::string args = "1";
    for (int i = 1; i < n; ++i) args += ",1";
    return R"({"process":0,"f":"r","args":[)" + args + R"(],"call":0,"return":1})";
  };
  EXPECT_EQ(parsed_one(with_args(255)).args(0).size(), 255U);
  EXPECT_TRUE(says(fault(with_args(256)), "1:540", "too many arguments"));
  std::string many;
  for (int i = 0; i < 65'536; ++i)
    many += fmt::format("{{\"process\":{},\"f\":\"f{}\",\"call\":0,\"return\":1}}\n", i, i);
  EXPECT_TRUE(says(fault(many), "65536:22", "more than 65535 different functions"));
}

}  // namespace
}  // namespace plumb
