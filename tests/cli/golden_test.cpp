// Approved outputs: what a person sees, kept in tests/golden. `make approve` accepts a change.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <regex>

#include "cli/command.hpp"
#include "paths.hpp"

namespace plumb::test {
namespace {

struct Shown {
  std::string name;
  std::vector<std::string> arguments;
  std::string columns = "80";
};

void PrintTo(const Shown& shown, std::ostream* out) { *out << shown.name; }

class Golden : public testing::TestWithParam<Shown> {};

// The command, what it printed, its status.
std::string transcript(const Shown& shown) {
  const Ran ran = run(shown.arguments, {.directory = PLUMB_SOURCE_DIR, .env = {{"COLUMNS", shown.columns}}});
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
const std::string kReports = "tests/data/report/";

// A picture, and the history that it is of.
struct Drawn {
  std::string file;
  std::string history;
};

void PrintTo(const Drawn& drawn, std::ostream* out) { *out << drawn.file; }

class GoldenPicture : public testing::TestWithParam<Drawn> {};

TEST_P(GoldenPicture, IsTheApprovedOne) {
  const Folder folder;
  const std::string made = folder.path("made.svg");
  const Ran ran = run({"report", GetParam().history, "-o", made, "-q"}, {.directory = PLUMB_SOURCE_DIR});
  EXPECT_EQ(ran.err, "");
  const std::string file = PLUMB_SOURCE_DIR "/" + GetParam().file;
  if (std::getenv("PLUMB_APPROVE") != nullptr) std::ofstream(file, std::ios::binary) << read_whole(made);
  EXPECT_EQ(read_whole(made), read_whole(file)) << "if this is meant: make approve";
}

INSTANTIATE_TEST_SUITE_P(
    Pictures, GoldenPicture,
    testing::Values(Drawn{"docs/queue-violation.svg", kHistories + "queue-violation.jsonl"},
                    Drawn{"tests/golden/report-ok.svg", kHistories + "queue-ok.jsonl"},
                    Drawn{"tests/golden/report-many-processes.svg", kReports + "many-processes.jsonl"},
                    Drawn{"tests/golden/report-text-only.svg", kReports + "text-only.jsonl"}),
    [](const auto& test) { return std::regex_replace(test.param.file, std::regex("[^a-zA-Z]"), "_"); });

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
        Shown{"help-explain", {"explain", "--help"}}, Shown{"help-report", {"report", "--help"}},
        Shown{"explain-violation", {"explain", kHistories + "queue-violation.jsonl"}},
        Shown{"explain-color", {"explain", "--color", "always", kHistories + "queue-violation.jsonl"}},
        Shown{"explain-json", {"explain", "--json", kHistories + "queue-violation.jsonl"}},
        Shown{"explain-ok", {"explain", kHistories + "queue-ok.jsonl"}},
        Shown{"explain-narrow", {"explain", kReports + "many-processes.jsonl"}, "60"},
        Shown{"explain-wide", {"explain", kReports + "many-processes.jsonl"}, "160"},
        Shown{"explain-text-only", {"explain", kReports + "text-only.jsonl"}},
        Shown{"explain-text-only-json", {"explain", "--json", kReports + "text-only.jsonl"}},
        Shown{"report-unknown-ending", {"report", kHistories + "queue-ok.jsonl", "-o", "report.pdf"}},
        Shown{"report-nowhere", {"report", kHistories + "queue-ok.jsonl"}},
        Shown{"report-unwritable", {"report", kHistories + "queue-ok.jsonl", "-o", "/nowhere/a.svg"}},
        Shown{"help-models", {"models", "--help"}}, Shown{"help-verify", {"verify", "--help"}},
        Shown{"help-watch", {"watch", "--help"}}, Shown{"help-depth", {"depth", "--help"}},
        Shown{"help-merge", {"merge", "--help"}}, Shown{"models", {"models"}}),
    [](const auto& test) { return std::regex_replace(test.param.name, std::regex("-"), "_"); });

}  // namespace
}  // namespace plumb::test
