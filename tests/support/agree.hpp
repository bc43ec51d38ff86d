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
  // States alone can take all the memory: then `unknown` is a true answer, and a violation may come with a core only.
  bool is_tiny = false;
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
                                                const Verdict& verdict, bool core_only = false) {
  switch (verdict.outcome) {
    case Outcome::kLinearizable:
      if (verdict.violation) return ::testing::AssertionFailure() << "linearizable, but with a violation";
      return is_witness(history, model, verdict.linearization);
    case Outcome::kViolation:
      if (!verdict.violation) return ::testing::AssertionFailure() << "a violation without any reason";
      // What a monitor says beyond the core is about the core alone.
      if (core_only || verdict.engine.starts_with("monitor")) {
        return ViolationChecker(history, model, *verdict.violation).core_is_a_violation();
      }
      return ViolationChecker(history, model, *verdict.violation).check_all();
    case Outcome::kUnknown:
      break;
  }
  return ::testing::AssertionFailure() << "unknown: " << verdict.why;
}

inline ::testing::AssertionResult agree_here(const History& history, const Model& model) {
  const Outcome truth = is_linearizable(history, model) ? Outcome::kLinearizable : Outcome::kViolation;
  for (const EngineVariant& variant : engine_variants()) {
    const auto verdict = check(history, model, variant.options);
    if (!verdict) return ::testing::AssertionFailure() << variant.name << ": " << verdict.error().text();
    if (variant.is_tiny && verdict->outcome == Outcome::kUnknown &&
        verdict->why == "the memory limit was reached")
      continue;
    if (verdict->outcome != truth) {
      return ::testing::AssertionFailure() << variant.name << " says " << to_string(verdict->outcome) << " ("
                                           << verdict->why << "), the definition " << to_string(truth);
    }
    if (auto holds = verdict_holds(history, model, *verdict, variant.is_tiny); !holds) {
      return ::testing::AssertionFailure()
             << variant.name << ", " << to_string(truth) << ": " << holds.message();
    }
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
