// Approved outputs: what a person sees, kept in tests/golden. `make approve` accepts a change.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "cli/command.hpp"

namespace plumb::test {
namespace {

struct Shown {
  std::string name;
  std::vector<std::string> arguments;
};

void PrintTo(const Shown& shown, std::ostream* out) { *out << shown.name; }

class Golden : public testing::TestWithParam<Shown> {};

// The command, what it printed, its status.
std::string transcript(const Shown& shown) {
  const Ran ran = run(shown.arguments, {.directory = PLUMB_SOURCE_DIR});
  std::string text = "$ plumb";
  for (const std::string& argument : shown.arguments) text += " " + argument;
  text += "\n" + ran.out;
  if (!ran.err.empty()) text += "--- standard error\n" + ran.err;
  text += "--- status " + std::to_string(ran.status) + "\n";
  return without_measurements(text);
}

TEST_P(Golden, OutputIsTheApprovedOne) {
  const std::string file = PLUMB_SOURCE_DIR "/tests/golden/" + GetParam().name + ".txt";
  const std::string now = transcript(GetParam());
  if (std::getenv("PLUMB_APPROVE") != nullptr) std::ofstream(file, std::ios::binary) << now;
  EXPECT_EQ(now, read_whole(file)) << "if this is meant: make approve";
}

const std::string kHistories = "examples/histories/";

INSTANTIATE_TEST_SUITE_P(
    Outputs, Golden,
    testing::Values(
        Shown{"check-ok", {"check", kHistories + "queue-ok.jsonl"}},
        Shown{"check-violation", {"check", kHistories + "queue-violation.jsonl"}},
        Shown{"check-verbose",
              {"check", "-v", kHistories + "queue-ok.jsonl", kHistories + "queue-violation.jsonl"}},
        Shown{"check-json", {"check", "--json", kHistories + "queue-violation.jsonl"}},
        Shown{"check-color", {"check", "--color", "always", kHistories + "queue-violation.jsonl"}},
        Shown{"check-wrong-model", {"check", "-m", "register", kHistories + "queue-ok.jsonl"}},
        Shown{"usage", {}}, Shown{"help", {"--help"}}, Shown{"help-check", {"check", "--help"}},
        Shown{"help-convert", {"convert", "--help"}}, Shown{"help-generate", {"generate", "--help"}},
        Shown{"help-models", {"models", "--help"}}, Shown{"models", {"models"}}),
    [](const auto& test) { return std::regex_replace(test.param.name, std::regex("-"), "_"); });

}  // namespace
}  // namespace plumb::test
