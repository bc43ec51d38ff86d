// No false proof: whatever certificate the verifier accepts, its verdict is true by the definition. And no
// lost one: what check writes for a verdict is accepted. At random, on every model, for one object and
// several, plain and relaxed; each history gets its own certificates, those of its neighbours, changed ones,
// and made up ones, some of them through their text.
#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include <plumb/explain.hpp>

#include "support/definition.hpp"
#include "support/forger.hpp"
#include "support/model_name.hpp"
#include "support/quasi_random.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"

namespace plumb::test {
namespace {

// Which the definition can decide soon: relaxed ones have fewer operations.
constexpr std::size_t kMostRelaxed = 6;

// Changes of a text that a parser might let pass: a member of the header once more, another digit,
// a piece lost or doubled.
std::string tampered(std::string text, Rng& rng) {
  const std::size_t line = text.find('\n');
  switch (rng.below(4)) {
    case 0: {
      const std::size_t from = text.find(',', rng.below(line));
      const std::size_t to = text.find(',', rng.below(line));
      if (from == std::string::npos || to == std::string::npos) break;
      const std::string member = text.substr(from, text.find(',', from + 1) - from);
      return text.insert(to, member);
    }
    case 1: {
      const std::size_t digit = text.find_first_of("0123456789", rng.below(text.size()));
      if (digit != std::string::npos) text[digit] = static_cast<char>('0' + rng.below(10));
      return text;
    }
    case 2:
      return text.erase(rng.below(text.size()), 1 + rng.below(12));
    default:
      return text.insert(rng.below(text.size()), text.substr(rng.below(text.size()), rng.below(12)));
  }
  return text;
}

// Two operations swap their results, or their objects, or one is lost. What was linearizable is then often
// not, or only with some places of freedom.
std::optional<History> changed(const History& history, const Model& model, Rng& rng) {
  Script script = Script::of(history);
  auto& all = script.operations;
  if (all.size() < 2) return std::nullopt;
  const std::size_t a = rng.below(all.size());
  std::size_t b = rng.below(all.size());
  for (std::size_t tries = 0; tries < 4 && (a == b || all[a].f != all[b].f); ++tries)
    b = rng.below(all.size());
  switch (rng.below(5)) {
    case 0:
      std::swap(all[a].object, all[b].object);
      break;
    case 1:
      all.erase(all.begin() + static_cast<std::ptrdiff_t>(a));
      break;
    default:
      if (all[a].f != all[b].f || all[a].is_pending() || all[b].is_pending()) return std::nullopt;
      std::swap(all[a].result, all[b].result);
  }
  auto built = script.try_build();
  if (!built || !BoundHistory::bind(*built, model)) return std::nullopt;
  return std::move(*built);
}

struct Tally {
  std::size_t tried = 0;
  std::size_t genuine = 0;
  std::size_t proved = 0;  // of the forged ones: they happened to be true
};

// One history, and every certificate that is held against it.
class Hunt {
 public:
  Hunt(const History& history, const Model& model, std::uint64_t seed, Tally& tally)
      : history_(history),
        bound_(BoundHistory::bind(history, model).value()),
        definition_(history),
        rng_(seed),
        forger_(bound_, rng_),
        tally_(tally) {}

  void run(std::size_t forged) {
    std::vector<Certificate> pool = genuine();
    for (Certificate& certificate : foreign()) pool.push_back(std::move(certificate));
    while (forged-- > 0 && !::testing::Test::HasFailure()) {
      const Certificate& model = pool[rng_.below(pool.size())];
      Certificate made = rng_.chance(0.5) ? forger_.change(model) : forger_.invent();
      if (history_.size() > kMostRelaxed) made.relax.clear();
      if (rng_.chance(0.2)) {
        judge_text(format_certificate(made));
      } else {
        judge(made);
      }
    }
  }

 private:
  // What check and certify say, plain and relaxed: it must be right, and proved, also after a way through its
  // text.
  std::vector<Certificate> genuine() {
    std::vector<std::vector<Relaxation>> all = {{}};
    if (history_.size() <= kMostRelaxed) all.push_back(some_relax());
    std::vector<Certificate> certificates;
    for (const std::vector<Relaxation>& relax : all) {
      CheckOptions asked = options(Engine::kAuto);
      asked.relax = relax;
      const Verdict verdict = check(history_, bound_.model(), asked).value();
      const Certificate written = certify(history_, bound_.model(), verdict).value();
      const auto read = parse_certificates(format_certificate(written));
      EXPECT_TRUE(read) << read.error().text() << "\n" << format_certificate(written);
      if (!read) continue;
      const auto verification = verify(history_, bound_.model(), read->front());
      EXPECT_TRUE(verification->proved) << verification->reason << "\n" << shown(written);
      EXPECT_EQ(written.outcome == Outcome::kHolds, definition_.accepts(bound_.model(), relax))
          << shown(written);
      certificates.push_back(written);
      ++tally_.genuine;
    }
    return certificates;
  }

