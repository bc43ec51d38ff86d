// The table of codecs: each format is found by how its files end and by how its text begins, and reads line
// by line what it reads whole.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "formats/codecs.hpp"
#include "formats/event_lines.hpp"
#include "history/text.hpp"
#include "support/parsing.hpp"

namespace plumb::test {
namespace {

TEST(Codecs, NoEndingBelongsToTwo) {
  std::map<std::string_view, std::string_view> owner;
  for (const Codec* codec : all_codecs()) {
    for (const std::string_view ending : codec->endings()) {
      EXPECT_TRUE(ending.starts_with('.')) << ending;
      EXPECT_TRUE(owner.emplace(ending, codec->name()).second) << ending << " of " << codec->name();
      const Codec* found = codec_by_ending("a/run" + std::string(ending) + ".zst", false);
      EXPECT_EQ(found, codec) << ending;
    }
  }
  EXPECT_EQ(codec_by_ending("run", false), nullptr);
  EXPECT_EQ(codec_by_ending("run.c", false), nullptr);
}

TEST(Codecs, TheLongestEndingDecides) {
  EXPECT_EQ(codec_by_ending("run.jsonl", true)->name(), "jsonl");
  EXPECT_EQ(codec_by_ending("run.events.jsonl.gz", true)->name(), "events");
  EXPECT_EQ(codec_by_ending("run.log", false)->name(), "jepsen-log");
  EXPECT_EQ(codec_by_ending("run.log", true), nullptr) << "it cannot be written";
}

TEST(Codecs, AreRecognisedByTheirBeginning) {
  const std::pair<std::string_view, std::string_view> cases[] = {
      {R"({"process":0,"f":"read","args":[],"result":1,"call":0,"return":1})", "jsonl"},
      {R"({"plumb":1,"model":"queue"})", "jsonl"},
      {"{\"plumb\":1}\n{\"process\":0,\"type\":\"invoke\",\"f\":\"read\"}", "events"},
      {R"([{"process":0,"type":"invoke","f":"read"}])", "events"},
      {R"({"schema":{},"events":[],"type":"x"})", "violat"},
      {"; a comment\n{:process 0}", "edn"},
      {"[{:process 0}]", "edn"},
      {"# a comment\n[1] call add(1)", "hist"},
      {"# @object atomic-queue", "hist"},
      {"INFO  jepsen.util - 2 :invoke :write 4", "jepsen-log"},
      {"{:value \"jepsen.util\"}", "edn"},
      {"0\t:invoke\t:write\t4\n0\t:ok\t:write\t4", "jepsen-log"},
      {"process,f,args,result,call,return\n", "csv"},
      {"# of today\n\"call\";\"end\";\"client\";\"operation\"\n", "csv"},
      {R"([{"ClientId":0,"Input":"read","Call":0,"Output":1,"Return":2}])", "porcupine"},
      {R"({"ClientId":0,"Kind":false,"Value":"read","Id":0})", "porcupine"},
      {R"({"resourceSpans":[]})", "otlp"},
      {R"({"ClientId":1,"Input":{"Type":"range","LeaseGrant":null,"LeaseRevoke":null,"Defragment":null},"Call":0,"Output":{},"Return":1})",
       "etcd"},
  };
  for (const auto& [text, format] : cases) {
    const Recognised found = recognise(text);
    ASSERT_NE(found.codec, nullptr) << text;
    EXPECT_EQ(found.codec->name(), format) << text;
  }
  EXPECT_EQ(recognise("rubbish").codec, nullptr);
}

// What a sink is told, in words.
class Told final : public EventSink {
 public:
  Values& values() override { return values_; }
  Status begin(const Header& header) override { return add("model " + std::string(header.model())); }
  Status end() override { return add("end"); }
  Status call(Value process, std::string_view function, std::span<const Value> args, Value object,
              Place /*place*/) override {
    std::string text = values_.to_json(process) + " calls " + std::string(function);
    for (const Value arg : args) text += " " + values_.to_json(arg);
    return add(text + (object.is_null() ? "" : " of " + values_.to_json(object)));
  }
  Status complete(Value process, HistoryBuilder::Completed /*completed*/, Place /*place*/) override {
    return add(values_.to_json(process) + " returns");
  }
  Status fail(Value process, Place /*place*/) override { return add(values_.to_json(process) + " fails"); }
  Status lose(Value process, Place /*place*/) override { return add(values_.to_json(process) + " is lost"); }
  std::optional<std::string_view> open_function(Value /*process*/) const override { return "write"; }

  std::vector<std::string> told;

 private:
  Status add(std::string text) {
    told.push_back(std::move(text));
    return Ok{};
  }
  Values values_;
};

Status read_lines(EventLines& reader, std::string text) {
  text.append(EventReader::kLineSlack, '\0');
  Lines lines(std::string_view(text).substr(0, text.size() - EventReader::kLineSlack));
  while (lines.next()) {
    if (auto status = reader.line(lines.text(), lines.number()); !status) return status;
  }
  return Ok{};
}

TEST(EventLines, AHeaderIsHeardBeforeTheFormatIsKnown) {
  for (const std::string_view format : {"auto", "independent"}) {
    Told sink;
    EventLines reader(format, sink);
    ASSERT_TRUE(read_lines(reader, "{\"plumb\":1,\"model\":\"register\"}\n").ok());
    EXPECT_THAT(sink.told, testing::ElementsAre("model register"));
    EXPECT_FALSE(reader.knows_form());
    ASSERT_TRUE(read_lines(reader, R"({"process":0,"type":"invoke","f":"write","value":["x",3]})"
                                   "\n")
                    .ok());
    EXPECT_TRUE(reader.knows_form());
    EXPECT_FALSE(reader.is_whole());
    EXPECT_THAT(sink.told.back(),
                format == "auto" ? R"(0 calls write ["x",3])" : R"(0 calls write 3 of "x")");
  }
}

TEST(EventLines, WholeOperationsAreKnownAndNotRead) {
  Told sink;
  EventLines reader("auto", sink);
  ASSERT_TRUE(
      read_lines(reader, R"({"process":0,"f":"read","args":[],"result":1,"call":0,"return":1})").ok());
  EXPECT_TRUE(reader.is_whole());
  EXPECT_EQ(reader.format(), "jsonl");
  EXPECT_TRUE(sink.told.empty());
}

TEST(EventLines, SomethingLikeAnEventIsNotTakenForAnOperation) {
  Told sink;
  EventLines reader("auto", sink);
  const Status status = read_lines(reader, "\n{\"process\":0,\"f\":\"read\"}\n");
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().text(), "2:1: expected an event with process, type, f and value");
}

}  // namespace
}  // namespace plumb::test
