// Cores: small ones from large histories, and what an explanation says beside them.
#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plumb/explain.hpp>
#include <plumb/files.hpp>
#include <plumb/generate.hpp>

#include "explain/minimise.hpp"
#include "paths.hpp"
#include "support/oracle.hpp"
#include "support/scale.hpp"
#include "support/violation.hpp"

namespace plumb {
namespace {

using ::testing::ElementsAre;

Explanation explained(const History& history, const Model& model) {
  const auto verdict = check(history, model, test::options(Engine::kAuto));
  EXPECT_EQ(verdict->outcome, Outcome::kViolation);
  return explain(history, model, *verdict).value();
}

TEST(Minimise, FindsWhatIsNeeded) {
  std::vector<int> units(1000);
  for (int i = 0; i < 1000; ++i) units[static_cast<std::size_t>(i)] = i;
  std::size_t asked = 0;
  const auto needs = [&](const std::vector<int>& some) {
    ++asked;
    return std::ranges::count(some, 17) == 1 && std::ranges::count(some, 801) == 1;
  };
  EXPECT_THAT(minimise(units, needs, [] { return false; }), ElementsAre(17, 801));
  EXPECT_LT(asked, 200U);
  EXPECT_EQ(minimise(units, needs, [] { return true; }), units);
  // 3 and 4 only together.
  const auto pairs = [](const std::vector<int>& some) {
    return std::ranges::count(some, 3) == std::ranges::count(some, 4) && std::ranges::count(some, 1) == 1;
  };
  EXPECT_THAT(minimise_by_pairs(std::vector<int>{1, 3, 4}, pairs, [] { return false; }), ElementsAre(1));
}

// A hundred thousand operations come down to a handful.
TEST(Core, OfALargeHistoryIsAHandful) {
  for (const char* name : {"queue", "stack", "priority-queue", "register", "set", "map", "mutex"}) {
    const Model& model = *find_model(name).value();
    const GenerateOptions options{.model = name, .operations = test::scaled(100'000), .spoil = true};
    const auto generated = generate(options);
    const Explanation explanation = explained(generated->history, model);
    EXPECT_LE(explanation.core.size(), 12U) << name;
    EXPECT_TRUE(explanation.minimal) << name;
    EXPECT_FALSE(
        test::is_linearizable(test::restrict_to(generated->history, explanation.core).build(), model))
        << name;
    std::size_t dropped = 0;
    for (const Reduction& reduction : explanation.dropped) dropped += reduction.operations;
    EXPECT_EQ(dropped + explanation.core.size(), generated->history.size()) << name;
  }
}

// Who wrote the old value and who overwrote it belong to the story.
TEST(Core, KeepsWhatMadeTheResultPossibleOnce) {
  const History history =
      test::draw("|-write(1)-| |-write(2)-| |-write(3)-| |-read:3-| |-write(4)-| |-read:2-|").build();
  const Explanation explanation = explained(history, *find_model("register").value());
  EXPECT_EQ(explanation.impossible, 5U);
  EXPECT_THAT(explanation.core, ElementsAre(1, 2, 5));
}

TEST(Explanation, WalksThroughWhatCameBefore) {
  const History history = test::draw("|-enqueue(1)-| |-enqueue(2)-| |-dequeue:2-|").build();
  const Explanation explanation = explained(history, *find_model("queue").value());
  ASSERT_EQ(explanation.prefix.size(), 2U);
  EXPECT_EQ(explanation.prefix[1].operation, 1U);
  EXPECT_EQ(explanation.prefix[1].state, "[1, 2]");
  EXPECT_THAT(explanation.allowed, ElementsAre("1"));
  EXPECT_TRUE(explanation.allowed_complete);
}

TEST(Walk, TellsTheStatesOfAPage) {
  const History history = test::draw("|-write(1)-| |-write(2)-| |-write(3)-| |-write(4)-|").build();
  const auto page =
      walk(history, *find_model("register").value(), std::vector<OperationId>{0, 1, 2, 3}, 1, 2);
  ASSERT_EQ(page.size(), 2U);
  EXPECT_EQ(page[0].operation, 1U);
  EXPECT_EQ(page[0].state, "2");
  EXPECT_EQ(page[1].state, "3");
}

// More reads are open at once than can be swept: they go by the rule for what leaves the state alone, and
// those are left that changed it. It is a proof all the same.
TEST(Core, WhereTooMuchIsOpenReadsGo) {
  std::string text = R"({"process":0,"f":"add","args":[2],"result":null,"call":0,"return":1})";
  for (int i = 1; i <= 70; ++i)
    text += fmt::format("\n{{\"process\":{0},\"f\":\"read\",\"result\":2,\"call\":{1},\"return\":{2}}}", i,
                        10 + i, 100 + i);
  text +=
      "\n"
      R"({"process":0,"f":"read","result":3,"call":300,"return":301})";
  const History history = std::move(parse_histories(text)->front());
  const Model& model = *find_model("counter").value();
  const Explanation explanation = explained(history, model);
  EXPECT_THAT(explanation.core, ElementsAre(0, 71));
  EXPECT_FALSE(explanation.minimal);
  const auto certificate = certify(history, model, *check(history, model, test::options(Engine::kAuto)));
  const auto verification = verify(history, model, *certificate);
  EXPECT_TRUE(verification->proved) << verification->reason;
}

// A spent budget leaves a larger core, never a wrong one.
TEST(Core, OfABudgetThatIsSpentIsStillAViolation) {
  const auto generated = generate({.model = "register", .operations = 300, .spoil = true});
  const Model& model = *find_model("register").value();
  const auto verdict = check(generated->history, model, test::options(Engine::kAuto));
  CheckOptions hasty;
  hasty.timeout = std::chrono::duration<double>(0);
  const auto explanation = explain(generated->history, model, *verdict, hasty);
  EXPECT_FALSE(explanation->minimal);
  const History core = test::restrict_to(generated->history, explanation->core).build();
  EXPECT_EQ(check(core, model, test::options(Engine::kWgl))->outcome, Outcome::kViolation);
}

// Certificates of all recordings of a folder are proofs; cores have at most a dozen operations, or the
// appends that a string is made of.
void expect_proofs(const std::string& folder) {
  std::ifstream table(folder + "/expected.tsv");
  if (!table) GTEST_SKIP() << folder << " is not here";
  std::string line;
  std::getline(table, line);  // the names of the columns
  while (std::getline(table, line)) {
    std::istringstream columns(line);
    std::string file, format, name;
    columns >> file >> format >> name;
    const auto histories = read_histories(fmt::format("{}/{}", folder, file), format);
    if (!histories) continue;  // one of them was cut off when it was copied
    const History& history = histories->front();
    const Model& model = *find_model(name).value();
    const auto verdict = check(history, model, test::options(Engine::kAuto));
    const auto certificate = certify(history, model, *verdict);
    const auto verification = verify(history, model, *certificate);
    EXPECT_TRUE(verification->proved) << file << ": " << verification->reason;
    EXPECT_LE(certificate->core.size(), name == "kv-append" ? 14U : 12U) << file;
    if (verdict->outcome == Outcome::kViolation) {
      EXPECT_TRUE(explain(history, model, *verdict)->minimal) << file;
    }
  }
}

TEST(Recorded, OursAreProved) { expect_proofs(PLUMB_TEST_DATA "/check"); }
TEST(Recorded, SharedOnesAreProved) { expect_proofs(PLUMB_SHARED_HISTORIES); }

}  // namespace
}  // namespace plumb
