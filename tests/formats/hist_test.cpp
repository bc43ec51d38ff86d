// The text of LiMo, and violat's documents.
#include "support/parsing.hpp"

namespace plumb {
namespace {

TEST(Hist, ReadsCallsAndReturns) {
  const History h = parsed_one(
      "# @object atomic-queue\n# a comment\n\n[1] call add(1)\n  [2] call remove\n[1] return\n"
      "\t[2] return 1\n[3] call remove()\n[3] return empty\n[4] call add 7\n");
  EXPECT_EQ(h.model(), "queue");
  ASSERT_EQ(h.size(), 4U);
  EXPECT_EQ(h.describe(0), "process 1: add(1) -> null");
  EXPECT_EQ(h.describe(1), "process 2: remove() -> 1");
  EXPECT_EQ(h.describe(2), "process 3: remove() -> null");
  EXPECT_EQ(h.describe(3), "process 4: add(7) -> (pending)");
  EXPECT_EQ(h.place(1), (Place{5, 3}));
}

TEST(Hist, ARemovalMayCarryWhatItRemoved) {
  const History h = parsed_one(
      "# @object atomic-stack\n[0] call push(?<0,0>)\n[0] return\n[0] call pop(?<0,0>)\n[0] return\n"
      "[1] call pop(a)\n[2] call pop\n[2] return\n");
  EXPECT_EQ(h.describe(0), R"(process 0: push("?<0,0>") -> null)");
  EXPECT_EQ(h.describe(1), R"(process 0: pop() -> "?<0,0>")");
  EXPECT_EQ(h.describe(2), "process 1: pop() -> (pending)");
  EXPECT_EQ(h.describe(3), "process 2: pop() -> null");
}

TEST(Hist, ASetsRemovalHasAnArgument) {
  const History h =
      parsed_one("# @object set\n[0] call remove(3)\n[0] return true\n[0] call add(3)\n[0] return\n");
  EXPECT_EQ(h.describe(0), "process 0: remove(3) -> true");
  EXPECT_EQ(h.describe(1), "process 0: add(3)");
}

TEST(Hist, ObjectsStartHistories) {
  const auto all = parsed(
      "# @object atomic-stack\n[0] call push(1)\n# @object other\n# @object atomic-queue\n[0] call deq\n");
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].model(), "stack");
  EXPECT_EQ(all[1].model(), "other");
  EXPECT_TRUE(all[1].empty());
  EXPECT_EQ(all[2].model(), "queue");
}

TEST(Hist, ARepeatedCallLineIsAnOperationThatNeverReturned) {
  const History h =
      parsed_one("# @object atomic-stack\n[7] call pop\n[1] call pop\n[1] call pop\n[1] return 0\n");
  ASSERT_EQ(h.size(), 3U);
  EXPECT_EQ(h.describe(1), "process 1: pop() -> (pending)");
  EXPECT_EQ(h.describe(2), "process 8: pop() -> 0");
}

TEST(Hist, SaysWhatIsWrongAndWhere) {
  const std::pair<const char*, std::pair<const char*, const char*>> cases[] = {
      {"[1] call add(1", {"1:15", "')'"}},
      {"[1] call", {"1:9", "the function"}},
      {"[1]", {"1:4", "\"call\" or \"return\""}},
      {"[1] cal add(1)", {"1:5", "\"call\" or \"return\", found 'cal'"}},
      {"[x] call add(1)", {"1:1", "a whole number for the process"}},
      {"call add(1)", {"1:1", "a line such as"}},
      {"[1] return", {"1:1", "without an invocation"}},
      {"[1] call add(1)\n [1] call add(2)", {"2:2", "one operation at a time"}},
      {"[1] call add(1,)", {"1:16", "an empty argument"}},
      {"[1] call pop(3)\n[1] return 4", {"2:12", "but its call names 3"}},
      {"# @object \n", {"1:10", "the name of an object"}},
      {"[1] call add(\xFF)", {"1:14", "UTF-8"}},
  };
  for (const auto& [text, expected] : cases) {
    EXPECT_TRUE(says(fault(text, "hist"), expected.first, expected.second)) << text;
  }
}

