// What a package installs beside the command: completions that a shell takes, a manual page that groff takes.
#include <cstdlib>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "cli/options.hpp"
#include "cli/verbs.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

// Whether a program is there, and with what it ends, given a script in a file.
bool has(const std::string& program) {
  return std::system(("command -v " + program + " >/dev/null").c_str()) ==
         0;  // NOLINT(concurrency-mt-unsafe)
}
std::string output_of(const std::string& command) {
  const Folder folder;
  const std::string out = folder.path("out");
  EXPECT_EQ(std::system((command + " >" + out + " 2>&1").c_str()), 0)  // NOLINT(concurrency-mt-unsafe)
      << command << "\n"
      << read_whole(out);
  return read_whole(out);
}

class Bash : public testing::Test {
 protected:
  // What Tab proposes after these words; the last one is begun.
  std::string propose(const std::string& words) {
    const std::string script = folder_.write("completion", run({"--completion", "bash"}).out);
    const std::string ask = folder_.write(
        "ask", ". " + script + "\nCOMP_WORDS=(" + words +
                   ")\nCOMP_CWORD=$((${#COMP_WORDS[@]} - 1))\n_plumb\nprintf '%s\\n' \"${COMPREPLY[@]}\"\n");
    return output_of("cd " + folder_.path("") + " && bash " + ask);
  }
  Folder folder_;
};

TEST_F(Bash, ProposesVerbsOptionsAndTheirValues) {
  EXPECT_EQ(propose("plumb che"), "check\n");
  EXPECT_EQ(propose("plumb check --par"), "\n");
  EXPECT_EQ(propose("plumb check --no-p"), "--no-partition\n");
  EXPECT_EQ(propose("plumb check run.jsonl --model prio"), "priority-queue\n");
  EXPECT_EQ(propose("plumb generate -m queue --profile b"), "balanced\nbursts\n");
  EXPECT_EQ(propose("plumb help rep"), "report\n");
}

TEST_F(Bash, ProposesFilesWhereFilesAreExpected) {
  folder_.write("recording.jsonl", "");
  EXPECT_EQ(propose("plumb check rec"), "recording.jsonl\n");
  EXPECT_EQ(propose("plumb check --report rec"), "recording.jsonl\n");
}

TEST(Completions, HaveEveryVerbAndOption) {
  for (const std::string shell : {"bash", "zsh"}) {
    const Ran ran = run({"--completion", shell});
    EXPECT_EQ(ran.status, 0);
    for (const auto& verb : cli::verb_table()) EXPECT_THAT(ran.out, HasSubstr(std::string(verb.name)));
    for (const auto& row : cli::option_table()) EXPECT_THAT(ran.out, HasSubstr(std::string(row.long_name())));
  }
  EXPECT_EQ(run({"--completion", "fish"}).status, 2);
  EXPECT_EQ(run({"--completion"}).status, 2);
}

TEST(Completions, AreReadByZsh) {
  if (!has("zsh")) GTEST_SKIP() << "no zsh here";
  const Folder folder;
  const std::string script = folder.write("_plumb", run({"--completion", "zsh"}).out);
  EXPECT_THAT(output_of("zsh -n " + script), IsEmpty());
}

TEST(ManPage, IsTakenByGroffWithoutAWarningAndHasEveryOption) {
  const std::string page = run({"--man-page"}).out;
  for (const auto& verb : cli::verb_table())
    EXPECT_THAT(page, HasSubstr(".B plumb " + std::string(verb.name)));
  if (!has("groff")) GTEST_SKIP() << "no groff here";
  const Folder folder;
  const std::string file = folder.write("plumb.1", page);
  const std::string shown = output_of("groff -K utf8 -man -Tutf8 -ww -P-cbou " + file);
  EXPECT_THAT(shown, Not(HasSubstr("warning")));
  for (const auto& row : cli::option_table()) EXPECT_THAT(shown, HasSubstr(std::string(row.long_name())));
}

}  // namespace
}  // namespace plumb::test
