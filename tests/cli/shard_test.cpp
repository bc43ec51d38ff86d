// Shards of `plumb check`: whatever N is, all of them together do what one process does, each piece once, in the same order once
// 'plumb merge' has put them together.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "cli/command.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(without_measurements(text));
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

class Shards : public testing::TestWithParam<int> {
 protected:
  Shards() {
    for (int i = 0; i < 4; ++i) {
      const std::string name = std::to_string(i);
      const std::string file = folder_.path("logs/" + name + ".jsonl");
      folder_.write("logs/" + name + ".jsonl", "");
      std::vector<std::string> words = {"generate", "-m", "queue", "-n", "30", "-s", name, "-o", file};
      if (i == 2) words.emplace_back("--spoil");
      EXPECT_EQ(run(words).status, 0);
      many_ += read_whole(file);
    }
    folder_.write("logs/4.jsonl", "{\"process\":\n");  // an error is a piece, too
    folder_.write("many.jsonl", many_);
  }

  [[nodiscard]] Ran check(std::vector<std::string> more) const {
    more.insert(more.begin(), "check");
    return run(more, {.directory = folder_.path("")});
  }
  // Compares N shards, and what becomes of them, with one process.
  void compare(const std::vector<std::string>& words) const {
    const Ran one = check(words);
    const int count = GetParam();
    std::vector<std::string> verdicts;
    std::vector<std::string> merge = {"merge"};
    int worst = 0;
    for (int i = count - 1; i >= 0; --i) {
      std::vector<std::string> mine = words;
      const std::string journal = std::to_string(i) + ".journal";
      mine.insert(mine.end(),
                  {"--shard", std::to_string(i) + "/" + std::to_string(count), "--journal", journal});
      const Ran ran = check(mine);
      for (const std::string& line : lines_of(ran.out)) verdicts.push_back(line);
      worst = std::max(worst, ran.status == 2 ? 100 : ran.status);
      merge.push_back(journal);
    }
    EXPECT_EQ(worst == 100 ? 2 : worst, one.status);
    const auto no_summaries = [](std::vector<std::string> lines) {
      std::erase_if(lines, [](const std::string& line) {
        return line.find("histor") < 4 && line.find("linearizable") != std::string::npos;
      });
      std::ranges::sort(lines);
      return lines;
    };
    EXPECT_EQ(no_summaries(verdicts), no_summaries(lines_of(one.out)));
    const Ran merged = run(merge, {.directory = folder_.path("")});
    EXPECT_EQ(without_measurements(merged.out), without_measurements(one.out));
    EXPECT_EQ(merged.err, one.err);
    EXPECT_EQ(merged.status, one.status);
  }

  Folder folder_;
  std::string many_;
};

TEST_P(Shards, OfAFolder) { compare({"logs"}); }
TEST_P(Shards, OfAFolderForAProgram) { compare({"logs", "-m", "queue", "--json"}); }
TEST_P(Shards, OfFilesTheOneAfterTheOther) {
  compare({"logs/2.jsonl", "nowhere.jsonl", "logs/2.jsonl", "-v"});
}
TEST_P(Shards, OfTheHistoriesOfAFile) { compare({"many.jsonl"}); }
TEST_P(Shards, OfTheHistoriesOfAFileInAFolder) { compare({"many.jsonl", "--json", "-m", "queue"}); }
TEST_P(Shards, OfAFileThatIsWrong) { compare({"logs/4.jsonl"}); }
TEST_P(Shards, OfAFileThatIsNotThere) { compare({"nowhere.jsonl"}); }
TEST_P(Shards, WithoutAWord) { compare({"logs", "-q"}); }

INSTANTIATE_TEST_SUITE_P(AnyNumber, Shards, testing::Values(1, 2, 3, 5, 9));

TEST(ShardsOfWhoever, TheEnvironmentSays) {
  const Folder folder;
  for (const char* name : {"a.jsonl", "b.jsonl", "c.jsonl"})
    folder.write(name, operation(0, "enqueue", "1", "null", 0, 10));
  const auto check = [&](std::vector<std::string> more,
                         std::vector<std::pair<std::string, std::string>> env) {
    more.insert(more.begin(), {"check", "a.jsonl", "b.jsonl", "c.jsonl", "-m", "queue"});
    return run(more, {.directory = folder.path(""), .env = std::move(env)});
  };
  const auto b = testing::AllOf(HasSubstr("b.jsonl"), testing::Not(HasSubstr("a.jsonl")),
                                testing::Not(HasSubstr("c.jsonl")));
  EXPECT_THAT(check({"--shard", "1/3"}, {}).out, b);
  EXPECT_THAT(check({}, {{"GTEST_TOTAL_SHARDS", "3"}, {"GTEST_SHARD_INDEX", "1"}}).out, b);
  EXPECT_THAT(check({"--shard=env"}, {{"JOB_COMPLETIONS", "3"}, {"JOB_COMPLETION_INDEX", "1"}}).out, b);
  EXPECT_THAT(check({"--shard=env"}, {{"CI_NODE_TOTAL", "3"}, {"CI_NODE_INDEX", "2"}}).out, b);
  EXPECT_THAT(check({"--shard=env"}, {{"SLURM_ARRAY_TASK_COUNT", "3"}, {"SLURM_ARRAY_TASK_ID", "1"}}).out, b);
  EXPECT_THAT(check({}, {{"CI_NODE_TOTAL", "3"}, {"CI_NODE_INDEX", "2"}}).out, HasSubstr("3 histories"));
  EXPECT_THAT(check({"--shard=env"}, {}).out, HasSubstr("3 histories"));
  const std::string status = folder.path("status");
  EXPECT_THAT(
      check({"--shard=env"},
            {{"TEST_TOTAL_SHARDS", "3"}, {"TEST_SHARD_INDEX", "1"}, {"TEST_SHARD_STATUS_FILE", status}})
          .out,
      b);
  EXPECT_TRUE(std::filesystem::exists(status));
  const Ran wrong = check({"--shard=env"}, {{"TEST_TOTAL_SHARDS", "3"}, {"TEST_SHARD_INDEX", "4"}});
  EXPECT_EQ(wrong.status, 2);
  EXPECT_THAT(wrong.err, HasSubstr("TEST_SHARD_INDEX is 4 and TEST_TOTAL_SHARDS is 3"));
  EXPECT_THAT(wrong.out, IsEmpty());
}

TEST(ShardsOfWhoever, OneWithNothingToDoHolds) {
  const Folder folder;
  const std::string file = folder.write("a.jsonl", operation(0, "enqueue", "1", "null", 0, 10));
  const Ran ran = run({"check", file, "-m", "queue", "--shard", "3/4"});
  EXPECT_EQ(ran.status, 0);
  EXPECT_THAT(ran.out + ran.err, IsEmpty());
}

}  // namespace
}  // namespace plumb::test
