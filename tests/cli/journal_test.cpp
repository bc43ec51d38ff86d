// Journals of `plumb check`: a run that was killed goes on where it was, whenever that happened, and nobody else's journal is taken
// for its own.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <random>
#include <thread>

#include "cli/command.hpp"
#include "paths.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class CheckJournals : public testing::Test {
 protected:
  void generate(const std::string& name, const std::vector<std::string>& more) const {
    folder_.write(name, "");
    std::vector<std::string> words = {"generate", "-m", "queue", "-o", folder_.path(name)};
    words.insert(words.end(), more.begin(), more.end());
    ASSERT_EQ(run(words).status, 0);
  }
  void few_logs() const {
    generate("logs/a.jsonl", {"-n", "20"});
    generate("logs/b.jsonl", {"-n", "20", "--spoil"});
    generate("logs/c.jsonl", {"-n", "20", "-s", "3"});
  }
  [[nodiscard]] Ran plumb(const std::vector<std::string>& words) const {
    return run(words, {.directory = folder_.path("")});
  }
  [[nodiscard]] std::size_t pieces() const {
    const std::string text = read_whole(folder_.path("j"));
    return static_cast<std::size_t>(std::ranges::count(text, '\n')) - 1;
  }
  void refused(const std::vector<std::string>& words, const std::string& why) const {
    const std::string before = read_whole(folder_.path("j"));
    const Ran ran = plumb(words);
    EXPECT_EQ(ran.status, 2);
    EXPECT_THAT(ran.err, HasSubstr(why));
    EXPECT_THAT(ran.out, IsEmpty());
    EXPECT_EQ(read_whole(folder_.path("j")), before) << "it stays as it is";
  }

  Folder folder_;
};

const std::vector<std::string> kCheck = {"check", "logs", "--journal", "j"};

TEST_F(CheckJournals, TheSameAgainIsToldAgain) {
  few_logs();
  const Ran first = plumb(kCheck);
  const std::string journal = read_whole(folder_.path("j"));
  const Ran second = plumb(kCheck);
  EXPECT_EQ(first.out, second.out) << "even the times";
  EXPECT_EQ(second.status, 1);
  EXPECT_EQ(read_whole(folder_.path("j")), journal);
  const Ran merged = plumb({"merge", "j"});
  EXPECT_EQ(merged.out, first.out);
  EXPECT_EQ(merged.status, 1);
}

TEST_F(CheckJournals, WhatIsMissingIsDone) {
  few_logs();
  ASSERT_EQ(plumb({"check", "logs", "--journal", "j", "--shard", "1/3"}).status, 1);
  EXPECT_EQ(pieces(), 1U);
  const Ran all = plumb(kCheck);
  EXPECT_EQ(pieces(), 3U);
  EXPECT_EQ(without_measurements(all.out), without_measurements(plumb({"check", "logs"}).out));
}

TEST_F(CheckJournals, CutOffAtEveryByte) {
  few_logs();
  const Ran whole = plumb(kCheck);
  const std::string journal = read_whole(folder_.path("j"));
  constexpr std::size_t kStep = 7;  // every byte: tests/journal
  for (std::size_t size = 0; size < journal.size(); size += kStep) {
    folder_.write("j", journal.substr(0, size));
    const Ran ran = plumb(kCheck);
    ASSERT_EQ(without_measurements(ran.out), without_measurements(whole.out)) << size;
    ASSERT_EQ(ran.status, 1) << size;
    ASSERT_EQ(pieces(), 3U) << size;
  }
}

TEST_F(CheckJournals, OtherRunsAreRefused) {
  few_logs();
  ASSERT_EQ(plumb(kCheck).status, 1);
  refused({"check", "logs", "--journal", "j", "-m", "queue"},
          "j: was written with other arguments: plumb check logs;");
  refused({"check", "logs", "--journal", "j", "--json"}, "was written with other arguments");
  refused({"check", "logs", "--journal", "j", "--timeout=5"}, "was written with other arguments");
  refused({"check", "logs/a.jsonl", "--journal", "j"}, "was written with other arguments");
  refused({"check", "logs", "--journal", "j", "--junit", "x"},
          "was written with other files to write: nothing");
  generate("logs/d.jsonl", {"-n", "5"});
  refused(kCheck, "was written when there were other files: 3; now there are 4");
}

TEST_F(CheckJournals, SomeOptionsDoNotMatter) {
  few_logs();
  ASSERT_EQ(plumb(kCheck).status, 1);
  EXPECT_EQ(plumb({"check", "--jobs", "2", "logs", "--journal=j"}).status, 1);
  EXPECT_EQ(plumb({"check", "--shard", "0/2", "logs", "--journal=j"}).status, 0);
  EXPECT_EQ(pieces(), 3U);
}

TEST_F(CheckJournals, ChangedFilesAreRefused) {
  few_logs();
  ASSERT_EQ(plumb(kCheck).status, 1);
  const std::string text = read_whole(folder_.path("logs/b.jsonl"));
  generate("logs/b.jsonl", {"-n", "20", "--spoil", "-s", "9"});
  refused(kCheck, "logs/b.jsonl: has changed since its verdict was written to j");
  folder_.write("logs/b.jsonl", text);  // as it was, if later
  EXPECT_EQ(plumb(kCheck).status, 1);
}

TEST_F(CheckJournals, AChangedModelIsRefused) {
  const std::string model = R"(#include <plumb/object_model.hpp>
struct Ids {
  int last = 0;
  int next() { return ++last; }
  bool operator==(const Ids&) const = default;
};
PLUMB_MODEL(Ids, model) { model.operation("next", &Ids::next); }
)";
  folder_.write("ids.jsonl", operation(0, "next", "", "1", 0, 10));
  folder_.write("ids.cpp", model);
  const std::vector<std::string> words = {"check", "ids.jsonl", "--spec", "ids.cpp", "--journal", "j"};
  ASSERT_EQ(plumb(words).status, 0);
  folder_.write("ids.cpp", model + "// changed\n");
  refused(words, "j: was written with another content of the file of --spec");
}

