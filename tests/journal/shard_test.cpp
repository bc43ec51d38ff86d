// Which shard a process is: as the command line says it, and as those say it who start processes.
#include "journal/shard.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <map>

namespace plumb {
namespace {

using testing::HasSubstr;
using Variables = std::map<std::string, std::string>;

Result<std::optional<Shard>> found(const Variables& variables,
                                   const ShardChoice& choice = {.environment = true}) {
  return find_shard(choice, [&](const char* name) -> const char* {
    const auto at = variables.find(name);
    return at == variables.end() ? nullptr : at->second.c_str();
  });
}

TEST(Shard, OfTheCommandLine) {
  EXPECT_EQ(parse_shard("0/1")->given, (Shard{0, 1}));
  EXPECT_EQ(parse_shard("6/7")->given, (Shard{6, 7}));
  EXPECT_TRUE(parse_shard("env")->environment);
  for (const char* text : {"", "1", "1/", "/2", "2/2", "1/0", "-1/2", "1/2/3", "a/b", " 0/2", "ENV"})
    EXPECT_FALSE(parse_shard(text).ok()) << text;
}

TEST(Shard, HasEveryNthPiece) {
  for (std::size_t count = 1; count <= 5; ++count) {
    for (std::size_t piece = 0; piece < 20; ++piece) {
      std::size_t owners = 0;
      for (std::size_t i = 0; i < count; ++i) owners += Shard{i, count}.has(piece) ? 1 : 0;
      EXPECT_EQ(owners, 1U);
    }
  }
}

TEST(Shard, OfWhoeverStartsProcesses) {
  EXPECT_EQ(*found({{"GTEST_TOTAL_SHARDS", "3"}, {"GTEST_SHARD_INDEX", "2"}}), (Shard{2, 3}));
  EXPECT_EQ(*found({{"TEST_TOTAL_SHARDS", "3"}, {"TEST_SHARD_INDEX", "0"}}), (Shard{0, 3}));
  EXPECT_EQ(*found({{"SLURM_ARRAY_TASK_COUNT", "4"}, {"SLURM_ARRAY_TASK_ID", "3"}}), (Shard{3, 4}));
  EXPECT_EQ(*found({{"JOB_COMPLETIONS", "4"}, {"JOB_COMPLETION_INDEX", "1"}}), (Shard{1, 4}));
  EXPECT_EQ(*found({{"CI_NODE_TOTAL", "4"}, {"CI_NODE_INDEX", "4"}}), (Shard{3, 4}))
      << "GitLab counts from 1";
}

TEST(Shard, ArraysOfSlurmBeginAnywhere) {
  const Variables array = {{"SLURM_ARRAY_TASK_COUNT", "3"},
                           {"SLURM_ARRAY_TASK_ID", "14"},
                           {"SLURM_ARRAY_TASK_MIN", "10"},
                           {"SLURM_ARRAY_TASK_STEP", "2"}};
  EXPECT_EQ(*found(array), (Shard{2, 3}));
  Variables odd = array;
  odd["SLURM_ARRAY_TASK_ID"] = "13";  // --array=10,13,…: no shard follows from that
  EXPECT_FALSE(found(odd).ok());
}

TEST(Shard, OnlyGoogleTestIsHeardWithoutBeingAsked) {
  const Variables all = {{"GTEST_TOTAL_SHARDS", "3"},
                         {"GTEST_SHARD_INDEX", "2"},
                         {"TEST_TOTAL_SHARDS", "9"},
                         {"TEST_SHARD_INDEX", "8"}};
  EXPECT_EQ(*found(all, {}), (Shard{2, 3}));
  EXPECT_EQ(*found({{"TEST_TOTAL_SHARDS", "9"}, {"TEST_SHARD_INDEX", "8"}}, {}), std::nullopt);
  EXPECT_EQ(*found(all, {.given = Shard{0, 2}}), (Shard{0, 2})) << "the command line comes first";
  EXPECT_EQ(*found({}), std::nullopt) << "nobody shares anything: all of it";
}

TEST(Shard, WhatIsWrongIsSaid) {
  const auto what = [](const Variables& variables) { return found(variables).error().message; };
  EXPECT_THAT(what({{"GTEST_TOTAL_SHARDS", "3"}, {"GTEST_SHARD_INDEX", "3"}}), HasSubstr("no such shard"));
  EXPECT_THAT(what({{"GTEST_TOTAL_SHARDS", "three"}, {"GTEST_SHARD_INDEX", "0"}}),
              HasSubstr("GTEST_TOTAL_SHARDS is \"three\""));
  EXPECT_THAT(what({{"CI_NODE_TOTAL", "3"}, {"CI_NODE_INDEX", "0"}}), HasSubstr("no such shard"));
  EXPECT_THAT(what({{"JOB_COMPLETION_INDEX", "3"}}), HasSubstr("JOB_COMPLETIONS is not"));
  EXPECT_EQ(*found({{"CI_NODE_TOTAL", "1"}}), std::nullopt) << "GitLab, where a job is one";
}

TEST(Shard, BazelIsTold) {
  const auto path = std::filesystem::temp_directory_path() / "plumb_shard_test_status";
  std::filesystem::remove(path);
  const Variables bazel = {
      {"TEST_TOTAL_SHARDS", "3"}, {"TEST_SHARD_INDEX", "1"}, {"TEST_SHARD_STATUS_FILE", path.string()}};
  EXPECT_EQ(*found(bazel, {}), std::nullopt);
  EXPECT_FALSE(std::filesystem::exists(path)) << "nothing is shared";
  EXPECT_EQ(*found(bazel), (Shard{1, 3}));
  EXPECT_TRUE(std::filesystem::exists(path));
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace plumb
