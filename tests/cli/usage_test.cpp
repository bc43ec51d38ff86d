// How the command is called: help, the version, and every way to get it wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/verbs.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(Usage, VersionAndHelpAreOnStandardOutput) {
  const Ran version = run({"--version"});
  EXPECT_EQ(version.status, 0);
  EXPECT_THAT(version.out, StartsWith("plumb 0."));
  EXPECT_THAT(version.out, HasSubstr("\nbuilt: "));  // with what: bug reports have it
  for (const auto& arguments : {std::vector<std::string>{"--help"}, {"-h"}, {"help"}}) {
    const Ran help = run(arguments);
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.err, IsEmpty());
    for (const auto& verb : cli::verb_table())
      EXPECT_THAT(help.out, HasSubstr("plumb " + std::string(verb.name)));
  }
}

TEST(Usage, AloneTeachesAndIsAnError) {
  const Ran ran = run({});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, HasSubstr("plumb check FILE"));
}

TEST(Usage, HelpOfAVerbShowsEveryOptionOfTheTableAndExamples) {
  for (const auto& verb : cli::verb_table()) {
    const Ran help = run({std::string(verb.name), "--help"});
    EXPECT_EQ(help.status, 0);
    EXPECT_EQ(help.out, run({"help", std::string(verb.name)}).out);
    for (const auto& row : cli::option_table()) {
      const bool shown = help.out.find(std::string(row.help)) != std::string::npos;
      EXPECT_EQ(shown, row.belongs_to(cli::bit_of(verb.verb))) << verb.name << " " << row.names;
    }
    ASSERT_FALSE(verb.examples.empty());
    for (const auto& example : verb.examples) EXPECT_THAT(help.out, HasSubstr(std::string(example.command)));
  }
}

struct Mistake {
  std::vector<std::string> arguments;
  std::string says;
};

// Every mistake: status 2, nothing on standard output, a sentence that helps.
class Mistakes : public testing::TestWithParam<Mistake> {};

TEST_P(Mistakes, AreNamedWithWhatWasExpected) {
  const Ran ran = run(GetParam().arguments);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.out, IsEmpty());
  EXPECT_THAT(ran.err, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    Names, Mistakes,
    testing::Values(
        Mistake{{"chekc", "x"}, "unknown verb 'chekc' (did you mean 'check'?)"},
        Mistake{{"observe"}, "unknown verb 'observe'"},
        Mistake{{"help", "convret"}, "did you mean 'convert'?"},
        Mistake{{"--verison"}, "did you mean '--version'?"},
        Mistake{{"--json", "check", "x"}, "'--json' comes after the verb"},
        Mistake{{"check", "--modle", "queue", "x"}, "unknown option '--modle' (did you mean '--model'?)"},
        Mistake{{"check", "--tiemout=3", "x"}, "unknown option '--tiemout' (did you mean '--timeout'?)"},
        Mistake{{"check", "-x", "x"}, "unknown option '-x'"},
        Mistake{{"check", "--spoil", "x"}, "unknown option '--spoil' (an option of plumb generate)"},
        Mistake{{"check", "-k", "x"}, "unknown option '-k' (an option of plumb watch)"},
        Mistake{{"check", "-o", "x.html", "x"}, "'-o' (did you mean '--report report.html'?)"},
        Mistake{{"check", "--svg", "x"}, "'--svg' (did you mean '--report report.svg'?)"},
        Mistake{{"report", "--html", "x"}, "'--html' (did you mean '-o report.html'?)"},
        Mistake{{"report", "--txt", "x"}, "'--txt' (did you mean '-o report.txt'?)"},
        Mistake{{"explain", "-o", "x", "x"},
                "'-o' (it prints; 'plumb report FILE -o report.html' writes a file)"},
        Mistake{{"explain", "--svg", "x"}, "'plumb report FILE -o report.svg' writes a file"},
        Mistake{{"check", "--model", "quue", "x"}, "unknown model 'quue' (did you mean 'queue'?)"},
        Mistake{{"models", "stakc"}, "unknown model 'stakc' (did you mean 'stack'?)"},
        Mistake{{"generate", "-m", "sett"}, "did you mean 'set'?"},
        Mistake{{"check", "--format", "jsonn", "x"}, "did you mean 'jsonl'?"},
        Mistake{{"convert", "--to", "end", "x", "y"}, "did you mean 'edn'?"},
        Mistake{{"convert", "--to", "jepsen-log", "x", "y"}, "expected one of: auto, "},
        Mistake{{"check", "--engine", "wlg", "x"}, "did you mean 'wgl'?"},
        Mistake{{"check", "--engine", "smart", "x"},
                "expected one of: auto, monitor, frontier, wgl, hitting, brute"},
        Mistake{{"check", "--color", "sometimes", "x"}, "expected one of: auto, always, never"},
        Mistake{{"generate", "--profile", "burst"}, "did you mean 'bursts'?"}));

