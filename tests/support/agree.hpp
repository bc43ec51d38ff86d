// Do all engines say the same about a history, and is everything they say about it true?
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/oracle.hpp"
#include "support/script.hpp"
#include "support/violation.hpp"

namespace plumb::test {

struct EngineVariant {
  std::string_view name;
  CheckOptions options;
  bool is_tiny =
      false;  // states alone can take all the memory: nothing false is said then, and with more of it all
};

inline const std::vector<EngineVariant>& engine_variants() {
  static const std::vector<EngineVariant> variants = [] {
    constexpr std::size_t kTiny = 4096;  // the memo forgets from its first records on
    constexpr std::size_t kSmall = std::size_t{1}
                                   << 16U;  // --lru alone would clear many megabytes for each history
    const CheckOptions wgl = options(Engine::kWgl);
    std::vector<EngineVariant> all = {{"brute", options(Engine::kBrute)},
                                      {"wgl", wgl},
                                      {"wgl, whole", wgl},
                                      {"wgl, lru", wgl},
                                      {"wgl, tiny memory", wgl},
                                      {"wgl, whole, tiny lru", wgl}};
    all[2].options.partition = false;
    all[3].options.lru = true;
    all[3].options.memory = kSmall;
    for (const std::size_t tiny : {4, 5}) {
      all[tiny].options.memory = kTiny;
      all[tiny].is_tiny = true;
    }
    all[5].options.lru = true;
    all[5].options.partition = false;
    all.push_back({"auto", options(Engine::kAuto)});
    all.push_back({"hitting", options(Engine::kHitting)});
    return all;
  }();
  return variants;
}

// The verdict of one engine, and whether its evidence holds.
inline ::testing::AssertionResult verdict_holds(const History& history, const Model& model,
                                                const Verdict& verdict) {
  switch (verdict.outcome) {
    case Outcome::kHolds:
      if (verdict.violation) return ::testing::AssertionFailure() << "linearizable, but with a violation";
      return is_witness(history, model, verdict.linearization);
    case Outcome::kViolation:
      if (!verdict.violation) return ::testing::AssertionFailure() << "a violation without any reason";
      if (verdict.engines.front() ==
          Engine::kMonitor) {  // what it says beyond the core is about the core alone
        return ViolationChecker(history, model, *verdict.violation).core_is_a_violation();
      }
      return ViolationChecker(history, model, *verdict.violation).check_all();
    case Outcome::kUnknown:
      break;
  }
  return ::testing::AssertionFailure() << "unknown: " << verdict.why;
}

inline ::testing::AssertionResult verdict_is(const History& history, const Model& model,
                                             const Verdict& verdict, Outcome truth) {
  if (verdict.outcome == truth) return verdict_holds(history, model, verdict);
  return ::testing::AssertionFailure() << "says " << to_string(verdict.outcome) << " (" << verdict.why
                                       << "), the definition " << to_string(truth);
}

// Nothing that the verdict says is false, though it may be unknown for want of memory, or have a
// core for its only evidence.
inline ::testing::AssertionResult says_nothing_false(const History& history, const Model& model,
                                                     const Verdict& verdict, Outcome truth) {
  if (verdict.outcome == Outcome::kUnknown && verdict.why == "the memory limit was reached")
    return ::testing::AssertionSuccess();
  if (verdict.outcome != truth || truth == Outcome::kHolds) return verdict_is(history, model, verdict, truth);
  return ViolationChecker(history, model, *verdict.violation).core_is_a_violation();
}

inline ::testing::AssertionResult agrees(const History& history, const Model& model, EngineVariant variant,
                                         Outcome truth) {
  constexpr std::size_t kEnough = std::size_t{1} << 20U;
  for (;; variant.options.memory = 2 * variant.options.memory.value_or(kEnough)) {
    const auto verdict = check(history, model, variant.options);
    if (!verdict) return ::testing::AssertionFailure() << verdict.error().text();
    const bool may_not_apply = variant.options.engine == Engine::kFrontier;
    if (may_not_apply && verdict->why.find("no frontier can judge") != std::string::npos)
      return ::testing::AssertionSuccess();
    auto result = verdict_is(history, model, *verdict, truth);
    if (result || !variant.is_tiny || *variant.options.memory >= kEnough) return result;
    if (auto harmless = says_nothing_false(history, model, *verdict, truth); !harmless) return harmless;
  }
}

inline ::testing::AssertionResult agree_here(const History& history, const Model& model) {
  const Outcome truth = is_linearizable(history, model) ? Outcome::kHolds : Outcome::kViolation;
  std::vector<EngineVariant> variants = engine_variants();
  variants.push_back({"frontier", options(Engine::kFrontier)});  // of some models only
  for (const EngineVariant& variant : variants) {
    if (auto result = agrees(history, model, variant, truth); !result)
      return ::testing::AssertionFailure() << variant.name << ": " << result.message();
  }
  return ::testing::AssertionSuccess();
}

// Leaves out one operation after the other as long as `fails` still holds.
inline Script smallest(Script script, const std::function<bool(const Script&)>& fails) {
  for (std::size_t i = 0; i < script.operations.size();) {
    Script less = script;
    less.operations.erase(less.operations.begin() + static_cast<std::ptrdiff_t>(i));
    if (fails(less)) {
      script = std::move(less);
      i = 0;
    } else {
      ++i;
    }
  }
  return script;
}

// All engines agree with the definition, and their evidence holds. A failure shows the smallest history that
// fails.
inline ::testing::AssertionResult agree(const History& history, const Model& model) {
  auto result = agree_here(history, model);
  if (result) return result;
  const Script found = smallest(Script::of(history), [&](const Script& less) {
    const auto sub = less.try_build();
    return sub && !agree_here(*sub, model);
  });
  const History small = found.build();
  return ::testing::AssertionFailure() << "model " << model.name() << "\n"
                                       << found.text() << agree_here(small, model).message();
}

}  // namespace plumb::test
