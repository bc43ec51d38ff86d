// A name that stands twice in an object or map is an error wherever it stands: nobody can know
// which of the two was meant.
#include "history/distinct_names.hpp"

#include "support/parsing.hpp"

namespace plumb {
namespace {

struct Twice {
  const char* format;
  const char* text;
  const char* place;
  const char* words;
};

TEST(DistinctNames, AreAskedForEverywhere) {
  const Twice cases[] = {
      // Members of an operation, whether the quick reader could read them or not; whatever the values are.
      {"jsonl", R"({"process":0,"process":1,"f":"r","call":0,"return":1})", "1:14",
       "\"process\" appears twice"},
      {"jsonl", R"({"process":0,"f":"r","f":"r","call":0,"return":1})", "1:22", "\"f\" appears twice"},
      {"jsonl", R"({"process":0,"f":"r","call":0,"return":1,"args":[1],"args":[2]})", "1:53", "\"args\""},
      {"jsonl", R"({"process":0,"f":"r","call":0,"call":0,"return":1})", "1:31", "\"call\""},
      {"jsonl", R"({"process":0,"f":"r","call":0,"return":null,"return":1})", "1:45", "\"return\""},
      {"jsonl", R"({"process":0,"f":"r","call":0,"return":1,"result":1,"result":2})", "1:53", "\"result\""},
      {"jsonl", R"({"process":0,"f":"r","call":0,"return":1,"object":1,"object":2})", "1:53", "\"object\""},
      {"jsonl", R"({"process":0,"f":"r","call":0,"return":1,"id":1,"id":2})", "1:49", "\"id\""},
      // However it is spelled.
      {"jsonl", R"({"process":0,"f":"r","call":0,"return":1,"c\u0061ll":1})", "1:42",
       "\"call\" appears twice"},
      // Members that are ignored, and values.
      {"jsonl", R"({"process":0,"f":"r","call":0,"return":1,"x":1,"x":1})", "1:48", "\"x\""},
      {"jsonl", R"({"process":0,"f":"r","call":0,"return":1,"x":[{"y":{"z":1,"z":1}}]})", "1:59", "\"z\""},
      {"jsonl", R"({"process":0,"f":"r","args":[{"a":1,"b":2,"a":3}],"call":0,"return":1})", "1:43", "\"a\""},
      {"jsonl", R"({"process":0,"f":"r","result":{"":1,"":2},"call":0,"return":1})", "1:37",
       "\"\" appears twice"},
      {"jsonl", "\n{\"process\":0,\"f\":\"r\",\"call\":0,\"return\":1}\n  {\"f\":\"a\",\"f\":\"b\"}", "3:12",
       "\"f\""},
      {"jsonl", R"({"plumb":1,"model":"queue","model":"stack"})", "1:28", "\"model\""},
      {"jsonl", R"({"plumb":1,"initial":{"k":1,"k":2}})", "1:29", "\"k\""},
      {"jsonl", R"({"history":[],"history":[]})", "1:15", "\"history\""},
      {"jsonl", R"({"history":[{"process":0,"f":"r","call":0,"return":1,"f":"w"}]})", "1:54", "\"f\""},
      {"events", R"({"process":0,"type":"invoke","f":"w","value":3,"value":4})", "1:48", "\"value\""},
      {"events", R"([{"process":0,"type":"invoke","f":"w","value":{"a":1,"a":1}}])", "1:54", "\"a\""},
      {"events", R"({"process":0,"type":"invoke","f":"w","time":3,"time":4})", "1:47", "\"time\""},
      {"violat", R"({"schema":{"class":"C","class":"D"},"events":[]})", "1:24", "\"class\""},
      {"violat", R"({"schema":{"class":"C"},"events":[],"events":[]})", "1:37", "\"events\""},
      // In EDN too, where it is an error by its own rules; and keys that are told apart only by
      // their kind become one name.
      {"edn", "{:process 0, :type :invoke, :f :w, :value 3, :value 4}", "1:46",
       "the key \"value\" appears twice"},
      {"edn", "{:process 0, :type :invoke, :f :w,\n :time 3, :time 4}", "2:11", "\"time\""},
      {"edn", "[{:process 0, :type :invoke, :f :w, :value {:a 1 :b 2 :a 1}}]", "1:55", "\"a\""},
      {"edn", "{:process 0, :type :invoke, :f :w, :value {:a 1 \"a\" 2}}", "1:49", "\"a\""},
      {"edn", "{:process 0, :type :invoke, :f :w, :value {1 1 \"1\" 2}}", "1:48", "\"1\""},
      {"edn", "{:process 0, :type :invoke, :f :w, :x {[1] 1 [1] 2}}", "1:46", "\"[1]\""},
      {"edn", "#_{:a 1 :a 2} {:process 0, :type :invoke, :f :w}", "1:9", "\"a\""},
      {"jepsen-log", "INFO  jepsen.util - 0\t:invoke\t:w\t{:a 1 :a 2}\n", "1:40", "\"a\""},
  };
  for (const Twice& bad : cases)
    EXPECT_TRUE(says(fault(bad.text, bad.format), bad.place, bad.words)) << bad.format << ": " << bad.text;
}

TEST(DistinctNames, EqualNamesInDifferentObjectsAreFine) {
  const History h = parsed_one(
      R"({"process":0,"f":"r","args":[{"f":1},{"f":{"f":2}}],"call":0,"return":1,"x":{"call":1,"f":[{"f":1},{"f":1}]}})");
  EXPECT_EQ(h.values().to_json(h.args(0)[1]), R"({"f":{"f":2}})");
  EXPECT_EQ(parsed_one("{:process 0, :type :invoke, :f :w, :value {:a {:a 1} :b {:a 1} :A 1}}").size(), 1U);
}

// Past the number that is compared one by one.
TEST(DistinctNames, OfLargeObjects) {
  for (const int members : {15, 16, 17, 18, 1000}) {
    for (const int again : {-1, 0, members / 2, members - 1}) {
      std::string json;
      std::string edn;
      for (int i = 0; i < members; ++i) json += fmt::format("\"k{}\":{},", i, i);
      for (int i = 0; i < members; ++i) edn += fmt::format(":k{} {} ", i, i);
      json += again < 0 ? "\"end\":0" : fmt::format("\"k{}\":0", again);
      edn += again < 0 ? ":end 0" : fmt::format(":k{} 0", again);
      const std::string in_json =
          fault(R"({"process":0,"f":"r","call":0,"return":1,"result":{)" + json + "}}", "jsonl");
      const std::string in_edn = fault("{:process 0, :type :invoke, :f :r, :value {" + edn + "}}", "edn");
      if (again < 0) {
        EXPECT_EQ(in_json, "no fault");
        EXPECT_EQ(in_edn, "no fault");
      } else {
        EXPECT_NE(in_json.find(fmt::format("\"k{}\" appears twice", again)), std::string::npos) << in_json;
        EXPECT_NE(in_edn.find(fmt::format("\"k{}\" appears twice", again)), std::string::npos) << in_edn;
      }
    }
  }
}

TEST(DistinctNames, TellsWhatIsThereAlready) {
  DistinctNames names;
  std::vector<std::string> kept;
  for (int i = 0; i < 100; ++i) kept.push_back(fmt::format("{}", i));
  for (const std::string& name : kept) EXPECT_TRUE(names.add(name));
  for (const std::string& name : kept) EXPECT_FALSE(names.add(name));
}

}  // namespace
}  // namespace plumb
