// plumb merge: reports, certificates and JUnit as one process writes them; what is missing; what does not fit together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "cli/check_pieces.hpp"
#include "cli/command.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

class Merge : public testing::Test {
 protected:
  Merge() {
    for (int i = 0; i < 5; ++i) {
      const std::string name = "logs/" + std::to_string(i) + ".jsonl";
      folder_.write(name, "");
      std::vector<std::string> words = {"generate", "-m", "queue", "-n", "20", "-o", folder_.path(name)};
      words.insert(words.end(), {"-s", std::to_string(i)});
      if (i >= 3) words.emplace_back("--spoil");
      EXPECT_EQ(run(words).status, 0);
    }
  }
  Ran plumb(const std::vector<std::string>& words) const {
    return run(words, {.directory = folder_.path("")});
  }
  Ran shard(const std::string& which, const std::string& journal, std::vector<std::string> more = {}) const {
    std::vector<std::string> words = {"check", "logs", "--shard", which, "--journal", journal};
    words.insert(words.end(), more.begin(), more.end());
    return plumb(words);
  }
  [[nodiscard]] std::string text(const std::string& name) const {
    static const std::regex kTime("time(stamp)?=\"[^\"]+\"");
    return std::regex_replace(without_measurements(read_whole(folder_.path(name))), kTime, "time=\"#\"");
  }

  Folder folder_;
};

TEST_F(Merge, WritesWhatOneProcessWrites) {
  plumb({"check", "logs", "--certificate", "c", "--junit", "u.xml", "--report", "r.txt"});
  // Each has files of its own: they may share a folder.
  for (const char* i : {"0", "1"}) {
    const std::string own(i);
    shard(own + "/2", "j" + own,
          {"--certificate", "c" + own, "--junit", "u" + own + ".xml", "--report", "r" + own + ".txt"});
  }
  const Ran without = plumb({"merge", "j1", "j0"});
  EXPECT_EQ(without.status, 1);
  EXPECT_THAT(without.err,
              HasSubstr("the runs had different files for --junit; none is written without --junit"));
  const Ran merged =
      plumb({"merge", "j1", "j0", "--certificate", "c-all", "--junit", "u-all.xml", "--report", "r-all.txt"});
  EXPECT_EQ(merged.status, 1);
  EXPECT_THAT(merged.err, IsEmpty());
  EXPECT_EQ(text("c-all"), text("c"));
  EXPECT_EQ(text("u-all.xml"), text("u.xml"));
  EXPECT_EQ(text("r-all.txt"), text("r.txt")) << "of the first violation";
}

TEST_F(Merge, WritesWhereAllRunsWere) {
  for (const char* i : {"0/2", "1/2"})
    shard(i, std::string("j") + i[0], {"--junit", "u.xml", "--report", "r.txt"});
  const std::string of_shard = text("u.xml");
  EXPECT_EQ(plumb({"merge", "j0", "j1"}).status, 1);
  EXPECT_THAT(of_shard, HasSubstr("tests=\"2\""));
  EXPECT_THAT(text("u.xml"), HasSubstr("tests=\"5\""));
}

TEST_F(Merge, WhatTheRunsDidNotMakeIsRefused) {
  shard("0/1", "j", {"--report", "r.txt"});
  const Ran junit = plumb({"merge", "j", "--junit", "u.xml"});
  EXPECT_EQ(junit.status, 2);
  EXPECT_THAT(junit.err, HasSubstr("--junit: the journals were written without --junit"));
  EXPECT_THAT(junit.out, IsEmpty());
  EXPECT_EQ(plumb({"merge", "j", "--report", "r.svg"}).status, 2);
}

TEST_F(Merge, NamesWhatIsMissing) {
  shard("0/3", "a");
  const Ran ran = plumb({"merge", "a"});
  EXPECT_EQ(ran.status, 1) << "there is a violation";
  EXPECT_EQ(ran.err,
            "plumb merge: missing: logs/1.jsonl\nplumb merge: missing: logs/2.jsonl\nplumb merge: missing: "
            "logs/4.jsonl\n");
  shard("1/3", "b");
  shard("2/5", "c");  // of another division: the pieces are the same
  EXPECT_EQ(plumb({"merge", "c"}).status, 3);
  EXPECT_EQ(plumb({"merge", "a", "b", "c"}).err, "");
}