  std::vector<Relaxation> some_relax() {
    const auto operations = bound_.model().operations();
    std::vector<Relaxation> relax;
    for (const OperationSpec& spec : operations) {
      if (rng_.chance(0.5)) relax.push_back({spec.name, static_cast<std::uint32_t>(1 + rng_.below(2))});
    }
    if (relax.empty()) relax.push_back({operations[rng_.below(operations.size())].name, 1});
    return relax;
  }

  // Of a history that differs a little, and of another model for which this one would do as well.
  std::vector<Certificate> foreign() {
    std::vector<Certificate> certificates;
    const auto add = [&](const History& history, const Model& model) {
      const auto verdict = check(history, model, options(Engine::kAuto));
      if (!verdict) return;
      const Certificate other = certify(history, model, *verdict).value();
      judge(other);
      certificates.push_back(forger_.readdress(other));
      judge(certificates.back());
    };
    if (const auto neighbour = changed(history_, bound_.model(), rng_)) add(*neighbour, bound_.model());
    const auto models = built_in_models();
    const std::size_t from = rng_.below(models.size());
    for (std::size_t i = 0; i < models.size(); ++i) {
      const Model& other = *models[(from + i) % models.size()];
      if (&other == &bound_.model() || !BoundHistory::bind(history_, other)) continue;
      add(history_, other);
      break;
    }
    return certificates;
  }

  void judge_text(std::string text) {
    if (rng_.chance(0.5)) text = tampered(std::move(text), rng_);
    const auto certificates = parse_certificates(text);
    if (!certificates) {
      ++tally_.tried;
      return;
    }
    for (const Certificate& certificate : *certificates) {
      if (certificate.relax.empty() || history_.size() <= kMostRelaxed) judge(certificate);
    }
  }

  void judge(const Certificate& certificate) {
    ++tally_.tried;
    const auto verification = verify(history_, bound_.model(), certificate);
    ASSERT_TRUE(verification) << verification.error().text();
    if (!verification->proved) return;
    ++tally_.proved;
    ASSERT_TRUE(relaxed_operations(bound_.model(), certificate.relax)) << shown(certificate);
    const bool accepted = definition_.accepts(bound_.model(), certificate.relax);
    ASSERT_EQ(certificate.outcome, accepted ? Outcome::kHolds : Outcome::kViolation) << "a false proof\n"
                                                                                     << shown(certificate);
    if (accepted || !certificate.relax.empty()) return;
    ASSERT_TRUE(std::ranges::binary_search(certificate.core, certificate.impossible)) << shown(certificate);
    ASSERT_FALSE(is_linearizable(restrict_to(history_, certificate.core).build(), bound_.model()))
        << "the core alone is linearizable\n"
        << shown(certificate);
  }

  [[nodiscard]] std::string shown(const Certificate& certificate) const {
    return format_certificate(certificate) + Script::of(history_).text();
  }

  const History& history_;
  BoundHistory bound_;
  Definition definition_;
  Rng rng_;
  Forger forger_;
  Tally& tally_;
};

class ForgedCertificates : public ::testing::TestWithParam<const Model*> {
 protected:
  // Half of them with a change more: see changed().
  static Script any_history(const Model& model, std::uint64_t seed) {
    Rng rng(seed * 31);
    const bool small = rng.chance(0.6);
    const std::size_t operations = small ? 1 + rng.below(kMostRelaxed) : 7 + rng.below(4);
    const std::size_t processes = 1 + rng.below(small ? 3 : 4);
    const double crash = rng.chance(0.3) ? 0.3 : 0.03;
    const std::string name(model.name());
    if (rng.chance(0.4) && (name == "queue" || name == "stack" || name == "priority-queue")) {
      return QuasiHistory({.model = name,
                           .operations = operations,
                           .processes = processes,
                           .reach = 1 + rng.below(3),
                           .crash = crash},
                          seed)
          .make();
    }
    const RandomShape shape{.processes = processes,
                            .operations = operations,
                            .objects = rng.chance(0.5) ? 1 : 2 + rng.below(2),
                            .crash = crash,
                            .spoil = rng.chance(0.5) ? 0.0 : 1.0,
                            .coarseness = static_cast<Time>(1 + rng.below(2)),
                            .filled = rng.chance(0.3),
                            .peeks = rng.chance(0.3)};
    return RandomHistory(model, shape, seed).make();
  }
};

TEST_P(ForgedCertificates, ProveNothingFalse) {
  constexpr std::size_t kForged = 100;  // for each history
  const Model& model = *GetParam();
  Tally tally;
  Seeds seeds(scaled(50));
  for (const std::uint64_t seed : seeds) {
    const History random = any_history(model, seed).build();
    Rng rng(seed * 7919);
    const auto neighbour = rng.chance(0.5) ? changed(random, model, rng) : std::nullopt;
    Hunt(neighbour ? *neighbour : random, model, seed, tally).run(kForged);
    seeds.tried(tally.tried + tally.genuine);
    ASSERT_FALSE(HasFailure()) << model.name() << ", seed " << seed;
  }
  EXPECT_GT(tally.proved, tally.tried / 50) << "hardly any is right: most are turned away at the door";
}

INSTANTIATE_TEST_SUITE_P(Models, ForgedCertificates,
                         ::testing::ValuesIn(built_in_models().begin(), built_in_models().end()), model_name);

}  // namespace
}  // namespace plumb::test
