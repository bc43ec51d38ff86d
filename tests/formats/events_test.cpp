// Jepsen's events in JSON and in EDN, which share everything but the syntax; and the log of Jepsen.
#include "support/parsing.hpp"

namespace plumb {
namespace {

// The operations of a history, one description each.
std::vector<std::string> operations(const History& history) {
  std::vector<std::string> all;
  for (OperationId i = 0; i < history.size(); ++i) all.push_back(history.describe(i));
  return all;
}
using Operations = std::vector<std::string>;

TEST(Events, ReadsInvocationsAndTheirEnds) {
  const History h = parsed_one(R"({"process":0,"type":"invoke","f":"write","value":3}
{"process":1,"type":"invoke","f":"read","value":null}
{"process":0,"type":"ok","f":"write","value":3}
{"process":1,"type":"ok","f":"read","value":3}
{"process":2,"type":"invoke","f":"write","value":9}
{"process":2,"type":"fail","f":"write","value":9}
{"process":3,"type":"invoke","f":"cas","value":[3,4]}
{"process":3,"type":"info","f":"cas","value":"timeout"}
{"process":4,"type":"invoke","f":"read"}
{"process":"nemesis","type":"info","f":"kill","value":null}
{"process":5,"type":"info","f":"remark"}
)");
  EXPECT_EQ(operations(h),
            (Operations{"process 0: write(3) -> null", "process 1: read() -> 3",
                        "process 3: cas(3, 4) -> (pending)", "process 4: read() -> (pending)"}));
  EXPECT_EQ(h.call(1), 1);
  EXPECT_EQ(h.ret(0), 2);
}

TEST(Events, MayBeOneArrayOverManyLines) {
  const History h = parsed_one(R"( [
  {"process":0,"type":"invoke","f":"read","value":null},
  {"process":0,
   "type":"ok","f":"read","value":"]"}
] )");
  EXPECT_EQ(operations(h), (Operations{R"(process 0: read() -> "]")"}));
}

TEST(Events, TheConventionForValues) {
  const History h = parsed_one(
      R"([{:process 0 :type :invoke :f :cas :value [1 2]} {:process 0 :type :ok :f :cas :value [1 2]}
{:process 0 :type :invoke :f :cas :value [1 2]} {:process 0 :type :ok :f :cas :value false}
{:process 0 :type :invoke :f :add :value 5} {:process 0 :type :ok :f :add :value 5}
{:process 0 :type :invoke :f :add :value 5} {:process 0 :type :ok :f :add :value 5 :result true}
{:process 0 :type :invoke :f :read :value nil} {:process 0 :type :ok :f :read :value nil}
{:process 0 :type :invoke :f :txn :value [[:read :x nil]]} {:process 0 :type :ok :f :txn :value [[:read :x 1]]}
{:process 0 :type :invoke :f :txn :value [[:write :x 1]]} {:process 0 :type :ok :f :txn :value [[:write :x 1]]}
{:process 0 :type :invoke :f :put :value ["k" 1]} {:process 0 :type :ok :f :put :value ["k" 1]}
{:process 0 :type :invoke :f :append :key "0" :value "x"} {:process 0 :type :ok :f :append :key "0" :value "x"}
{:process 0 :type :invoke :f :get :key "0" :value nil} {:process 0 :type :ok :f :get :key "0" :value "x"}
{:process 0 :type :invoke :f :acquire} {:process 0 :type :ok :f :acquire}
{:process 0 :type :invoke :f :f :args [1 nil]} {:process 0 :type :ok :f :f :value 1}
])");
  EXPECT_EQ(
      operations(h),
      (Operations{"process 0: cas(1, 2) -> true", "process 0: cas(1, 2) -> false", "process 0: add(5)",
                  "process 0: add(5) -> true", "process 0: read() -> null",
                  R"(process 0: txn([[":read",":x",null]]) -> [[":read",":x",1]])",
                  R"(process 0: txn([[":write",":x",1]]) -> [[":write",":x",1]])",
                  R"(process 0: put("k", 1) -> null)", R"(process 0: append("0", "x") -> null)",
                  R"(process 0: get("0") -> "x")", "process 0: acquire()", "process 0: f(1, null) -> 1"}));
}

