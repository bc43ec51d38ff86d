// Recorded histories with known verdicts: ours always, the shared ones where their folder is present.
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <simdjson.h>

#include <plumb/check.hpp>
#include <plumb/files.hpp>

#include "paths.hpp"
#include "support/agree.hpp"
#include "support/gunzip.hpp"

namespace plumb {
namespace {

using test::options;

struct Expected {
  std::string file;
  std::string format;
  std::string model;
  bool linearizable = false;
};

// The table in a folder; empty where there is none.
std::vector<Expected> expected_in(const std::string& folder) {
  std::vector<Expected> all;
  std::ifstream table(folder + "/expected.tsv");
  std::string line;
  std::getline(table, line);  // the names of the columns
  while (std::getline(table, line)) {
    std::istringstream columns(line);
    Expected e;
    std::string verdict;
    columns >> e.file >> e.format >> e.model >> verdict;
    e.linearizable = verdict == "yes";
    all.push_back(std::move(e));
  }
  return all;
}

Outcome outcome_of(bool linearizable) { return linearizable ? Outcome::kHolds : Outcome::kViolation; }

// knossos/mutex/bad/etcd.edn was cut off when it was copied into the shared folder: 78,336 of 85,773 bytes.
// That is an input error, whatever the label says.
bool is_cut_off(const std::string& folder, const Expected& e) {
  constexpr std::uintmax_t kWhole = 85'773;
  return e.file == "knossos/mutex/bad/etcd.edn" && std::filesystem::file_size(folder + "/" + e.file) < kWhole;
}

void expect_verdict(const std::string& folder, const Expected& e) {
  SCOPED_TRACE(e.file + " as " + e.format + ", " + e.model);
  const auto histories = read_histories(folder + "/" + e.file, e.format);
  if (is_cut_off(folder, e)) {
    EXPECT_FALSE(histories.ok());
    return;
  }
  ASSERT_TRUE(histories.ok()) << histories.error().text();
  ASSERT_EQ(histories->size(), 1U);
  const History& history = histories->front();
  const Model& model = *find_model(e.model).value();
  CheckOptions patient = options(Engine::kWgl);
  patient.timeout = std::chrono::minutes(2);
  patient.memory = std::size_t{4} << 30U;
  const auto verdict = check(history, model, patient);
  ASSERT_TRUE(verdict.ok()) << verdict.error().text();
  EXPECT_EQ(to_string(verdict->outcome), to_string(outcome_of(e.linearizable))) << verdict->why;
  if (verdict->outcome == Outcome::kHolds) {
    EXPECT_TRUE(test::is_witness(history, model, verdict->linearization));
  } else if (verdict->violation) {
    EXPECT_TRUE(test::ViolationChecker(history, model, *verdict->violation).prefix_is_right());
  }
}

TEST(Recorded, OurOwn) {
  const std::string folder = PLUMB_TEST_DATA "/check";
  const auto all = expected_in(folder);
  ASSERT_EQ(all.size(), 7U);
  for (const Expected& e : all) {
    expect_verdict(folder, e);
    const auto histories = read_histories(folder + "/" + e.file);
    ASSERT_TRUE(histories.ok());
    EXPECT_EQ(histories->front().model(), e.model) << "the header names the model";
    EXPECT_TRUE(test::agree(histories->front(), *find_model(e.model).value())) << e.file;
  }
}

class RecordedShared : public ::testing::TestWithParam<const char*> {};  // by format

TEST_P(RecordedShared, EveryVerdictIsRight) {
  const std::string folder = PLUMB_SHARED_HISTORIES;
  const auto all = expected_in(folder);
  if (all.empty()) GTEST_SKIP() << "no recorded histories in " << folder;
  std::size_t checked = 0;
  for (const Expected& e : all) {
    if (e.format != GetParam()) continue;
    expect_verdict(folder, e);
    ++checked;
  }
  EXPECT_GT(checked, 0U) << "the table has no line of this format";
}

TEST(RecordedShared, NoFormatIsLeftOut) {
  for (const Expected& e : expected_in(PLUMB_SHARED_HISTORIES)) {
    EXPECT_TRUE(e.format == "edn" || e.format == "hist" || e.format == "jepsen-log" || e.format == "violat")
        << e.format;
  }
}

INSTANTIATE_TEST_SUITE_P(Format, RecordedShared, ::testing::Values("edn", "hist", "jepsen-log"),
                         [](const ::testing::TestParamInfo<const char*>& tested) {
                           const std::string name = tested.param;
                           return name.substr(0, name.find('-'));
                         });

// The labels by id, which the codec does not give.
std::map<std::string, bool> labels_of(const std::string& text) {
  std::map<std::string, bool> labels;
  simdjson::dom::parser parser;
  std::istringstream lines(text);
  std::string line;
  while (std::getline(lines, line)) {
    const simdjson::dom::element document = parser.parse(line);
    labels[std::string(std::string_view(document["id"]))] = bool(document["linearizable"]);
  }
  return labels;
}

TEST(RecordedShared, SmallHistoriesWithLabels) {
  const std::string path = std::string(PLUMB_SHARED_HISTORIES) + "/small.jsonl.gz";
  if (!std::filesystem::exists(path)) GTEST_SKIP() << "no file " << path;
  const auto labels = labels_of(test::gunzip(path));
  EXPECT_EQ(labels.size(), 1200U);
  const auto histories = read_histories(path);
  ASSERT_TRUE(histories.ok()) << histories.error().text();
  ASSERT_EQ(histories->size(), labels.size());
  for (const History& history : *histories) {
    const auto model = find_model(history.model());
    ASSERT_TRUE(model.ok()) << model.error().text();
    const auto label = labels.find(history.name());
    ASSERT_NE(label, labels.end()) << history.name();
    for (const Engine engine : {Engine::kWgl, Engine::kBrute}) {
      const auto verdict = check(history, **model, options(engine));
      ASSERT_TRUE(verdict.ok()) << verdict.error().text();
      EXPECT_EQ(to_string(verdict->outcome), to_string(outcome_of(label->second)))
          << history.name() << ", " << to_string(verdict->engines);
      if (engine == Engine::kWgl) {
        EXPECT_TRUE(test::verdict_holds(history, **model, *verdict)) << history.name();
      }
    }
  }
}

}  // namespace
}  // namespace plumb
