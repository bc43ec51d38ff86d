// Quasi linearizability: the paper's examples, the recorded histories, long ones, and what is
// wrong with a relaxation.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <plumb/certificate.hpp>
#include <plumb/check.hpp>
#include <plumb/explain.hpp>
#include <plumb/files.hpp>
#include <plumb/generate.hpp>

#include "paths.hpp"
#include "support/quasi_oracle.hpp"
#include "support/quasi_random.hpp"
#include "support/scale.hpp"
#include "support/script.hpp"

namespace plumb::test {
namespace {

Verdict relaxed(const History& history, std::string_view model, std::vector<Relaxation> relax) {
  CheckOptions with = options(Engine::kAuto);
  with.relax = std::move(relax);
  return check(history, *find_model(model).value(), with).value();
}

bool accepts(const Script& script, std::string_view model, std::vector<Relaxation> relax) {
  return relaxed(script.build(), model, std::move(relax)).outcome == Outcome::kHolds;
}

// One operation after the other.
Script sequential(std::initializer_list<std::string_view> operations) {
  Script script;
  Time now = 0;
  for (const std::string_view f : operations) {
    script.add(0, f, now, now + 1);
    if (!script.operations.back().result) script.operations.back().result = kNull;
    now += 2;
  }
  return script;
}

// Figure 3: a queue of segments of two cells gives 1 2 4 3 and 2 1 3 4, each one step out of order.
TEST(Relaxed, Figure3) {
  for (const auto& [order, smallest] : std::map<std::string, std::uint32_t>{
           {"1234", 0}, {"1243", 1}, {"2134", 1}, {"2143", 1}, {"2341", 3}, {"3214", 2}}) {
    Script script = sequential({"enqueue(1)", "enqueue(2)", "enqueue(3)", "enqueue(4)"});
    Time now = 8;
    for (const char c : order) {
      script.add(0, std::string("dequeue():") + c, now, now + 1);
      now += 2;
    }
    const Verdict verdict = relaxed(script.build(), "queue", {{"dequeue", std::nullopt}});
    ASSERT_EQ(verdict.outcome, Outcome::kHolds) << order;
    EXPECT_EQ(verdict.relax.at(0).k, smallest) << order;
  }
}

TEST(Relaxed, WhatIsNeverTakenIsNotOvertaken) {
  const Script script = sequential({"enqueue(1)", "enqueue(2)", "dequeue():2"});
  EXPECT_FALSE(accepts(script, "queue", {{"dequeue", 16}}));
  EXPECT_FALSE(accepts(script, "queue", {{"dequeue", std::nullopt}}));
  EXPECT_TRUE(accepts(script, "queue", {{"enqueue", 1}}));
  EXPECT_TRUE(accepts(script, "k-queue:1", {{"dequeue", 0}}));
}

TEST(Relaxed, OperationsOfOtherKeysTakePlaces) {
  const Script far =
      sequential({"contains(1):true", "contains(2):false", "contains(3):false", "add(1):true"});
  EXPECT_FALSE(accepts(far, "set", {{"contains", 16}}));
  const Script near = sequential(
      {"add(1):true", "contains(1):false", "contains(2):false", "remove(1):true", "contains(1):true"});
  EXPECT_FALSE(accepts(near, "set", {{"contains", 1}}));
  EXPECT_TRUE(accepts(near, "set", {{"contains", 2}}));
}

TEST(Relaxed, ObjectsAreJudgedOneByOne) {
  Script script = sequential(
      {"a.enqueue(1)", "a.enqueue(2)", "b.enqueue(1)", "a.dequeue():2", "b.dequeue():1", "a.dequeue():1"});
  EXPECT_TRUE(accepts(script, "queue", {{"deq", 1}}));
  EXPECT_FALSE(accepts(script, "queue", {{"deq", 0}}));
}

TEST(Relaxed, SeveralSmallest) {
  const Script script = sequential({"enqueue(1)", "enqueue(2)", "dequeue():2", "dequeue():1"});
  const auto smallest = [&](std::vector<Relaxation> relax) {
    return to_string(relaxed(script.build(), "queue", std::move(relax)).relax);
  };
  EXPECT_EQ(smallest({{"dequeue"}, {"enqueue"}}), "dequeue=0, enqueue=1");
  EXPECT_EQ(smallest({{"enqueue"}, {"dequeue"}}), "enqueue=0, dequeue=1");
  EXPECT_EQ(smallest({{"enqueue", 3}, {"dequeue"}}), "enqueue=3, dequeue=0");
}

TEST(Relaxed, WrongClasses) {
  const History history = sequential({"enqueue(1)"}).build();
  CheckOptions with;
  with.relax = {{"dequeu", 1}};
  const auto unknown = check(history, *find_model("queue").value(), with);
  ASSERT_FALSE(unknown);
  EXPECT_EQ(
      unknown.error().message,
      "relax: a queue has no operation 'dequeu' (did you mean 'dequeue'?); 'plumb models queue' lists them");
  with.relax = {{"deq", 1}, {"pop", 2}};
  const auto twice = check(history, *find_model("queue").value(), with);
  ASSERT_FALSE(twice);
  EXPECT_EQ(twice.error().message, "relax: 'dequeue' is named twice");
}

// Long ones: linear in the length, accepted with K and, mostly, not with less.
TEST(Relaxed, SegmentedQueues) {
  for (const std::size_t processes : {1, 4}) {
    const auto generated = generate({.model = "k-queue:4", .operations = 2000, .processes = processes});
    ASSERT_TRUE(generated);
    const Verdict yes = relaxed(generated->history, "queue", {{"dequeue", 4}});
    ASSERT_EQ(yes.outcome, Outcome::kHolds);
    expect_close_orders(generated->history, *find_model("queue").value(), yes);
    EXPECT_LT(yes.configurations, 40'000U);
    EXPECT_EQ(relaxed(generated->history, "queue", {{"dequeue", 3}}).outcome, Outcome::kViolation);
  }
}

TEST(Relaxed, WhatIsGeneratedFitsTheModelToo) {
  for (const char* model : {"k-queue:2", "k-stack:2", "k-priority-queue:2"}) {
    const auto generated = generate({.model = model, .operations = 60, .processes = 3});
    EXPECT_EQ(check(generated->history, *find_model(model).value(), {}).value().outcome, Outcome::kHolds);
  }
}

TEST(Relaxed, BudgetsMakeUnknown) {
  const auto generated = generate({.model = "k-queue:4", .operations = 20'000});
  CheckOptions with = options(Engine::kAuto);
  with.relax = {{"dequeue", std::nullopt}};
  with.timeout = std::chrono::duration<double>(0);
  const Verdict verdict = check(generated->history, *find_model("queue").value(), with).value();
  EXPECT_EQ(verdict.outcome, Outcome::kUnknown);
  EXPECT_NE(verdict.why, "");
}

// Certificates of both verdicts are accepted for their history and for no other.
TEST(Relaxed, CertificatesAreVerified) {
  std::size_t proved = 0;
  const Model& model = *find_model("queue").value();
  for (std::uint64_t seed = 0; seed < scaled(2'000); ++seed) {
    const QuasiShape shape{.operations = 4 + seed % 5, .crash = seed % 3 == 0 ? 0.1 : 0.0};
    const History history = QuasiHistory(shape, seed).make().build();
    const Verdict verdict = relaxed(history, "queue", {{"dequeue", static_cast<std::uint32_t>(seed % 3)}});
    const Certificate certificate = certify(history, model, verdict).value();
    const auto read = parse_certificates(format_certificate(certificate)).value();
    const Verification verification = verify(history, model, read.at(0)).value();
    ASSERT_TRUE(verification.proved) << verification.reason << "\n" << format_certificate(certificate);
    proved += certificate.relax.empty() ? 0 : 1;
    if (certificate.relax.empty()) continue;
    Certificate other = certificate;
    other.outcome = verdict.outcome == Outcome::kViolation ? Outcome::kHolds : Outcome::kViolation;
    EXPECT_FALSE(verify(history, model, other).value().proved);
    if (verdict.outcome != Outcome::kHolds) continue;
    Certificate tighter = certificate;
    tighter.relax[0].k = 0;
    EXPECT_FALSE(verify(history, model, tighter).value().proved);
    Certificate shorter = certificate;
    shorter.legal.pop_back();
    EXPECT_FALSE(verify(history, model, shorter).value().proved);
    Certificate illegal = certificate;
    illegal.legal = certificate.order;
    EXPECT_FALSE(verify(history, model, illegal).value().proved);
  }
  EXPECT_GT(proved, scaled(2'000) / 10);
}

// The recorded queues of Scal: K = 0 exactly where they are linearizable.
TEST(Relaxed, RecordedQueues) {
  const std::filesystem::path shared = PLUMB_SHARED_HISTORIES;
  std::ifstream expected(shared / "expected.tsv");
  if (!expected) GTEST_SKIP() << "no recorded histories here";
  std::size_t count = 0;
  for (std::string line; std::getline(expected, line);) {
    std::istringstream words(line);
    std::string file, format, model, verdict;
    words >> file >> format >> model >> verdict;
    if (!file.starts_with("limo/scal-") || file.starts_with("limo/scal-msq-big")) continue;
    const auto histories = read_histories((shared / file).string(), format).value();
    const Verdict found =
        relaxed(histories.at(0), model, {{model == "stack" ? "pop" : "dequeue", std::nullopt}});
    ASSERT_NE(found.outcome, Outcome::kUnknown) << file;
    EXPECT_EQ(!found.relax.empty() && found.relax[0].k == 0U, verdict == "yes") << file;
    ++count;
  }
  EXPECT_GT(count, 400U);
}

}  // namespace
}  // namespace plumb::test