TEST_F(CheckJournals, AnotherProgramIsRefused) {
  few_logs();
  ASSERT_EQ(plumb(kCheck).status, 1);
  std::string other = read_whole(PLUMB_COMMAND);
  other += '\0';  // the same, by another name
  const std::string program = folder_.write("other", other);
  std::filesystem::permissions(program, std::filesystem::perms::owner_all);
  const Ran ran = run({}, {.directory = folder_.path(""),
                           .under = {"/bin/sh", "-c", program + " check logs --journal j; exit $?"}});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("j: was written by another program: plumb "));
}

TEST_F(CheckJournals, WhatIsNoJournalIsLeftAlone) {
  few_logs();
  const std::string text = read_whole(folder_.path("logs/a.jsonl"));
  const Ran ran = plumb({"check", "logs", "--journal", "logs/a.jsonl"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("logs/a.jsonl: is no journal of plumb"));
  EXPECT_EQ(read_whole(folder_.path("logs/a.jsonl")), text);
  EXPECT_EQ(plumb({"check", "logs", "--journal", "logs"}).status, 2);
  EXPECT_EQ(plumb({"check", "logs", "--journal", "no/such/folder/j"}).status, 2);
}

TEST_F(CheckJournals, WhatCannotBeReadTwiceIsRefused) {
  const Ran ran = run({"check", "-", "-m", "queue", "--journal", folder_.path("j")},
                      {.input = operation(0, "enqueue", "1", "null", 0, 10)});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("-: cannot be read a second time"));
}

TEST_F(CheckJournals, WhatCouldNotBeReadIsTriedAgain) {
  few_logs();
  const std::vector<std::string> words = {"check", "logs/a.jsonl", "late.jsonl", "--journal", "j"};
  EXPECT_EQ(plumb(words).status, 2);
  EXPECT_EQ(plumb({"merge", "j"}).status, 2);
  generate("late.jsonl", {"-n", "20"});
  EXPECT_EQ(plumb(words).status, 0);
  EXPECT_EQ(plumb({"merge", "j"}).status, 0);
}

TEST_F(CheckJournals, AnUnknownVerdictIsAVerdict) {
  folder_.write("logs/a.jsonl", hard_history());
  folder_.write("logs/b.jsonl", hard_history());
  const std::vector<std::string> words = {"check", "logs", "-m",  "register",  "-e",
                                          "wgl",   "-t",   "0.1", "--journal", "j"};
  const Ran first = plumb(words);
  EXPECT_EQ(first.status, 3);
  EXPECT_EQ(pieces(), 2U);
  EXPECT_EQ(plumb(words).out, first.out);
  EXPECT_EQ(plumb({"merge", "j"}).out, first.out);
  EXPECT_EQ(plumb({"merge", "j"}).status, 3);
}

TEST_F(CheckJournals, WhatWasInterruptedIsDoneAgain) {
  generate("logs/a.jsonl", {"-n", "20"});
  folder_.write("logs/b.jsonl", "{\"plumb\":1,\"model\":\"register\"}\n" + hard_history());
  Process process({"check", "logs", "-e", "wgl", "--journal", "j"}, {.directory = folder_.path("")});
  ASSERT_TRUE(process.wait_for_output("a.jsonl", std::chrono::seconds(60)));
  process.signal(SIGINT);
  EXPECT_EQ(process.finish().status, 3);
  EXPECT_EQ(pieces(), 1U);
  const Ran merged = plumb({"merge", "j"});
  EXPECT_EQ(merged.status, 3);
  EXPECT_THAT(merged.err, HasSubstr("missing: logs/b.jsonl"));
}

// At moments that nobody chose: what is told in the end is what an undisturbed run tells, and little was done twice.
TEST_F(CheckJournals, KilledAtAnyMoment) {
  std::string many;
  for (int i = 0; i < 60; ++i) {
    const std::string name = "logs/" + std::to_string(i) + ".jsonl";
    generate(name, {"-n", "3000", "-s", std::to_string(i), i % 10 == 3 ? "--spoil" : "--repeat-values"});
    many += read_whole(folder_.path(name));
  }
  folder_.write("many.jsonl", many);
  std::mt19937 random(7);
  for (const char* input : {"logs", "many.jsonl"}) {
    std::filesystem::remove(folder_.path("j"));
    const std::vector<std::string> words = {"check", input, "--junit", "x", "--journal", "j"};
    const auto begin = std::chrono::steady_clock::now();
    const Ran whole = plumb({"check", input});
    const auto took = std::chrono::steady_clock::now() - begin;
    for (int i = 0; i < 10; ++i) {
      Process process(words, {.directory = folder_.path("")});
      std::this_thread::sleep_for(took * std::uniform_real_distribution(0.0, 0.5)(random));
      process.signal(SIGKILL);
      (void)process.finish();
    }
    const Ran last = plumb(words);
    EXPECT_EQ(without_measurements(last.out), without_measurements(whole.out));
    EXPECT_EQ(last.status, whole.status);
    const Ran merged = plumb({"merge", "j"});
    EXPECT_EQ(merged.out, last.out);
    EXPECT_EQ(merged.status, whole.status);
    EXPECT_EQ(pieces(), input == std::string("logs") ? 60U : 61U) << "no piece is there twice";
  }
}

}  // namespace
}  // namespace plumb::test
