// Certificates of every kind of history prove their verdict; changed ones, and those of other histories, prove nothing; what
// is no certificate is an error, never a crash.
#include <algorithm>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <plumb/explain.hpp>
#include <plumb/generate.hpp>

#include "base/rng.hpp"
#include "support/model_name.hpp"
#include "support/oracle.hpp"
#include "support/own_classes.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"
#include "support/violation.hpp"

namespace plumb {
namespace {

using ::testing::HasSubstr;

Certificate certificate_of(const History& history, const Model& model) {
  const auto verdict = check(history, model, test::options(Engine::kAuto));
  const auto certificate = certify(history, model, verdict.value());
  const auto back = parse_certificates(format_certificate(certificate.value()));
  EXPECT_TRUE(back) << back.error().text();
  return back.value().front();
}

::testing::AssertionResult proves(const History& history, const Model& model,
                                  const Certificate& certificate) {
  const auto verification = verify(history, model, certificate);
  if (!verification) return ::testing::AssertionFailure() << verification.error().text();
  if (verification->proved) return ::testing::AssertionSuccess();
  return ::testing::AssertionFailure() << verification->reason << "\n" << test::Script::of(history).text();
}

// By the rules of the family that it claims, and by the class itself.
TEST(OwnClassCertificates, AreProofs) {
  std::size_t by_values = 0;
  for (const test::OwnClass& own : test::own_classes()) {
    for (std::uint64_t seed = 1; seed <= test::scaled(200); ++seed) {
      const test::RandomShape shape{
          .processes = 3, .operations = 4 + seed % 6, .objects = 1 + seed % 2, .crash = 0.05};
      const History history = test::RandomHistory(*own.model, shape, seed).make().build();
      const Certificate certificate = certificate_of(history, *own.model);
      ASSERT_EQ(certificate.model, own.model->name());
      ASSERT_TRUE(proves(history, *own.model, certificate)) << own.model->name() << " seed " << seed;
      by_values += std::ranges::count(certificate.rules, Rule::kValues);
      if (certificate.outcome != Outcome::kViolation) continue;
      const History core = test::restrict_to(history, certificate.core).build();
      ASSERT_FALSE(test::is_linearizable(core, *own.model)) << own.model->name() << " seed " << seed;
    }
  }
  EXPECT_GT(by_values, 0U);
}

class Certificates : public ::testing::TestWithParam<const Model*> {};

// Also: the core alone is a violation by the definition, and nothing more can be dropped from it.
TEST_P(Certificates, OfRandomHistoriesAreProofs) {
  const Model& model = *GetParam();
  for (std::uint64_t seed = 1; seed <= test::scaled(1500); ++seed) {
    Rng rng(seed * 31);
    const test::RandomShape shape{.processes = 2 + rng.below(3),
                                  .operations = 4 + rng.below(6),
                                  .objects = 1 + rng.below(2),
                                  .crash = rng.chance(0.3) ? 0.2 : 0.03,
                                  .coarseness = static_cast<Time>(1 + rng.below(2)),
                                  .peeks = seed % 3 == 0};
    const History history = test::RandomHistory(model, shape, seed).make().build();
    const Certificate certificate = certificate_of(history, model);
    ASSERT_TRUE(proves(history, model, certificate)) << "seed " << seed;
    if (certificate.outcome != Outcome::kViolation) continue;
    const History core = test::restrict_to(history, certificate.core).build();
    ASSERT_FALSE(test::is_linearizable(core, model)) << "seed " << seed << "\n"
                                                     << test::Script::of(history).text();
    for (const OperationId one : certificate.core) {
      if (one == certificate.impossible) continue;
      for (const std::vector<Rule>& more : {std::vector<Rule>{}, {Rule::kUnchanging}, {Rule::kStates}}) {
        Certificate smaller = certificate;
        std::erase(smaller.core, one);
        for (const Rule rule : more) {
          if (std::ranges::find(smaller.rules, rule) == smaller.rules.end()) smaller.rules.push_back(rule);
        }
        ASSERT_FALSE(verify(history, model, smaller)->proved)
            << "seed " << seed << ": operation " << one << " is not needed\n"
            << format_certificate(certificate) << test::Script::of(history).text();
      }
    }
  }
}

TEST_P(Certificates, OfGeneratedHistoriesAreProofs) {
  const Model& model = *GetParam();
  // The search takes its time with models that may take any of several.
  const std::size_t operations = model.name().starts_with("k-") ? 40 : 300;
  for (const bool spoil : {false, true}) {
    for (const double pending : {0.0, 0.01}) {
      const GenerateOptions options{
          .model = std::string(model.name()), .operations = operations, .pending = pending, .spoil = spoil};
      const auto generated = generate(options);
      ASSERT_TRUE(generated);
      const History& history = generated->history;
      const Certificate certificate = certificate_of(history, model);
      EXPECT_EQ(certificate.outcome, spoil ? Outcome::kViolation : Outcome::kHolds);
      EXPECT_TRUE(proves(history, model, certificate));
    }
  }
}

// Orders with one operation dropped, doubled, or swapped with one that it must not pass.
TEST_P(Certificates, OfAnotherOrderAreNone) {
  const Model& model = *GetParam();
  for (std::uint64_t seed = 1; seed <= test::scaled(200); ++seed) {
    const test::RandomShape shape{.operations = 8, .crash = 0, .spoil = 0};
    const History history = test::RandomHistory(model, shape, seed).make().build();
    const Certificate certificate = certificate_of(history, model);
    ASSERT_EQ(certificate.outcome, Outcome::kHolds);
    const auto& order = certificate.order;
    for (std::size_t i = 0; i < order.size(); ++i) {
      Certificate changed = certificate;
      changed.order.erase(changed.order.begin() + static_cast<std::ptrdiff_t>(i));
      EXPECT_TRUE(!verify(history, model, changed)->proved || history.is_pending(order[i]))
          << "dropped " << order[i];
      changed.order = order;
      changed.order.push_back(order[i]);
      EXPECT_FALSE(verify(history, model, changed)->proved) << "doubled " << order[i];
      if (i == 0) continue;
      changed.order = order;
      std::swap(changed.order[i - 1], changed.order[i]);
      const bool right = test::is_witness(history, model, changed.order);
      EXPECT_EQ(verify(history, model, changed)->proved, right) << "swapped " << order[i];
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Models, Certificates,
                         ::testing::ValuesIn(built_in_models().begin(), built_in_models().end()),
                         test::model_name);

const Model& queue() { return *find_model("queue").value(); }

History violating() {
  return test::draw("|-enqueue(1)-| |-enqueue(2)-| |-dequeue:2-| |-enqueue(3)-|").build();
}

std::string reason(const History& history, const Certificate& certificate) {
  const auto verification = verify(history, queue(), certificate);
  EXPECT_FALSE(verification->proved);
  return verification->reason;
}

TEST(Certificate, OfAnotherHistoryIsNone) {
  const Certificate certificate = certificate_of(violating(), queue());
  EXPECT_TRUE(proves(violating(), queue(), certificate));
  // The same operations in another order of events, by another process, with another result, with one more.
  for (const char* picture : {"|-enqueue(1)-|\n     |-enqueue(2)-| |-dequeue:2-| |-enqueue(3)-|",
                              "|-enqueue(1)-|\n|-enqueue(2)-|\n |-dequeue:2-| |-enqueue(3)-|",
                              "|-enqueue(1)-| |-enqueue(2)-| |-dequeue:1-| |-enqueue(3)-|",
                              "|-enqueue(1)-| |-enqueue(2)-| |-dequeue:2-| |-enqueue(3)-| |-dequeue:1-|"}) {
    EXPECT_THAT(reason(test::draw(picture).build(), certificate), HasSubstr("it is for"));
  }
  const History history = violating();
  test::Script script = test::Script::of(history);
  script.initial = script.values->array(std::vector<Value>{Value::small(9)});
  EXPECT_THAT(reason(script.build(), certificate), HasSubstr("another initial value"));
}

TEST(Certificate, TimesAndNamesDoNotMatter) {
  test::Script script = test::draw("|-enq(1)-|   |-enq(2)-|      |-deq:2-|      |-enq(3)-|");
  EXPECT_TRUE(proves(script.build(), queue(), certificate_of(violating(), queue())));
}

TEST(Certificate, OfUnknownSaysSo) {
  const auto certificate = certify(violating(), queue(), Verdict{});
  EXPECT_THAT(reason(violating(), *certificate), HasSubstr("unknown"));
}

// Whatever is claimed of a core: only what holds is accepted.
TEST(Certificate, ClaimsAboutACoreAreChecked) {
  const History history = violating();
  Certificate claim = certificate_of(history, queue());
  ASSERT_THAT(claim.core, ::testing::ElementsAre(0, 1, 2));
  claim.core = {0, 2};
  EXPECT_THAT(reason(history, claim), HasSubstr("the rules leave 3 operations"));
  claim.rules = {Rule::kCut, Rule::kValues, Rule::kStates};
  EXPECT_THAT(reason(history, claim), HasSubstr("not every state"));
  claim.core = {0, 1};
  claim.impossible = 1;
  claim.rules = {Rule::kCut};
  EXPECT_THAT(reason(history, claim), HasSubstr("the core is linearizable"));
  claim.core = {0, 1, 2, 77};
  claim.impossible = 2;
  EXPECT_THAT(reason(history, claim), HasSubstr("no operation 77"));
}

// A certificate with the header of this history, and a claim of its own.
Certificate made_out_for(const History& history, const Model& model, std::vector<OperationId> core,
                         std::vector<Rule> rules) {
  Certificate claim = certificate_of(history, model);
  claim.outcome = Outcome::kViolation;
  claim.order.clear();
  claim.core = std::move(core);
  claim.impossible = claim.core.back();
  claim.rules = std::move(rules);
  return claim;
}

// What one object cannot explain, two can: each is on its own.
TEST(Certificate, ACoreOfTwoObjectsIsNone) {
  const History history = test::draw("|-a.enqueue(1)-| |-b.dequeue:null-|").build();
  ASSERT_TRUE(test::is_linearizable(history, queue()));
  for (const std::vector<Rule>& rules : {std::vector<Rule>{},
                                         {Rule::kCut},
                                         {Rule::kValues},
                                         {Rule::kUnchanging},
                                         {Rule::kCut, Rule::kUnchanging, Rule::kValues}}) {
    EXPECT_THAT(reason(history, made_out_for(history, queue(), {0, 1}, rules)), HasSubstr("several objects"));
  }
}

// Nor may the states of two objects be compared as if they were one, be the core of one of them or not.
TEST(Certificate, StatesOfTwoObjectsAreNotCompared) {
  const Model& model = *find_model("register").value();
  const History history =
      test::draw("|-b.write(2)-| |-b.write(1)-| |-b.write(2)-| |-a.write(1)-| |-b.read:2-|").build();
  ASSERT_TRUE(test::is_linearizable(history, model));
  for (const std::vector<Rule>& rules :
       {std::vector<Rule>{Rule::kStates}, {Rule::kCut, Rule::kStates}, {Rule::kStates, Rule::kPart}}) {
    const auto verification = verify(history, model, made_out_for(history, model, {0, 1, 4}, rules));
    EXPECT_FALSE(verification->proved);
    EXPECT_THAT(verification->reason, HasSubstr("several objects"));
  }
}

// The operation that is called impossible is one of the core, and its return the last event that the rules leave.
TEST(Certificate, TheImpossibleReturnIsTheLast) {
  const History history = violating();
  Certificate claim = made_out_for(history, queue(), {0, 1, 2, 3}, {});
  EXPECT_TRUE(proves(history, queue(), claim));
  claim.impossible = 2;
  EXPECT_THAT(reason(history, claim), HasSubstr("operation 2 is not the last event"));
  claim.rules = {Rule::kCut};
  claim.core = {0, 1, 2};
  EXPECT_TRUE(proves(history, queue(), claim));
  for (const OperationId nobody : {3U, 4U, 77U}) {
    claim.impossible = nobody;
    EXPECT_THAT(reason(history, claim), HasSubstr("is not in the core"));
  }
}

// Relaxed cores are made by one rule, and are of one object too.
TEST(Certificate, ARelaxedCoreIsWhatItsRuleLeaves) {
  const History history = test::draw("|-a.enqueue(1)-| |-b.dequeue:null-|").build();
  Certificate claim = made_out_for(history, queue(), {0, 1}, {Rule::kCut});
  claim.relax = {{"dequeue", 1}};
  EXPECT_THAT(reason(history, claim), HasSubstr("the core is not what"));
  claim.core = {1};
  EXPECT_THAT(reason(history, claim), HasSubstr("can be passed"));
  for (const std::vector<Rule>& rules : {std::vector<Rule>{}, {Rule::kPart}, {Rule::kCut, Rule::kValues}}) {
    claim.rules = rules;
    EXPECT_THAT(reason(history, claim), HasSubstr("'cut' alone"));
  }
  claim.impossible = 77;
  EXPECT_THAT(reason(history, claim), HasSubstr("is not in the core"));
}

// The legal history may not take push(4) for the pop: push(2) and push(3) would come before it in any order, too many. Found
// by the forged certificates, of which the real one was not proved.
TEST(Certificate, OfARelaxedViolationMindsWhatMustComeBefore) {
  const Model& model = *find_model("stack").value();
  const History history = test::draw(
                              "|-push(0)-|  |-pop:4-|  |-push(3)-|  |-push(4)->\n"
                              " |-push(1)->\n"
                              "  |-push(2)->\n")
                              .build();
  CheckOptions options = test::options(Engine::kAuto);
  options.relax = {{"push", 1}};
  const auto verdict = check(history, model, options);
  ASSERT_EQ(verdict->outcome, Outcome::kViolation);
  EXPECT_TRUE(proves(history, model, certify(history, model, *verdict, options).value()));
}

TEST(CertificateText, IsReadableByEye) {
  EXPECT_EQ(
      format_certificate(certificate_of(violating(), queue())),
      "{\"plumb-certificate\":3,\"model\":\"queue\",\"initial\":null,\"operations\":4,"
      "\"digest\":\"" +
          to_string(digest_of(violating(), queue()).value()) +
          "\",\"verdict\":\"violation\",\"count\":3,\"impossible\":2,\"rules\":[\"cut\"]}\n0 1 2\nend\n");
}

// Every beginning of a certificate but the whole is an error with its place.
TEST(CertificateText, CutOffAnywhereIsAnError) {
  const GenerateOptions options{.operations = 40};
  const std::string text = format_certificate(certificate_of(generate(options).value().history, queue()));
  for (std::size_t size = 0; size + 1 < text.size(); ++size) {  // only the last line end may be missing
    const auto parsed = parse_certificates(text.substr(0, size));
    ASSERT_FALSE(parsed) << size;
    EXPECT_NE(parsed.error().place.line, 0U) << parsed.error().text();
  }
}

TEST(CertificateText, ErrorsSayWhatWasExpected) {
  const std::string head =
      R"({"plumb-certificate":3,"model":"queue","operations":2,"digest":"00000000000000000000000000000000",)"
      R"("verdict":"linearizable","count":)";
  const auto of_verdict = [&](std::string_view verdict) {
    std::string other = head;
    return other.replace(other.find("linearizable"), 12, verdict);
  };
  const std::vector<std::pair<std::string, std::string>> wrong = {
      {"", "1:1: an empty certificate"},
      {"hello", "1:1: not a certificate"},
      {"{\"plumb-certificate\":4}\n", "certificate of version 4; this plumb reads version 3"},
      {"{\"plumb-certificate\":1}\n",
       "certificate of version 1; this plumb reads version 3: have 'plumb check --certificate' write it "
       "again"},
      {"{\"plumb-certificate\":3}\n", "expected plumb-certificate, model"},
      {"{\"plumb-certificate\":3,\"digest\":\"b76b10c2d69b38b9\"}\n",
       "digest; expected 32 hexadecimal digits"},
      {head + "3}\n0 1 1\nend\n", "3 operations named of 2"},
      {head + "2}\n0 2\nend\n", "2:3: expected the number of an operation, below 2"},
      {head + "2}\n0 -1\nend\n", "2:3: expected the number"},
      {head + "2}\n0 1 1\nend\n", "2:5: expected 'end'"},
      {head + "2}\n0 1\nendless\n", "3:4: expected the end of the line"},
      {head + "2}\n0 1\nend\n{}", "4:1: not a certificate"},
      {head + "2,\"rules\":[\"magic\"]}\n", "does not know"},
      {head + "-2}\n", "expected 0 to"},
      {head + "2,\"count\":1}\n0 1\nend\n", "\"count\" appears twice"},
      {head + "2,\"proof\":\"see above\"}\n0 1\nend\n", "'proof', which this plumb does not know"},
      {head + "2,\"rules\":[]}\n0 1\nend\n", "'rules' and 'impossible' are of a violation"},
      {head + "2,\"impossible\":1}\n0 1\nend\n", "'rules' and 'impossible' are of a violation"},
      {head + "2,\"relax\":{}}\n0 1\nend\n", "'relax' names no class"},
      {of_verdict("violation") + "1,\"rules\":[]}\n0\nend\n", "expected 'rules' and 'impossible'"},
      {of_verdict("violation") + "1,\"impossible\":0}\n0\nend\n", "expected 'rules' and 'impossible'"},
      {of_verdict("unknown") + "1}\n0\nend\n", "which has no proof; expected no operations"},
  };
  for (const auto& [text, message] : wrong) {
    const auto parsed = parse_certificates(text);
    ASSERT_FALSE(parsed) << text;
    EXPECT_THAT(parsed.error().text(), HasSubstr(message));
  }
}

// Bytes changed, dropped and repeated: an error, or a certificate that is judged like any other.
TEST(CertificateText, SurvivesNoise) {
  const History history = violating();
  const std::string good = format_certificate(certificate_of(history, queue()));
  Rng rng(7);
  for (std::size_t i = 0; i < test::scaled(20'000); ++i) {
    std::string text = good;
    for (std::size_t changes = 1 + rng.below(4); changes > 0 && !text.empty(); --changes) {
      const std::size_t at = rng.below(text.size());
      switch (rng.below(3)) {
        case 0:
          text[at] = static_cast<char>(rng.below(256));
          break;
        case 1:
          text.erase(at, 1 + rng.below(8));
          break;
        default:
          text.insert(at, text.substr(rng.below(text.size()), rng.below(16)));
      }
    }
    const auto parsed = parse_certificates(text);
    if (!parsed) continue;
    for (const Certificate& certificate : *parsed) {
      const auto verification = verify(history, queue(), certificate);
      EXPECT_TRUE(!verification->proved || certificate.outcome == Outcome::kViolation) << text;
    }
  }
}

}  // namespace
}  // namespace plumb
