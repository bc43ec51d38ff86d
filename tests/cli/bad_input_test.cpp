// Every kind of bad input: file:line:column and what was expected, status 2, no verdict for that history.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"

namespace plumb::test {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::IsEmpty;

struct Bad {
  std::string name;
  std::string file;  // what it is called: the format is recognised by content
  std::string text;
  std::string place;  // "line:column", columns as a regular expression where they may move
  std::string says;
};

void PrintTo(const Bad& bad, std::ostream* out) { *out << bad.name; }

const std::string kFirst = operation(0, "enqueue", "1", "null", 0, 10);

class BadInput : public testing::TestWithParam<Bad> {};

TEST_P(BadInput, IsNamedWithItsPlaceAndGetsNoVerdict) {
  const Folder folder;
  const std::string file = folder.write(GetParam().file, GetParam().text);
  for (const auto& more : std::vector<std::vector<std::string>>{{"--json"}, {}}) {
    std::vector<std::string> arguments = {"check", file, "--model", "queue"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    const Ran ran = run(arguments);
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, ContainsRegex(GetParam().file + ":" + GetParam().place + ": "));
    EXPECT_THAT(ran.err, HasSubstr(GetParam().says));
  }
}

INSTANTIATE_TEST_SUITE_P(
    Jsonl, BadInput,
    testing::Values(
        Bad{"cut-off line", "a.jsonl", kFirst + R"({"process":1,"f":"dequ)", "2:[0-9]+", "expected"},
        Bad{"wrong type", "a.jsonl",
            kFirst + R"({"process":1,"f":7,"args":[],"result":1,"call":1,"return":2})"
                     "\n",
            "2:[0-9]+", "expected"},
        Bad{"wrong type of a time", "a.jsonl",
            kFirst + R"({"process":1,"f":"dequeue","args":[],"result":1,"call":"now","return":2})"
                     "\n",
            "2:[0-9]+", "expected"},
        Bad{"arguments are no array", "a.jsonl",
            kFirst + R"({"process":1,"f":"dequeue","args":3,"result":1,"call":1,"return":2})"
                     "\n",
            "2:[0-9]+", "expected"},
        Bad{"missing member", "a.jsonl",
            kFirst + R"({"process":1,"f":"dequeue","args":[],"result":1,"return":2})"
                     "\n",
            "2:[0-9]+", "call"},
        Bad{"unknown function", "a.jsonl", kFirst + operation(1, "dequue", "", "1", 1, 2), "2:[0-9]+",
            "no operation 'dequue' (did you mean 'dequeue'?)"},
        Bad{"too many arguments", "a.jsonl", kFirst + operation(1, "enqueue", "1,2", "null", 1, 2),
            "2:[0-9]+", "expected 1 argument"},
        Bad{"overlap in a process", "a.jsonl", kFirst + operation(0, "dequeue", "", "1", 5, 20), "2:[0-9]+",
            "expected one operation at a time"},
        Bad{"return before call", "a.jsonl", kFirst + operation(1, "dequeue", "", "1", 9, 3), "2:[0-9]+",
            "before its call"},
        Bad{"invalid UTF-8", "a.jsonl",
            kFirst + "{\"process\":1,\"f\":\"\xff\xfe\",\"args\":[],\"call\":1,\"return\":2}\n", "2:[0-9]+",
            "UTF-8"},
        Bad{"deeply nested", "a.jsonl",
            kFirst + R"({"process":1,"f":"enqueue","args":[)" + std::string(100'000, '[') + "\n", "2:[0-9]+",
            ""},
        Bad{"two values on a line", "a.jsonl",
            kFirst + R"({"process":1} {"process":2})"
                     "\n",
            "2:[0-9]+", "expected"}));

INSTANTIATE_TEST_SUITE_P(
    OtherFormats, BadInput,
    testing::Values(
        Bad{"events: response without invocation", "a.json",
            R"({"process":0,"type":"invoke","f":"enqueue","value":3})"
            "\n"
            R"({"process":1,"type":"ok","f":"enqueue","value":3})"
            "\n",
            "2:[0-9]+", "without an invocation"},
        Bad{"edn: response without invocation", "a.edn",
            "{:process 0, :type :invoke, :f :enqueue, :value 3}\n{:process 1, :type :ok, :f :enqueue, :value "
            "3}\n",
            "2:[0-9]+", "without an invocation"},
        Bad{"edn: cut off", "a.edn", "{:process 0, :type :invoke, :f :enqueue, :value", "1:[0-9]+",
            "expected"},
        Bad{"edn: deeply nested", "a.edn",
            "{:process 0, :type :invoke, :f :enqueue, :value " + std::string(100'000, '[') + "\n", "1:[0-9]+",
            ""},
        Bad{"hist: return without call", "a.hist", "# @object atomic-queue\n[1] return\n", "2:[0-9]+",
            "expected"},
        Bad{"hist: duplicate call", "a.hist",
            "# @object atomic-queue\n[1] call add(1)\n[1] return\n[1] call add(2)\n[1] return\n[1] return\n",
            "6:[0-9]+", "expected"},
        Bad{"jepsen-log: response without invocation", "a.log",
            "INFO  jepsen.util - 2\t:invoke\t:enqueue\t4\nINFO  jepsen.util - 3\t:ok\t:enqueue\t4\n",
            "2:[0-9]+", "without an invocation"},
        Bad{"a certificate", "a.json", "{\"plumb-certificate\":1,\"model\":\"queue\"}\n0 2 3\nend\n", "1:1",
            "this is a certificate, not a history; 'plumb verify FILE CERT'"},
        Bad{"a verdict", "a.json",
            R"({"file":"b.jsonl","history":0,"verdict":"violation","model":"queue","elapsed_ms":0.1})"
            "\n",
            "1:1", "this is a verdict that plumb wrote, not a history"},
        Bad{"a verdict about a test", "a.json",
            R"({"test":"Queue","verdict":"pass","elapsed_ms":0.1})"
            "\n",
            "1:1", "this is a verdict that plumb wrote, not a history"},
        Bad{"noise", "a.jsonl", "\x01\x02 what is this?\n", "1:1", "expected one of"}));

TEST(BadInputFiles, MissingFilesAndFoldersAsFilesAreErrors) {
  const Folder folder;
  const Ran missing = run({"check", folder.path("absent.jsonl"), "-m", "queue"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.out, IsEmpty());
  EXPECT_THAT(missing.err, HasSubstr("absent.jsonl: "));
}

// Members that plumb does not know are ignored, whatever their names.
TEST(BadInputFiles, AnOperationMayHaveTheMembersOfAVerdict) {
  const Folder folder;
  const std::string file = folder.write(
      "a.jsonl",
      R"({"file":"x","verdict":"ok","elapsed_ms":1,"process":0,"f":"enqueue","args":[1],"call":0,"return":5})"
      "\n");
  EXPECT_EQ(run({"check", file, "-m", "queue"}).status, 0);
}

TEST(BadInputFiles, DamagedCompressionIsAnError) {
  const Folder folder;
  for (const auto& [name, magic] : {std::pair<std::string, std::string>{"a.jsonl.gz", "\x1f\x8b\x08"},
                                    {"a.jsonl.zst", "\x28\xb5\x2f\xfd"}}) {
    const Ran ran = run({"check", folder.write(name, magic + "nonsense"), "-m", "queue"});
    EXPECT_EQ(ran.status, 2) << name;
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_THAT(ran.err, HasSubstr(name));
  }
}

TEST(BadInputFiles, ModelOfTheFileThatDoesNotExistIsAnErrorOfThatFile) {
  const Folder folder;
  const Ran ran = run({"check", folder.write("a.jsonl", "{\"plumb\":1,\"model\":\"quue\"}\n" + kFirst)});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("a.jsonl: unknown model 'quue' (did you mean 'queue'?)"));
}

// One history of a file that does not fit its model: the others of the file are still checked.
TEST(BadInputFiles, OneHistoryThatDoesNotFitLeavesTheOthers) {
  const Folder folder;
  const auto labelled = [](const std::string& f) {
    return R"({"id":"x","model":"queue","history":[{"process":0,"f":")" + f +
           R"(","args":[],"result":null,"call":0,"return":1}]})" + "\n";
  };
  const Ran ran =
      run({"check", folder.write("a.jsonl", labelled("dequeue") + labelled("vanish") + labelled("pop")),
           "--json"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, HasSubstr("\"history\":0,\"verdict\":\"linearizable\""));
  EXPECT_THAT(ran.out, HasSubstr("\"history\":2,\"verdict\":\"linearizable\""));
  EXPECT_EQ(ran.out.find("\"history\":1"), std::string::npos);
  EXPECT_THAT(ran.err, ContainsRegex("a.jsonl:2:[0-9]+: the model 'queue' has no operation 'vanish'"));
}

}  // namespace
}  // namespace plumb::test