TEST(Hist, SaysWhatItCannotHold) {
  const auto refusal = [](const char* jsonl) {
    const auto text = format_histories(parsed(jsonl), "hist");
    return text ? *text : text.error().text();
  };
  EXPECT_NE(refusal(R"({"process":"a","f":"pop","result":1,"call":0,"return":1})").find("operation 0"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"process":0,"f":"push","args":["a b"],"call":0,"return":1})").find("an argument"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"process":0,"f":"push","args":["5"],"call":0,"return":1})").find("its arguments"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"process":0,"f":"pop","result":"empty","call":0,"return":1})").find("its result"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"process":0,"f":"pop","result":[1],"call":0,"return":1})").find("its result"),
            std::string::npos);
  EXPECT_NE(refusal("{\"plumb\":1,\"initial\":5}\n").find("initial"), std::string::npos);
}

constexpr std::string_view kRun =
    R"({"schema":{"id":0,"class":"java.util.concurrent.ArrayBlockingQueue","arguments":[2]},"linearizable":true,"events":[{"kind":"call","sid":0,"invocation":{"id":0,"method":{"name":"offer"},"arguments":[7]}},{"kind":"call","sid":1,"invocation":{"id":1,"method":{"name":"poll"},"arguments":[]}},{"kind":"return","sid":0,"invocation":{"id":0},"value":"true"}]})";

TEST(Violat, ReadsOneHistoryALine) {
  const auto all = parsed(std::string(kRun) + "\n" + std::string(kRun));
  ASSERT_EQ(all.size(), 2U);
  const History& h = all[1];
  EXPECT_EQ(h.model(), "java:ArrayBlockingQueue");
  EXPECT_EQ(h.values().to_json(h.initial()), "[2]");
  EXPECT_EQ(h.describe(0), "process 0: offer(7) -> true");
  EXPECT_EQ(h.describe(1), "process 1: poll() -> (pending)");
  EXPECT_FALSE(format_histories(all, "violat").ok());
}

TEST(Violat, SaysWhatIsWrongAndWhere) {
  const auto events = [](std::string_view list) {
    return fmt::format(R"({{"schema":{{"class":"a.B"}},"events":[{}]}})", list);
  };
  const std::string call = R"({"kind":"call","sid":0,"invocation":{"id":0,"method":{"name":"m"}}})";
  EXPECT_TRUE(says(fault(events(R"({"kind":"return","sid":0,"invocation":{"id":0}})"), "violat"), "1:37",
                   "without an invocation"));
  EXPECT_TRUE(says(fault(events(R"({"kind":"cal","sid":0,"invocation":{"id":0}})"), "violat"), "1:45",
                   "\"call\" or \"return\""));
  EXPECT_TRUE(
      says(fault(events(R"({"kind":"call","invocation":{"id":0}})"), "violat"), "1:37", "without \"sid\""));
  EXPECT_TRUE(says(fault(events(R"({"kind":"call","sid":0,"invocation":{"id":0}})"), "violat"), "1:37",
                   "without \"method\""));
  EXPECT_TRUE(says(fault(events(call + "," + call), "violat"), "1:105", "the id 0 appears twice"));
  EXPECT_TRUE(says(fault(events(call + R"(,{"kind":"return","sid":0,"invocation":{"id":1}})"), "violat"),
                   "1:105", "is running 0"));
  EXPECT_TRUE(says(fault(R"({"schema":{},"events":[]})", "violat"), "1:11", "without \"class\""));
  EXPECT_TRUE(says(fault(R"({"schema":{"class":"a"}})", "violat"), "1:1", "without \"events\""));
  EXPECT_TRUE(says(fault(kRun.substr(0, 100), "violat"), "1:101", "end of the text"));
}

}  // namespace
}  // namespace plumb