TEST(Events, HeadersStartHistories) {
  const auto all = parsed(R"({"plumb":1,"model":"register","initial":0}
{"process":0,"type":"invoke","f":"read"}
{"plumb":1,"model":"queue"}
{"process":0,"type":"invoke","f":"deq"}
)");
  ASSERT_EQ(all.size(), 2U);
  EXPECT_EQ(all[0].model(), "register");
  EXPECT_EQ(all[0].initial(), Value::small(0));
  EXPECT_EQ(all[1].model(), "queue");
}

TEST(Events, SaysWhatIsWrongAndWhere) {
  const std::pair<const char*, std::pair<const char*, const char*>> cases[] = {
      {R"({"process":0,"type":"ok","f":"read","value":1})", {"1:1", "without an invocation"}},
      {R"({"process":0,"type":"fail","f":"read","value":1})", {"1:1", "without an invocation"}},
      {R"({"process":0,"type":"invok","f":"read"})", {"1:21", "did you mean 'invoke'"}},
      {R"({"process":0,"type":3,"f":"read"})", {"1:21", "found 3"}},
      {R"({"type":"invoke","f":"read"})", {"1:1", "without \"process\""}},
      {R"({"process":0,"type":"invoke"})", {"1:1", "without \"f\""}},
      {R"({"process":0,"f":"read"})", {"1:1", "without \"type\""}},
      {R"({"process":0,"type":"invoke","f":7})", {"1:34", "the function's name, found 7"}},
      {R"({"process":0,"type":"invoke","f":"r","args":7})", {"1:45", "the arguments as an array"}},
      {"{\"process\":0,\"type\":\"invoke\",\"f\":\"r\"}\n{\"process\":0,\"type\":\"invoke\",\"f\":\"w\"}",
       {"2:1", "one operation at a time"}},
      {"{\"process\":0,\"type\":\"invoke\",\"f\":\"r\"}\n{\"process\":0,\"type\":\"ok\",\"f\":\"w\"}",
       {"2:30", "expected the same function"}},
      {"{\"process\":0,\"type\":\"invoke\",\"f\":\"r\",\"index\":4}\n{\"index\":4,\"process\":0,\"type\":"
       "\"ok\",\"f\":\"r\"}",
       {"2:10", "the index 4 appears twice"}},
      {R"({"process":"a","type":"invoke","f":"r"})", {"1:12", "whole numbers as processes"}},
      {R"([{"process":0,"type":"invoke","f":"r"})", {"1:39", "',' or ']'"}},
      {R"([{"process":0,"type":"invoke","f":"r"} 5])", {"1:40", "',' or ']'"}},
      {R"([{"process":0,"type":"invoke","f":"r"}] 5)", {"1:41", "after the array"}},
      {R"([{"process":0,"type":"invoke","f":"r"},])", {"1:40", "an object"}},
      {"[{\"process\":0,\n\"type\":\"inv", {"2:12", "'\"'"}},
      {R"({"process":0,"type":"invoke","f":"r","value":)", {"1:46", "a value"}},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_TRUE(says(fault(text, "events"), expected.first, expected.second)) << text;
  }
}

TEST(Edn, TakesVectorsListsBareMapsAndComments) {
  const std::string event = "{:process 0, :type :invoke, :f :read, :value nil}";
  for (const std::string& text :
       {event, "[" + event + "]", "(" + event + ")", "; a comment\n#_ [dis carded] " + event,
        ",,[#jepsen.history.Op" + event + "] ; end", "[#_ #_ 1 2 " + event + "]"}) {
    EXPECT_EQ(operations(parsed_one(text)), (Operations{"process 0: read() -> (pending)"})) << text;
  }
  EXPECT_TRUE(parsed_one("[]").empty());
  EXPECT_TRUE(parsed_one("; nothing\n").empty());
  EXPECT_EQ(parsed("[" + event + "][" + event + "]").size(), 2U);
}

