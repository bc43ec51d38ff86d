// The models java:… against what the real classes did: recordings of sequential runs (ours), and the labelled
// histories of java.util.concurrent where the shared folder is present.
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <simdjson.h>

#include <plumb/check.hpp>
#include <plumb/files.hpp>

#include "paths.hpp"
#include "support/gunzip.hpp"
#include "support/oracle.hpp"
#include "support/script.hpp"

namespace plumb {
namespace {

const std::string kRecorded = PLUMB_TEST_DATA "/java/sequential.jsonl.gz";

const Model& model_of(const History& history) { return *find_model(history.model()).value(); }

TEST(JavaModels, AllowWhatTheClassesDid) {
  const auto histories = read_histories(kRecorded);
  ASSERT_TRUE(histories.ok()) << histories.error().text();
  EXPECT_EQ(histories->size(), 168U);
  for (std::size_t i = 0; i < histories->size(); ++i) {
    const History& history = (*histories)[i];
    const auto verdict = check(history, model_of(history), test::options(Engine::kWgl));
    ASSERT_TRUE(verdict.ok()) << verdict.error().text();
    EXPECT_EQ(verdict->outcome, Outcome::kHolds)
        << "line " << i + 1 << ": " << (verdict->violation ? verdict->violation->reason : verdict->why);
  }
}

// Every method of every class is among them, so that none is only believed to be right.
TEST(JavaModels, EveryMethodWasRecorded) {
  const auto histories = read_histories(kRecorded);
  ASSERT_TRUE(histories.ok());
  for (const Model* model : built_in_models()) {
    if (!model->name().starts_with("java:")) continue;
    for (const OperationSpec& operation : model->operations()) {
      const bool recorded = std::ranges::any_of(*histories, [&](const History& history) {
        return history.model() == model->name() &&
               std::ranges::find(history.functions(), operation.name) != history.functions().end();
      });
      EXPECT_TRUE(recorded) << model->name() << " " << operation.name;
    }
  }
}

// One thread: another result than the recorded one is a violation, at that operation.
TEST(JavaModels, AllowNothingElse) {
  const auto histories = read_histories(kRecorded);
  ASSERT_TRUE(histories.ok());
  for (const History& history : *histories) {
    for (OperationId spoiled = 0; spoiled < history.size(); spoiled += 3) {
      test::Script script = test::Script::of(history);
      auto& result = script.operations[spoiled].result;
      result = result == kFalse ? kTrue : kFalse;
      const History changed = script.build();
      const auto verdict = check(changed, model_of(history), test::options(Engine::kWgl));
      ASSERT_TRUE(verdict.ok() && verdict->outcome == Outcome::kViolation) << history.describe(spoiled);
      EXPECT_EQ(verdict->violation->stuck, spoiled);
    }
  }
}

// Hand-written histories may have the text that Java prints.
TEST(JavaModels, ATextMeansTheValueItReadsLike) {
  const auto histories = parse_histories(
      R"({"plumb":1,"model":"java:ArrayBlockingQueue","initial":[1]}
{"process":0,"f":"offer","args":[7],"result":"true","call":0,"return":1}
{"process":0,"f":"offer","args":[8],"result":"false","call":2,"return":3}
{"process":0,"f":"poll","args":[],"result":"7","call":4,"return":5}
{"process":0,"f":"poll","args":[],"result":"null","call":6,"return":7}
{"process":0,"f":"take","args":[],"call":8,"return":null}
)",
      "jsonl");
  ASSERT_TRUE(histories.ok()) << histories.error().text();
  const History& history = histories->front();
  EXPECT_EQ(check(history, model_of(history))->outcome, Outcome::kHolds);
}

TEST(JavaModels, SayWhatTheyCannotTake) {
  const auto error_of = [](const std::string& initial, const std::string& f, const std::string& args) {
    const std::string text = R"({"plumb":1,"initial":)" + initial + "}\n" + R"({"process":0,"f":")" + f +
                             R"(","args":)" + args + R"(,"result":null,"call":0,"return":1})" + "\n";
    const auto histories = parse_histories(text, "jsonl");
    const auto verdict = check(histories->front(), *find_model("java:ArrayBlockingQueue").value());
    return verdict ? std::string("none") : verdict.error().text();
  };
  EXPECT_NE(error_of("null", "poll", "[]").find("no capacity"), std::string::npos);
  EXPECT_NE(error_of("[0]", "poll", "[]").find("at least 1"), std::string::npos);
  EXPECT_NE(error_of("[2]", "addAll", "[1]").find("expected an array"), std::string::npos);
  EXPECT_NE(error_of("[2]", "add", "[\"null\"]").find("strings other than"), std::string::npos);
  EXPECT_NE(error_of("[2]", "addFirst", "[1]").find("addFirst"), std::string::npos);
  EXPECT_EQ(error_of("[2, false, [1, 2]]", "poll", "[]"), "none");
  EXPECT_NE(error_of("[2, false, [1, 2, 3]]", "poll", "[]").find("cannot be what is inside"),
            std::string::npos);
}

class JavaLabels : public ::testing::TestWithParam<std::string> {};

// The label stands beside the events, where the codec does not look.
std::vector<bool> labels_in(const std::string& path) {
  std::vector<bool> labels;
  simdjson::dom::parser parser;
  simdjson::dom::document_stream documents;
  const simdjson::padded_string text(test::gunzip(path));
  EXPECT_EQ(parser.parse_many(text).get(documents), simdjson::SUCCESS);
  for (auto document : documents) labels.push_back(bool(document["linearizable"]));
  return labels;
}

TEST_P(JavaLabels, EveryVerdictIsRight) {
  const std::string path = std::string(PLUMB_SHARED_HISTORIES) + "/juc/" + GetParam() + ".jsonl.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no file " << path;
  const auto labels = labels_in(path);
  const auto histories = read_histories(path);
  ASSERT_TRUE(histories.ok()) << histories.error().text();
  ASSERT_EQ(histories->size(), labels.size());
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const History& history = (*histories)[i];
    EXPECT_EQ(history.model(), "java:" + GetParam());
    for (const Engine engine : {Engine::kAuto, Engine::kWgl, Engine::kHitting}) {
      const auto verdict = check(history, model_of(history), test::options(engine));
      ASSERT_TRUE(verdict.ok()) << verdict.error().text();
      EXPECT_EQ(verdict->outcome, labels[i] ? Outcome::kHolds : Outcome::kViolation)
          << GetParam() << " " << i << ", " << to_string(verdict->engines);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Classes, JavaLabels,
                         ::testing::Values("ArrayBlockingQueue", "ConcurrentHashMap", "ConcurrentLinkedDeque",
                                           "ConcurrentLinkedQueue", "ConcurrentSkipListMap",
                                           "ConcurrentSkipListSet", "LinkedBlockingDeque",
                                           "LinkedBlockingQueue", "LinkedTransferQueue",
                                           "PriorityBlockingQueue"),
                         [](const auto& tested) { return tested.param; });

}  // namespace
}  // namespace plumb