INSTANTIATE_TEST_SUITE_P(
    Numbers, Mistakes,
    testing::Values(
        Mistake{{"check", "--timeout", "-1", "x"}, "--timeout: '-1'; expected a number of seconds"},
        Mistake{{"check", "--timeout", "soon", "x"}, "--timeout: 'soon'"},
        Mistake{{"check", "--timeout", "nan", "x"}, "--timeout: 'nan'"},
        Mistake{{"check", "--timeout", "1s", "x"}, "--timeout: '1s'"},
        Mistake{{"check", "--jobs", "x", "x"}, "--jobs: 'x'; expected a whole number from 1 to 1024"},
        Mistake{{"check", "--jobs", "0", "x"}, "--jobs: '0'"},
        Mistake{{"check", "--memory", "2X", "x"}, "--memory: '2X'; expected a number of bytes"},
        Mistake{{"check", "--memory", "0", "x"}, "--memory: '0'"},
        Mistake{{"check", "--memory", "999999999T", "x"}, "--memory: '999999999T'"},
        Mistake{{"generate", "--overlap", "1.5"}, "--overlap: '1.5'; expected a number from 0 to 1"},
        Mistake{{"generate", "--operations", "-3"}, "--operations: '-3'; expected a whole number"},
        Mistake{{"generate", "--processes", "0"}, "--processes: '0'"},
        Mistake{{"generate", "--seed", "18446744073709551616"}, "--seed: '18446744073709551616'"}));

INSTANTIATE_TEST_SUITE_P(
    Shape, Mistakes,
    testing::Values(Mistake{{"check"}, "expected FILE…"}, Mistake{{"convert", "x"}, "expected IN OUT"},
                    Mistake{{"convert", "x", "y", "z"}, "did not expect 'z'"},
                    Mistake{{"models", "queue", "set"}, "did not expect 'set'"},
                    Mistake{{"generate", "x"}, "did not expect 'x'"},
                    Mistake{{"check", "x", "--timeout"}, "--timeout: expected a value after it"},
                    Mistake{{"check", "x", "--shard", "2/2"}, "--shard: expected I/N with I below N"},
                    Mistake{{"check", "x", "--shard", "half"}, "--shard: expected I/N (shard I of N"},
                    Mistake{{"check", "x", "--json=yes"}, "--json: takes no value"},
                    Mistake{{"check", "--spec", "", "x"}, "--spec: ''; expected a file name"},
                    Mistake{{"check", "-m", "set", "--spec", "a.cpp", "x"}, "expected only one of them"},
                    Mistake{{"convert", "-", "-"}, "use --to FORMAT"}));

// What would be ignored silently.
INSTANTIATE_TEST_SUITE_P(
    WithoutTheirMode, Mistakes,
    testing::Values(
        Mistake{{"check", "x", "--max-k", "3"}, "--max-k: does nothing without --relax CLASS=?"},
        Mistake{{"explain", "x", "--max-k", "3", "--relax", "dequeue=2"},
                "--max-k: does nothing without --relax CLASS=?"},
        Mistake{{"check", "x", "--max-depth", "3"}, "--max-depth: does nothing without --engine hitting"},
        Mistake{{"check", "x", "--mpi", "--shard", "0/2"}, "--shard: does nothing with --mpi"},
        Mistake{{"report", "x", "--only", "-e", "wgl"}, "--only: does nothing without --engine hitting"}));

TEST(Usage, OutputThatCannotBeWrittenIsAnError) {
  const Ran full = run({"models"}, {.out = "/dev/full"});
  EXPECT_EQ(full.status, 2);
  EXPECT_THAT(full.err, HasSubstr("cannot write to standard output: No space left on device"));
  const Ran closed = run({"models"}, {.out = "closed"});
  EXPECT_EQ(closed.status, 2);
  EXPECT_THAT(closed.err, HasSubstr("cannot write to standard output"));
}

}  // namespace
}  // namespace plumb::test
