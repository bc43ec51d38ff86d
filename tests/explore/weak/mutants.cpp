// Memory orders of well-known structures, weakened one at a time (mutated.hpp): each is found, or is harmless for the reason that the table of
// docs/memory.md gives. That table is this one.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "explore/weak/mutants.hpp"
#include "paths.hpp"

namespace {

using mutated::Mutant;
using mutated::Subject;

// As the table has it.
std::string outcome(const Subject& subject, std::size_t number) {
  const plumb::Exploration result = mutated::explore_mutant(subject, number);
  EXPECT_FALSE(result.refused) << result.text();
  EXPECT_NE(result.verdict, plumb::Outcome::kUnknown) << result.text();
  if (result.verdict == plumb::Outcome::kViolation) return std::string(to_string(result.kind));
  return "harmless: " + subject.mutants[number].harmless;
}

TEST(WeakMutants, WhatIsRightPasses) {
  for (const Subject& subject : mutated::subjects()) {
    for (const mutated::Programs& programs : subject.programs) {
      const auto right = mutated::explore(programs.front());
      EXPECT_TRUE(right.passed()) << subject.name << "\n" << right.text();
    }
  }
}

TEST(WeakMutants, EachIsFoundOrHarmlessAsTheDocumentationSays) {
  std::ifstream file(PLUMB_SOURCE_DIR "/docs/memory.md");
  std::stringstream page;
  page << file.rdbuf();
  std::string table = "| structure | order, weakened | found |\n|---|---|---|\n";
  for (const Subject& subject : mutated::subjects()) {
    for (std::size_t i = 0; i < subject.mutants.size(); ++i) {
      const std::string found = outcome(subject, i);
      const Mutant& mutant = subject.mutants[i];
      EXPECT_EQ(found.starts_with("harmless"), !mutant.harmless.empty())
          << subject.name << ", " << mutant.weakened;
      table += "| " + subject.name + " | " + mutant.weakened + " | " + found + " |\n";
    }
  }
  EXPECT_NE(page.str().find(table), std::string::npos) << "docs/memory.md lacks:\n" << table;
}

}  // namespace