TEST_F(Merge, NamesHistoriesThatAreMissing) {
  std::string many;
  for (int i = 0; i < 3; ++i) many += read_whole(folder_.path("logs/" + std::to_string(i) + ".jsonl"));
  folder_.write("many.jsonl", many);
  plumb({"check", "many.jsonl", "--shard", "1/2", "--journal", "j"});
  const Ran ran = plumb({"merge", "j"});
  EXPECT_EQ(ran.status, 3);
  EXPECT_EQ(ran.err,
            "plumb merge: missing: many.jsonl, history 0\nplumb merge: missing: many.jsonl, history 2\n");
}

TEST_F(Merge, AShardThatLeftNothingIsMissing) {
  shard("0/2", "a");
  folder_.write("b", "");
  const Ran ran = plumb({"merge", "b", "a"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("missing: logs/1.jsonl"));
  const Ran nothing = plumb({"merge", "b"});
  EXPECT_EQ(nothing.status, 2);
  EXPECT_THAT(nothing.err, HasSubstr("b: is empty: nothing was finished"));
}

TEST_F(Merge, TwoThatAgreeAreOne) {
  shard("0/1", "a");
  shard("1/2", "b");
  const Ran ran = plumb({"merge", "a", "b", "a"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, IsEmpty());
  EXPECT_EQ(ran.out, plumb({"merge", "a"}).out);
}

// What one of them says is changed as a faulty machine might have done.
TEST_F(Merge, TwoThatDisagreeAreAnError) {
  shard("0/1", "a");
  const auto a = read_journal(folder_.path("a"));
  ASSERT_TRUE(a.ok());
  const auto head = cli::CheckHead::read(*a->head);
  auto piece = cli::CheckedPiece::read(a->lines[1]);
  ASSERT_TRUE(head && piece);
  piece->items.front().outcome = Outcome::kViolation;
  auto b = Journal::open(folder_.path("b"));
  ASSERT_TRUE(b.ok() && b->begin(*a->head) && b->append(piece->line(*head)));
  const Ran ran = plumb({"merge", "a", "b"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err,
              HasSubstr("logs/1.jsonl: the journals disagree: 'linearizable' in a, 'violation' in b"));
  EXPECT_THAT(ran.out, IsEmpty());
}

TEST_F(Merge, OfOtherFilesIsAnError) {
  shard("0/1", "a");
  folder_.write("logs/1.jsonl", read_whole(folder_.path("logs/2.jsonl")));
  shard("0/1", "b");
  const Ran ran = plumb({"merge", "a", "b"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("logs/1.jsonl: was not the same file for a and for b"));
  EXPECT_THAT(ran.out, IsEmpty());
}

TEST_F(Merge, OtherRunsAreRefused) {
  shard("0/2", "a");
  shard("1/2", "b", {"--json"});
  const Ran ran = plumb({"merge", "a", "b"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("b: does not go with a: it was written with other arguments"));
}

TEST_F(Merge, BadInput) {
  EXPECT_EQ(plumb({"merge"}).status, 2);
  EXPECT_THAT(plumb({"merge", "nowhere"}).err, HasSubstr("nowhere: cannot read"));
  EXPECT_THAT(plumb({"merge", "logs/1.jsonl"}).err, HasSubstr("logs/1.jsonl: is no journal of plumb"));
  EXPECT_THAT(plumb({"merge", "logs"}).err, HasSubstr("logs: is a folder"));
  shard("0/1", "j");
  std::string journal = read_whole(folder_.path("j"));
  journal.replace(journal.find("linearizable"), 12, "violation   ");
  folder_.write("j", journal);
  const Ran changed = plumb({"merge", "j"});
  EXPECT_EQ(changed.status, 2);
  EXPECT_THAT(changed.err, HasSubstr("j:2:1: this line was changed or damaged"));
  EXPECT_THAT(changed.out, IsEmpty());
}

}  // namespace
}  // namespace plumb::test
