// Holds the verdicts of the library on tiny histories against the definition, and counts.
#pragma once

#include <algorithm>
#include <cstdint>
#include <iostream>
#include <ostream>

#include <gtest/gtest.h>

#include <plumb/check.hpp>

#include "support/oracle.hpp"
#include "support/script.hpp"
#include "support/tiny.hpp"
#include "support/violation.hpp"

namespace plumb::test {

struct TinyCounts {
  std::uint64_t histories = 0;
  std::uint64_t linearizable = 0;
  std::uint64_t by_monitor = 0;

  friend bool operator==(const TinyCounts&, const TinyCounts&) = default;
  friend void PrintTo(const TinyCounts& c, std::ostream* out) {
    *out << "{" << c.histories << ", " << c.linearizable << ", " << c.by_monitor << "}";
  }
};

class TinyComparison {
 public:
  // `apart`: see to_history.
  explicit TinyComparison(const TinyObject& object, std::int64_t apart = 1)
      : TinyComparison(object, *find_model(object.model).value(), apart) {}
  // A model of the same object, by the names of the object.
  TinyComparison(const TinyObject& object, const Model& model, std::int64_t apart = 1)
      : object_(object), model_(model), apart_(apart), oracle_(object) {}

  // The engine that is asked, and whose verdicts are counted.
  void ask(Engine engine, std::string_view name) {
    engine_ = engine;
    counted_ = name;
  }

  // The same outcome; a linearization that replays, or a core that alone is a violation.
  void look(const TinyHistory& tiny) {
    const History history = to_history(tiny, object_, apart_);
    const auto verdict = check(history, model_, options(engine_));
    ASSERT_TRUE(verdict.ok()) << verdict.error().text();
    const bool truth = oracle_.is_linearizable(tiny);
    ++counts_.histories;
    counts_.linearizable += truth ? 1U : 0U;
    counts_.by_monitor += to_string(verdict->engines) == counted_ ? 1U : 0U;
    ASSERT_EQ(verdict->outcome, truth ? Outcome::kHolds : Outcome::kViolation)
        << to_string(verdict->engines) << ": " << verdict->why << "\n"
        << Script::of(history).text();
    if (truth) {
      ASSERT_TRUE(is_tiny_witness(tiny, object_, verdict->linearization)) << Script::of(history).text();
      ASSERT_TRUE(is_witness(history, model_, verdict->linearization)) << Script::of(history).text();
    } else {
      ASSERT_FALSE(oracle_.is_linearizable(core_of(tiny, *verdict))) << Script::of(history).text();
    }
    if (!truth && counts_.histories % kProveAgainEvery == 0) {
      ASSERT_TRUE(ViolationChecker(history, model_, *verdict->violation).core_is_a_violation())
          << Script::of(history).text();
    }
  }

  [[nodiscard]] const TinyCounts& counts() const { return counts_; }

  // The line that scripts/soak adds up.
  void print_summary() const {
    std::cout << "compared " << object_.model << " " << counts_.histories << " histories, "
              << counts_.linearizable << " linearizable, " << counts_.by_monitor << " by the monitor\n";
  }

 private:
  static constexpr std::uint64_t kProveAgainEvery = 64;  // by the library's own models

  [[nodiscard]] static TinyHistory core_of(const TinyHistory& tiny, const Verdict& verdict) {
    TinyHistory core;
    for (const OperationId i : verdict.violation->operations) core.push_back(tiny[i]);
    return core;
  }

  const TinyObject& object_;
  const Model& model_;
  std::int64_t apart_;
  TinyOracle oracle_;
  Engine engine_ = Engine::kAuto;
  std::string_view counted_ = "monitor";
  TinyCounts counts_;
};

}  // namespace plumb::test
