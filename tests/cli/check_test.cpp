// plumb check, run for real: verdicts, statuses, JSON, folders, pipes, budgets.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>
#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <sstream>

#include "cli/command.hpp"

namespace plumb::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string kGood =
    operation(0, "enqueue", "1", "null", 0, 10) + operation(1, "dequeue", "", "1", 5, 20);
const std::string kBad =
    operation(0, "enqueue", "1", "null", 0, 10) + operation(1, "dequeue", "", "2", 15, 20);

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) all.push_back(line);
  return all;
}

// The member of a JSON object, as JSON.
std::string member(const std::string& object, std::string_view name) {
  simdjson::dom::parser parser;
  simdjson::dom::element element;
  if (parser.parse(object).at_key(name).get(element) != simdjson::SUCCESS) return "(absent)";
  return simdjson::minify(element);
}

std::vector<std::string> members(const std::string& out, std::string_view name) {
  std::vector<std::string> all;
  for (const std::string& line : lines(out)) all.push_back(member(line, name));
  return all;
}

TEST(Check, StatusSaysWhatWasFound) {
  const Folder folder;
  const std::string good = folder.write("good.jsonl", kGood);
  const std::string bad = folder.write("bad.jsonl", kBad);
  const std::string hard =
      folder.write("hard.jsonl", "{\"plumb\":1,\"model\":\"register\"}\n" + hard_history());
  const std::string broken = folder.write("broken.jsonl", "{\"process\":0,\n");
  const auto status = [](std::vector<std::string> files) {
    std::vector<std::string> arguments = {"check", "--timeout", "0.1", "--quiet", "--engine", "wgl"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    return run(arguments).status;
  };
  const std::string named = folder.write("named.jsonl", "{\"plumb\":1,\"model\":\"queue\"}\n" + kGood);
  const std::string named_bad = folder.write("named_bad.jsonl", "{\"plumb\":1,\"model\":\"queue\"}\n" + kBad);
  EXPECT_EQ(status({named}), 0);
  EXPECT_EQ(status({named_bad}), 1);
  EXPECT_EQ(status({hard}), 3);
  EXPECT_EQ(status({broken}), 2);
  EXPECT_EQ(status({named, hard}), 3);
  EXPECT_EQ(status({named_bad, hard, named}), 1);
  EXPECT_EQ(status({named_bad, broken, hard}), 2);
  EXPECT_EQ(run({"check", good, "-m", "queue"}).status, 0);
  EXPECT_EQ(run({"check", bad, "-m", "queue"}).status, 1);
}

TEST(Check, JsonHasTheKeysOfTheContractInTheirOrder) {
  const Folder folder;
  const std::string file = folder.write("a.jsonl", kGood);
  const Ran ran = run({"check", file, "--model", "queue", "--json"});
  ASSERT_EQ(lines(ran.out).size(), 1U);
  EXPECT_THAT(ran.err, IsEmpty());
  EXPECT_EQ(member(ran.out, "file"), "\"" + file + "\"");
  EXPECT_EQ(member(ran.out, "history"), "0");
  EXPECT_EQ(member(ran.out, "verdict"), "\"linearizable\"");
  EXPECT_EQ(member(ran.out, "model"), "\"queue\"");
  EXPECT_EQ(member(ran.out, "engine"), "\"monitor\"");
  EXPECT_EQ(member(ran.out, "why"), "\"values are distinct\"");
  EXPECT_EQ(member(ran.out, "operations"), "2");
  EXPECT_EQ(member(ran.out, "pending"), "0");
  EXPECT_EQ(member(ran.out, "processes"), "2");
  EXPECT_EQ(member(ran.out, "violation"), "(absent)");
  std::size_t before = 0;
  for (const char* key : {"file", "history", "verdict", "model", "engine", "why", "operations", "pending",
                          "processes", "elapsed_ms"}) {
    const std::size_t at = ran.out.find("\"" + std::string(key) + "\":");
    ASSERT_NE(at, std::string::npos) << key;
    EXPECT_GE(at, before) << key;
    before = at;
  }
}

TEST(Check, JsonOfAViolationNamesItsCore) {
  const Folder folder;
  const Ran ran = run({"check", folder.write("a.jsonl", kBad), "--model", "queue", "--json"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(member(ran.out, "verdict"), "\"violation\"");
  const std::string violation = member(ran.out, "violation");
  EXPECT_EQ(member(violation, "operations"), "[1]");
  EXPECT_EQ(member(violation, "stuck"), "1");
  EXPECT_EQ(member(violation, "allowed"), "[1]");
  EXPECT_THAT(member(violation, "reason"), HasSubstr("dequeue"));
}

TEST(Check, TextSaysWhereItIsStuckAndWhatWasAllowed) {
  const Folder folder;
  const std::string file = folder.write("a.jsonl", kBad);
  const Ran ran = run({"check", file, "--model", "queue"});
  EXPECT_THAT(ran.out, HasSubstr("✗ violation  " + file));
  EXPECT_THAT(ran.out, HasSubstr("1 of 2 operations"));
  EXPECT_THAT(ran.out, HasSubstr(file + ":2: process 1: dequeue() -> 2"));
  EXPECT_THAT(ran.out, HasSubstr("allowed      1\n"));
}

TEST(Check, EveryEngineAgreesHere) {
  const Folder folder;
  const std::string good = folder.write("good.jsonl", kGood);
  const std::string bad = folder.write("bad.jsonl", kBad);
  for (const std::string engine : {"auto", "monitor", "wgl", "brute"}) {
    const Ran ran = run({"check", good, bad, "-m", "queue", "-e", engine, "--json"});
    EXPECT_THAT(members(ran.out, "verdict"), ElementsAre("\"linearizable\"", "\"violation\"")) << engine;
    EXPECT_EQ(member(lines(ran.out)[0], "engine"), '"' + (engine == "auto" ? "monitor" : engine) + '"');
  }
}

TEST(Check, SwitchesOfTheSearchDoNotChangeTheVerdict) {
  const Folder folder;
  const std::string good = folder.write("good.jsonl", kGood);
  const std::string bad = folder.write("bad.jsonl", kBad);
  for (const auto& more : std::vector<std::vector<std::string>>{{"--no-partition"},
                                                                {"--lru"},
                                                                {"--memory", "64K"},
                                                                {"--jobs", "1"},
                                                                {"--jobs", "3"},
                                                                {"--timeout", "60"}}) {
    std::vector<std::string> arguments = {"check", good, bad, "-m", "queue", "--json"};
    arguments.insert(arguments.end(), more.begin(), more.end());
    EXPECT_THAT(members(run(arguments).out, "verdict"), ElementsAre("\"linearizable\"", "\"violation\""))
        << more[0];
  }
}

TEST(Check, FolderMeansEveryHistoryBelowItSorted) {
  const Folder folder;
  folder.write("h/b.jsonl", kGood);
  folder.write("h/a/z.jsonl", kBad);
  folder.write("h/c.hist", "# @object atomic-queue\n[1] call add(1)\n[1] return\n");
  folder.write("h/README.md", "not a history");
  folder.write("h/.hidden/x.jsonl", "noise");
  const Ran ran = run({"check", "h", "-m", "queue", "--json"}, {.directory = folder.path("")});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(members(ran.out, "file"), ElementsAre("\"h/a/z.jsonl\"", "\"h/b.jsonl\"", "\"h/c.hist\""));
  const Ran verbose = run({"check", "h", "-m", "queue", "-v"}, {.directory = folder.path("")});
  EXPECT_THAT(verbose.out, HasSubstr("skipped 1 file whose names are not those of histories: h/README.md"));
}

TEST(Check, FolderWithOneBadFileStillChecksTheOthers) {
  const Folder folder;
  folder.write("h/a.jsonl", kGood);
  folder.write("h/b.jsonl", kGood + "{\"process\":0,\"f\":\n");
  folder.write("h/c.jsonl", kBad);
  const Ran ran = run({"check", "h", "-m", "queue", "--json"}, {.directory = folder.path("")});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(members(ran.out, "file"), ElementsAre("\"h/a.jsonl\"", "\"h/c.jsonl\""));
  EXPECT_THAT(ran.err, HasSubstr("h/b.jsonl:3:"));
}

TEST(Check, FolderWithoutHistoriesIsAnError) {
  const Folder folder;
  folder.write("h/README.md", "nothing");
  const Ran ran = run({"check", folder.path("h"), "-m", "queue"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("no histories below this folder"));
}

TEST(Check, ReadsStandardInputOnce) {
  const Ran ran = run({"check", "-", "-m", "queue", "--json"}, {.input = kGood});
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(member(ran.out, "file"), "\"-\"");
  const Ran twice = run({"check", "-", "-", "-m", "queue"}, {.input = kGood});
  EXPECT_EQ(twice.status, 2);
  EXPECT_THAT(twice.err, HasSubstr("only once"));
}

std::string gzip(const std::string& text) {
  z_stream stream = {};
  constexpr int kGzip = 15 + 16;
  deflateInit2(&stream, Z_DEFAULT_COMPRESSION, Z_DEFLATED, kGzip, 8, Z_DEFAULT_STRATEGY);
  std::string out(deflateBound(&stream, text.size()) + 32, '\0');
  std::string in = text;
  stream.next_in = reinterpret_cast<Bytef*>(in.data());
  stream.avail_in = static_cast<uInt>(in.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

std::string zstd(const std::string& text) {
  std::string out(ZSTD_compressBound(text.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), text.data(), text.size(), 3));
  return out;
}

TEST(Check, ReadsCompressedFilesAndPipesAsTheyAre) {
  const Folder folder;
  const Ran files = run({"check", folder.write("a.jsonl.gz", gzip(kGood)),
                         folder.write("b.jsonl.zst", zstd(kBad)), "-m", "queue", "--json"});
  EXPECT_THAT(members(files.out, "verdict"), ElementsAre("\"linearizable\"", "\"violation\""));
  EXPECT_EQ(run({"check", "-", "-m", "queue"}, {.input = zstd(kGood)}).status, 0);
  EXPECT_EQ(run({"check", "-", "-m", "queue"}, {.input = gzip(kBad)}).status, 1);
}

TEST(Check, ModelOfTheFileUnlessTheUserNamesOne) {
  const Folder folder;
  const std::string file = folder.write(
      "a.jsonl", "{\"plumb\":1,\"model\":\"stack\"}\n" + operation(0, "push", "1", "null", 0, 1) +
                     operation(0, "push", "2", "null", 2, 3) + operation(0, "pop", "", "2", 4, 5));
  EXPECT_EQ(member(run({"check", file, "--json"}).out, "model"), "\"stack\"");
  EXPECT_EQ(run({"check", file}).status, 0);
  EXPECT_EQ(run({"check", file, "--model", "queue"}).status, 1);
}

TEST(Check, WithoutAModelTheErrorListsThoseThatFit) {
  const Folder folder;
  const Ran ran = run({"check", folder.write("a.jsonl", kGood)});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, HasSubstr("a.jsonl: no model is named; use --model NAME"));
  EXPECT_THAT(ran.err, HasSubstr("fit: queue"));
  const Ran none = run({"check", folder.write("b.jsonl", operation(0, "explode", "", "null", 0, 1))});
  EXPECT_THAT(none.err, HasSubstr("none of the built-in ones has all of: explode"));
}

TEST(Check, AnEmptyFileIsAnEmptyHistory) {
  const Folder folder;
  const std::string file = folder.write("a.jsonl", "");
  const Ran named = run({"check", file, "-m", "queue", "--json"});
  EXPECT_EQ(named.status, 0);
  EXPECT_EQ(member(named.out, "operations"), "0");
  const Ran unnamed = run({"check", file, "--json"});
  EXPECT_EQ(unnamed.status, 0);
  EXPECT_EQ(member(unnamed.out, "model"), "\"any\"");
}

TEST(Check, AViolationOfOneOfManyObjectsNamesIt) {
  const std::string text = R"({"process":0,"f":"read","result":null,"object":"x","call":0,"return":1}
{"process":0,"f":"read","result":5,"object":["y",2],"call":2,"return":3}
)";
  const Setting input{.input = text};
  const Ran ran = run({"check", "-", "-m", "register"}, input);
  EXPECT_THAT(ran.out, HasSubstr("\n    object       [\"y\",2]\n"));
  EXPECT_THAT(ran.out, HasSubstr("1 operation by itself proves it"));
  EXPECT_THAT(run({"check", "-", "-m", "register", "--json"}, input).out, HasSubstr(R"(,"object":["y",2]})"));
  EXPECT_THAT(run({"explain", "-", "-m", "register"}, input).out, HasSubstr("       object: [\"y\",2]\n"));
}

// The core of a verdict is what its engine looked at; making it smaller may take long.
TEST(Check, SaysWhoFindsASmallerCore) {
  const std::string text = R"({"process":0,"f":"write","args":[1],"call":0,"return":1}
{"process":0,"f":"read","result":1,"call":2,"return":3}
{"process":1,"f":"read","result":5,"call":4,"return":5}
)";
  const Setting input{.input = text};
  EXPECT_THAT(run({"check", "-", "-m", "register", "--engine", "wgl"}, input).out,
              HasSubstr("3 operations by themselves prove it (plumb explain looks for fewer)\n"));
  EXPECT_THAT(run({"explain", "-", "-m", "register", "--engine", "wgl"}, input).out,
              HasSubstr("1 operation of 3 proves it by itself\n"));
}

// The log of many registers, taken for one, is told from a real violation.
TEST(Check, PairsOfJepsenIndependentAreNoticed) {
  const std::string events =
      "{:process 0 :type :invoke :f :write :value [1 5]}\n{:process 0 :type :ok :f :write :value [1 5]}\n"
      "{:process 0 :type :invoke :f :write :value [2 6]}\n{:process 0 :type :ok :f :write :value [2 6]}\n"
      "{:process 1 :type :invoke :f :read :value [1 nil]}\n{:process 1 :type :ok :f :read :value [1 5]}\n";
  const Folder folder;
  const std::string file = folder.write("independent.edn", events);
  const Ran one = run({"check", file, "-m", "register"});
  EXPECT_EQ(one.status, 1);
  EXPECT_THAT(one.err, HasSubstr("independent.edn: every value is a pair"));
  const Ran many = run({"check", file, "-m", "register", "--format", "independent"});
  EXPECT_EQ(many.status, 0) << many.err;
  EXPECT_THAT(many.err, IsEmpty());
  const std::string other = folder.write(
      "plain.jsonl", operation(0, "write", "1", "null", 0, 1) + operation(0, "read", "", "2", 2, 3));
  EXPECT_THAT(run({"check", other, "-m", "register"}).err, IsEmpty());
}

TEST(Check, SeveralHistoriesInAFileAreCountedFromZeroAndNamed) {
  const auto labelled = [](const std::string& id, const std::string& last) {
    return R"({"id":")" + id + R"(","model":"queue","history":[)" +
           R"({"process":0,"f":"enqueue","args":[1],"result":null,"call":0,"return":1},)" +
           R"({"process":0,"f":"dequeue","args":[],"result":)" + last + R"(,"call":2,"return":3}]})" + "\n";
  };
  const Folder folder;
  const std::string file = folder.write("a.jsonl", labelled("first", "1") + labelled("second", "7"));
  const Ran json = run({"check", file, "--json"});
  EXPECT_EQ(json.status, 1);
  EXPECT_THAT(members(json.out, "history"), ElementsAre("0", "1"));
  EXPECT_THAT(members(json.out, "name"), ElementsAre("\"first\"", "\"second\""));
  EXPECT_THAT(members(json.out, "verdict"), ElementsAre("\"linearizable\"", "\"violation\""));
  const Ran text = run({"check", file});
  EXPECT_THAT(text.out, HasSubstr("history 1 (second)"));
  EXPECT_THAT(text.out, HasSubstr("2 histories: 1 linearizable, 1 violation, 0 unknown"));
}

TEST(Check, SpentBudgetIsUnknownAndSaysWhich) {
  const Ran ran =
      run({"check", "-", "-m", "register", "-t", "0.2", "-e", "wgl", "--json"}, {.input = hard_history()});
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(member(ran.out, "verdict"), "\"unknown\"");
  EXPECT_THAT(member(ran.out, "why"), HasSubstr("time"));
}

TEST(Check, QuietPrintsNothingButErrors) {
  const Folder folder;
  const Ran bad = run({"check", "-q", folder.write("a.jsonl", kBad), "-m", "queue"});
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.out + bad.err, IsEmpty());
  const Ran missing = run({"check", "-q", folder.path("absent.jsonl"), "-m", "queue"});
  EXPECT_EQ(missing.status, 2);
  EXPECT_THAT(missing.err, HasSubstr("absent.jsonl"));
}

TEST(Check, ColorOnlyWhenAskedForOrOnATerminal) {
  EXPECT_THAT(run({"check", "-", "-m", "queue"}, {.input = kGood}).out, Not(HasSubstr("\x1b")));
  EXPECT_THAT(run({"check", "-", "-m", "queue", "--color", "always"}, {.input = kGood}).out,
              HasSubstr("\x1b[32m"));
}

TEST(Check, EscapesInTheDataComeOutAsText) {
  const Folder folder;
  const std::string text = operation(0, "enqueue", R"("\u001b[31m\u009b")", "null", 0, 10) +
                           operation(1, "dequeue", "", R"("\u001b]0;x\u0007\u007f")", 15, 20);
  const std::string file = folder.write("\x1b[2Ja.jsonl", text);
  for (const Ran& ran : {run({"check", file, "-m", "queue", "-v"}),
                         run({"check", file, "-m", "queue", "--json"}), run({"check", file})}) {
    const std::string all = ran.out + ran.err;
    EXPECT_FALSE(all.empty());
    for (const char* control : {"\x1b", "\x07", "\x7f", "\xc2\x9b"})
      EXPECT_THAT(all, Not(HasSubstr(control)));
  }
}

TEST(Check, ManySmallFilesAreQuick) {
  const Folder folder;
  constexpr int kFiles = 300;
  for (int i = 0; i < kFiles; ++i) folder.write("h/" + std::to_string(i) + ".jsonl", kGood);
  const auto start = std::chrono::steady_clock::now();
  const Ran ran = run({"check", folder.path("h"), "-m", "queue", "--json"});
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(lines(ran.out).size(), static_cast<std::size_t>(kFiles));
  EXPECT_LT(took, std::chrono::seconds(3)) << "10 ms a file, on the slowest machine with sanitizers";
}

}  // namespace
}  // namespace plumb::test