TEST(Edn, ReadsEveryKindOfValue) {
  const auto value = [](const std::string& edn) {
    const History h = parsed_one("{:process 0 :type :invoke :f :x :args [" + edn + "]}", "edn");
    return h.size() == 1 && h.args(0).size() == 1 ? h.values().to_json(h.args(0)[0]) : "none";
  };
  EXPECT_EQ(value(":x"), R"(":x")");
  EXPECT_EQ(value("x/y"), R"("x/y")");
  EXPECT_EQ(value(R"("a\n\"\\\u00e9\ud83d\ude00")"), "\"a\\n\\\"\\\\é😀\"");
  EXPECT_EQ(value(R"(\a)"), R"("a")");
  EXPECT_EQ(value(R"(\newline)"), R"("\n")");
  EXPECT_EQ(value(R"(\()"), R"("(")");
  EXPECT_EQ(value(R"(\u0041)"), R"("A")");
  EXPECT_EQ(value("+5"), "5");
  EXPECT_EQ(value("-7N"), "-7");
  EXPECT_EQ(value("1.5M"), "1.5");
  EXPECT_EQ(value("2.0"), "2");
  EXPECT_EQ(value("1/3"), R"("1/3")");
  EXPECT_EQ(value("#{3 1 2}"), "[1,2,3]");
  EXPECT_EQ(value("(1 [2 nil])"), "[1,[2,null]]");
  EXPECT_EQ(value(R"({:a 1, "b" 2, 3 4, [5] 6})"), R"({"3":4,"[5]":6,"a":1,"b":2})");
  EXPECT_EQ(value(R"(#inst "2020-01-01")"), R"("2020-01-01")");
  EXPECT_EQ(value("-"), R"("-")");
}

TEST(Edn, SaysWhatIsWrongAndWhere) {
  const std::pair<std::string, std::pair<const char*, const char*>> cases[] = {
      {"{:process 0, :type :invoke, :f :rea", {"1:36", "a key or '}'"}},
      {"{:process 0 :type :invoke :f \"re", {"1:33", "'\"'"}},
      {"{:process 0 :type}", {"1:18", "a value"}},
      {"[{:process 0 :type :invoke :f :r}\n{:process 0 :type :ok :f :r :value }]", {"2:36", "a value"}},
      {"[{:process 0 :type :invoke :f :r})", {"1:34", "a map or ']'"}},
      {"[{:process 0 :type :invoke :f :r", {"1:33", "a key or '}'"}},
      {"[1]", {"1:2", "a map or ']'"}},
      {"5", {"1:1", "a map, a vector or a list"}},
      {"{:process 0 :type :ok :f :r}", {"1:1", "without an invocation"}},
      {"{:process 0 :type :invoke :f :r :value 12x}", {"1:40", "a number"}},
      {"{:process 0 :type :invoke :f :r :value 99999999999999999999}", {"1:40", "too large"}},
      {"{:process 0 :type :invoke :f :r :value \"\\x\"}", {"1:42", "after a backslash"}},
      {"{:process 0 :type :invoke :f :r :value \"\\ud800\"}", {"1:41", "surrogate"}},
      {"{:process 0 :type :invoke :f :r :value ##NaN}", {"1:40", "a tag, a set"}},
      {"{:process 0 :type :invoke :f :r :value \"\xC3\"}", {"1:41", "UTF-8"}},
      {std::string("{:process 0\n :type \0}", 21), {"2:8", "byte 0x00"}},
      {"{:process 0 :type :invoke :f :r :value #foo}", {"1:44", "a value after the tag"}},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_TRUE(says(fault(text, "edn"), expected.first, expected.second)) << text;
  }
}

TEST(Edn, AnInvocationOfReadMayCarryWhatItWillSee) {
  const History h = parsed_one(
      "[{:process 0 :type :invoke :f :read :value 4} {:process 0 :type :ok :f :read :value 4}\n"
      " {:process 0 :type :invoke :f :read :value 5} {:process 0 :type :info :f :read :value 5}]");
  EXPECT_EQ(operations(h), (Operations{"process 0: read() -> 4", "process 0: read() -> (pending)"}));
}

TEST(Edn, ACutOffVectorIsAnError) {
  const std::string whole =
      "[{:process 0 :type :invoke :f :r :value nil}\n{:process 0 :type :ok :f :r :value 1}";
  EXPECT_EQ(operations(parsed_one(whole + "]")), (Operations{"process 0: r() -> 1"}));
  EXPECT_TRUE(says(fault(whole), "2:38", "a map or ']' was expected"));
  EXPECT_TRUE(says(fault(whole + "\n{:process 1 :ty"), "3:16", "a value was expected"));
  EXPECT_TRUE(says(fault(whole + "\n{:process 1 :type :invoke :f \"r"), "3:32", "'\"' was expected"));
  EXPECT_TRUE(says(fault(whole + "{:process 0 :type :ok :f :r}]"), "2:38", "without an invocation"));
}

TEST(Edn, DeepNestingIsAnErrorAndNotACrash) {
  for (const char* open : {"[", "(", "{:a ", "{[", "#{", "#_", "#_[", "#t ", "{#_"}) {
    std::string deep = "{:process 0 :type :invoke :f :r :value ";
    for (int i = 0; i < 200'000; ++i) deep += open;
    EXPECT_NE(fault(deep, "edn"), "no fault") << open;
  }
  EXPECT_TRUE(says(fault("{:process " + std::string(300, '['), "edn"), "1:267", "nested too deeply"));
}

TEST(JepsenLog, ReadsEventsAmongOtherLines) {
  const History h = parsed_one(
      "INFO  jepsen.core - Starting\nINFO  jepsen.util - 2\t:invoke\t:write\t4\r\n"
      "INFO  jepsen.util - 1   :invoke :cas    [1 2]\nWARN  something :else\n"
      "INFO  jepsen.util - waiting for :ok\nINFO  jepsen.util - :nemesis\t:info\t:start\tnil\n"
      "INFO  jepsen.util - 2\t:ok\t:write\t4\nINFO  jepsen.util - 1\t:info\t:cas\t:timed-out\n"
      "INFO  jepsen.util - 3\t:invoke\t:read\tnil\nINFO  jepsen.util - 3\t:fail\t:read\t:timed-out\n"
      "INFO [2020-01-01] jepsen worker 4 - jepsen.util 4\t:invoke\t:read\tnil\n");
  EXPECT_EQ(operations(h), (Operations{"process 2: write(4) -> null", "process 1: cas(1, 2) -> (pending)",
                                       "process 4: read() -> (pending)"}));
  EXPECT_EQ(h.place(0), (Place{2, 21}));
}

TEST(JepsenLog, SaysWhatIsWrongAndWhere) {
  const std::pair<const char*, std::pair<const char*, const char*>> cases[] = {
      {"INFO  jepsen.util - 2\t:invoke\t:write\t[4", {"1:40", "a value or ']'"}},
      {"INFO  jepsen.util - 2\t:invoke\t:write\t4 5", {"1:40", "the end of the line"}},
      {"INFO  jepsen.util - 2\t:invoke", {"1:30", "the function"}},
      {"INFO  jepsen.util - 2", {"1:22", "the type"}},
      {"INFO  jepsen.util - 2\t:inv", {"1:27", "the function"}},
      {"INFO  jepsen.util - 2\t:invok\t:read\tnil", {"1:23", "did you mean 'invoke'"}},
      {"INFO  jepsen.util - 2\t:invoke\tread\tnil", {"1:31", "as a keyword"}},
      {"INFO  jepsen.util - 2\t:ok\t:read\tnil", {"1:21", "without an invocation"}},
      {"ok\nINFO  jepsen.util - 2\t:invoke\t:write\t\"\xFF\"", {"2:39", "UTF-8"}},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_TRUE(says(fault(text, "jepsen-log"), expected.first, expected.second)) << text;
  }
}

// jepsen.independent: one register for each key, in each of the three forms.
TEST(Independent, EachKeyIsAnObject) {
  const std::string json = R"({"process":0,"type":"invoke","f":"write","value":["x",3]}
{"process":1,"type":"invoke","f":"read","value":["y",null]}
{"process":0,"type":"ok","f":"write","value":["x",3]}
{"process":1,"type":"ok","f":"read","value":["y",0]}
{"process":1,"type":"invoke","f":"cas","value":["x",[3,4]]}
{"process":1,"type":"ok","f":"cas","value":["x",[3,4]]}
{"process":2,"type":"invoke","f":"read","value":["x",null]}
{"process":2,"type":"info","f":"read","value":"timed-out"}
)";
  const std::string edn = R"([{:process 0 :type :invoke :f :write :value ["x" 3]}
{:process 1 :type :invoke :f :read :value ["y" nil]}
{:process 0 :type :ok :f :write :value ["x" 3]}
{:process 1 :type :ok :f :read :value ["y" 0]}
{:process 1 :type :invoke :f :cas :value ["x" [3 4]]}
{:process :nemesis :type :info :f :kill :value nil}
{:process 1 :type :ok :f :cas :value ["x" [3 4]]}
{:process 2 :type :invoke :f :read :value ["x" nil]}
{:process 2 :type :info :f :read :value :timed-out}])";
  const std::string log =
      "INFO  jepsen.util - 0\t:invoke\t:write\t[\"x\" 3]\nINFO  jepsen.util - 1\t:invoke\t:read\t[\"y\" "
      "nil]\n"
      "INFO  jepsen.util - 0\t:ok\t:write\t[\"x\" 3]\nINFO  jepsen.util - 1\t:ok\t:read\t[\"y\" 0]\n"
      "INFO  jepsen.util - 1\t:invoke\t:cas\t[\"x\" [3 4]]\nINFO  jepsen.util - 1\t:ok\t:cas\t[\"x\" [3 4]]\n"
      "INFO  jepsen.util - 2\t:invoke\t:read\t[\"x\" nil]\nINFO  jepsen.util - 2\t:info\t:read\t:timed-out\n";
  for (const std::string& text : {json, edn, log}) {
    const auto read = parse_histories(text, "independent");
    ASSERT_TRUE(read.ok()) << read.error().text();
    const History& h = read->at(0);
    EXPECT_EQ(operations(h), (Operations{"process 0: write(3) -> null", "process 1: read() -> 0",
                                         "process 1: cas(3, 4) -> true", "process 2: read() -> (pending)"}));
    std::string objects;
    for (OperationId i = 0; i < h.size(); ++i) objects += h.values().to_json(h.object(i));
    EXPECT_EQ(objects, R"("x""y""x""x")");
  }
  EXPECT_TRUE(parsed_one("", "independent").empty());
}

TEST(Independent, SaysWhatIsWrongAndWhere) {
  const std::string call = R"({"process":0,"type":"invoke","f":"write","value":["x",3]})";
  const std::pair<std::string, std::pair<const char*, const char*>> cases[] = {
      {R"({"process":0,"type":"invoke","f":"write","value":3})", {"1:1", "expected a value [key value]"}},
      {R"({"process":0,"type":"invoke","f":"read"})", {"1:1", "expected a value [key value]"}},
      {call + "\n" + R"({"process":0,"type":"ok","f":"write","value":["y",3]})",
       {"2:1", R"(the key "y", but process 0 was called with "x")"}},
      {R"({"process":0,"type":"ok","f":"write","value":["y",3]})", {"1:1", "without an invocation"}},
      {"{\"process\":0,\"f\":\"write\",\"args\":[1],\"call\":0,\"return\":5}",
       {"1:1", "not events of Jepsen"}},
      {"rubbish", {"1:1", "not events of Jepsen"}},
  };
  for (const auto& [text, expected] : cases)
    EXPECT_TRUE(says(fault(text, "independent"), expected.first, expected.second)) << text;
}

}  // namespace
}  // namespace plumb
