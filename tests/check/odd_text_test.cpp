// Every built-in model at random, through text (see support/odd_text.hpp): values of every type, numbers
// in every spelling, up to 200 processes, equal times, several objects. The text must mean what the
// history meant before it was written, all engines must agree with the definition, and so must every
// format that can hold the history.
#include <string>

#include <gtest/gtest.h>

#include <plumb/check.hpp>
#include <plumb/files.hpp>

#include "support/agree.hpp"
#include "support/model_name.hpp"
#include "support/odd_text.hpp"
#include "support/random_history.hpp"
#include "support/scale.hpp"

namespace plumb {
namespace {

using test::RandomShape;

RandomShape odd_shape(Rng& rng) {
  const std::size_t processes[] = {2, 3, 5, 65, 200};
  return {.processes = processes[rng.below(5)],
          .operations = 3 + rng.below(6),
          .objects = 1 + rng.below(3),
          .crash = rng.below(2) == 0 ? 0.02 : 0.2,
          .coarseness = static_cast<Time>(1 + rng.below(4))};
}

class OddText : public ::testing::TestWithParam<const Model*> {
 protected:
  // The outcome by the fastest engine, after the history has gone through each format that can hold it.
  static void expect_formats_agree(const History& history, Outcome truth) {
    for (const FormatInfo& format : history_formats()) {
      if (!format.can_write) continue;
      const auto text = format_histories(std::span(&history, 1), format.name);
      if (!text) continue;  // the format cannot hold it, and says so
      const auto back = parse_histories(*text, format.name);
      ASSERT_TRUE(back) << format.name << ": " << back.error().text() << "\n" << *text;
      ASSERT_EQ(back->size(), 1U) << format.name;
      const auto verdict = check((*back)[0], *GetParam(), test::options(Engine::kAuto));
      ASSERT_TRUE(verdict) << format.name << ": " << verdict.error().text() << "\n" << *text;
      ASSERT_EQ(to_string(verdict->outcome), to_string(truth)) << format.name << "\n" << *text;
    }
  }
};

TEST_P(OddText, MeansWhatItMeant) {
  std::size_t count = test::scaled(300);
  if (GetParam()->name().starts_with("java:")) count = 1 + count / 5;  // ten classes, one implementation
  for (const std::uint64_t seed : test::Seeds(count)) {
    Rng rng(seed * 104'729);
    const test::Script script = test::RandomHistory(*GetParam(), odd_shape(rng), seed).make();
    const std::string text = test::OddText(script, *GetParam(), seed).make();
    const auto read = parse_histories(text, "jsonl");
    ASSERT_TRUE(read) << read.error().text() << "\nseed " << seed << "\n" << text;
    const History& history = (*read)[0];
    const bool linearizable = test::is_linearizable(script.build(), *GetParam());
    ASSERT_EQ(test::is_linearizable(history, *GetParam()), linearizable) << "seed " << seed << "\n" << text;
    ASSERT_TRUE(test::agree(history, *GetParam())) << "seed " << seed << "\n" << text;
    expect_formats_agree(history, linearizable ? Outcome::kHolds : Outcome::kViolation);
    if (HasFatalFailure()) FAIL() << "seed " << seed;
  }
}

INSTANTIATE_TEST_SUITE_P(Models, OddText,
                         ::testing::ValuesIn(built_in_models().begin(), built_in_models().end()),
                         test::model_name);

}  // namespace
}  // namespace plumb
