// plumb convert, generate and models, run for real.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <simdjson.h>

#include "cli/command.hpp"

#include <plumb/model.hpp>

namespace plumb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string kText = "{\"plumb\":1,\"model\":\"queue\"}\n" +
                          operation(0, "enqueue", "1", "null", 0, 10) +
                          operation(1, "dequeue", "", "1", 5, 20) +
                          "{\"process\":2,\"f\":\"dequeue\",\"args\":[],\"call\":7,\"return\":null}\n";

// Through every format that can be written and back: the verdict and the counts stay.
TEST(Convert, ThereAndBackAgain) {
  const Folder folder;
  const std::string source = folder.write("a.jsonl", kText);
  for (const char* name :
       {"a.events.jsonl", "a.edn", "a.hist", "a.jsonl.gz", "a.edn.zst", "a.plumb", "a.plumb.zst"}) {
    const std::string there = folder.path(name);
    const std::string format = std::string(name).find("events") != std::string::npos ? "events" : "auto";
    const Ran out = run({"convert", source, there, "--to", format});
    ASSERT_EQ(out.status, 0) << name << ": " << out.err;
    EXPECT_THAT(out.out + out.err, IsEmpty());
    const Ran checked = run({"check", there, "--model", "queue", "--json"});
    EXPECT_EQ(checked.status, 0) << name << ": " << checked.err;
    EXPECT_THAT(checked.out, HasSubstr("\"operations\":3,\"pending\":1,\"processes\":3")) << name;
  }
}

TEST(Convert, BinaryIsFoundInFoldersAndNamesOperations) {
  const Folder folder;
  const std::string file = folder.path("a.plumb");
  ASSERT_EQ(run({"generate", "-n", "100", "--spoil", "-o", file}).status, 0);
  const Ran checked = run({"check", folder.path(""), "--model", "queue"});
  EXPECT_EQ(checked.status, 1) << checked.err;
  EXPECT_THAT(checked.out, HasSubstr("operation "));
  const Ran wrong = run({"check", file, "--model", "map"});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("a.plumb: operation 0: the model 'map' has no operation"));
}

TEST(Convert, Pipes) {
  const Ran edn = run({"convert", "-", "-", "--from", "jsonl", "--to", "edn"}, {.input = kText});
  ASSERT_EQ(edn.status, 0) << edn.err;
  EXPECT_THAT(edn.out, HasSubstr(":invoke"));
  const Ran back = run({"convert", "-", "-", "--to", "jsonl"}, {.input = edn.out});
  EXPECT_THAT(back.out, HasSubstr("\"f\":\"enqueue\""));
}

TEST(Convert, ErrorsNameThePlaceAndLeaveNothingBehind) {
  const Folder folder;
  const std::string bad = folder.write("a.jsonl", kText + "{\"process\":\n");
  const std::string out = folder.path("out.edn");
  const Ran ran = run({"convert", bad, out});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("a.jsonl:5:"));
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_EQ(run({"convert", folder.write("b.jsonl", kText), folder.path("no/such/folder.edn")}).status, 2);
  EXPECT_EQ(run({"convert", folder.write("b.jsonl", kText), "-", "--to", "edn"}, {.out = "/dev/full"}).status,
            2);
}

// Every model: linearizable as it is, a violation when spoiled, the same for the same seed.
TEST(Generate, EveryModelBothWays) {
  for (const Model* model : built_in_models()) {
    const std::string name(model->name());
    const std::vector<std::string> base = {"generate", "--model", name, "-n", "60", "-p", "3", "--seed", "5"};
    const Ran good = run(base);
    ASSERT_EQ(good.status, 0) << name << ": " << good.err;
    EXPECT_EQ(good.out, run(base).out) << name;
    EXPECT_EQ(run({"check", "-", "-m", name}, {.input = good.out}).status, 0) << name;
    auto spoiled = base;
    spoiled.emplace_back("--spoil");
    EXPECT_EQ(run({"check", "-", "-m", name}, {.input = run(spoiled).out}).status, 1) << name;
  }
}

TEST(Generate, IntoFilesOfAnyFormat) {
  const Folder folder;
  for (const char* name : {"a.jsonl", "a.edn", "a.jsonl.zst"}) {
    const std::string file = folder.path(name);
    ASSERT_EQ(
        run({"generate", "-m", "register", "-n", "50", "--overlap", "1", "--pending", "0.05", "-o", file})
            .status,
        0);
    EXPECT_EQ(run({"check", file, "-m", "register"}).status, 0) << name;
  }
  EXPECT_EQ(run({"generate", "-o", folder.path("no/such.jsonl")}).status, 2);
}

TEST(Models, ListsEveryOneWithItsOperations) {
  const Ran text = run({"models"});
  EXPECT_EQ(text.status, 0);
  std::size_t count = 0;
  const Ran json = run({"models", "--json"});
  simdjson::dom::parser parser;
  const simdjson::padded_string padded(json.out);
  simdjson::dom::document_stream stream;
  ASSERT_EQ(parser.parse_many(padded).get(stream), simdjson::SUCCESS);
  for (auto document : stream) {
    const Model& model = *built_in_models()[count++];
    EXPECT_EQ(document["model"].get_string().value(), model.name());
    EXPECT_EQ(document["operations"].get_array().value().size(), model.operations().size());
    EXPECT_THAT(text.out, HasSubstr(std::string(model.summary())));
    for (const auto& operation : model.operations()) EXPECT_THAT(text.out, HasSubstr(operation.name + "("));
  }
  EXPECT_EQ(count, built_in_models().size());
}

TEST(Models, OneByName) {
  const Ran ran = run({"models", "queue"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out, HasSubstr("dequeue() → value  / deq / pop / remove"));
  EXPECT_EQ(ran.out.find("stack"), std::string::npos);
}

}  // namespace
}  // namespace plumb::test
