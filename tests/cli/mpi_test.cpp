// plumb check --mpi, under mpirun on this machine: what it prints and its status are those of one process,
// however many ranks there are, and whichever of them dies.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <thread>

#include <fmt/format.h>

#include "cli/command.hpp"
#include "paths.hpp"

namespace plumb::test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using Words = std::vector<std::string>;

Setting ranks(int count) {
  return {.env = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}},
          .under = {"mpirun", "--oversubscribe", "-n", std::to_string(count)}};
}

// Apart from times; the counts of configurations are to be the same.
std::string without_times(const std::string& text) {
  static const std::regex kTimes("[0-9.]+ ms|\"elapsed_ms\":[0-9.]+");
  return std::regex_replace(text, kTimes, "#");
}

// A map: of each key every order of `writes` writes is tried, where its last read is wrong.
std::string hard_keys(int keys, int writes, int wrong_from) {
  std::string text = "{\"plumb\":1,\"model\":\"map\"}\n";
  for (int key = 0; key < keys; ++key) {
    const int process = key * 100;
    for (int i = 0; i < writes - key % 3; ++i)
      text += operation(process + i, "put", fmt::format("{},{}", key, i), "null", i, 100 + i);
    text += operation(process + 50, "get", std::to_string(key), key >= wrong_from ? "999" : "1", 200 + key,
                      300 + key);
  }
  return text;
}

class Mpi : public testing::Test {
 protected:
  void SetUp() override {
    const fs::path helper = fs::path(PLUMB_COMMAND).parent_path() / "plumb-mpi";
    if (!fs::exists(helper) || std::system("command -v mpirun >/dev/null") != 0)
      GTEST_SKIP() << "no MPI on this machine";
  }

  // The same with so many ranks, whatever the order in which they were faster.
  void compare(const Words& arguments, std::initializer_list<int> counts, const std::string& directory) {
    const Ran here = run(arguments, {.directory = directory});
    Words with = arguments;
    with.emplace_back("--mpi");
    for (const int count : counts) {
      Setting setting = ranks(count);
      setting.directory = directory;
      const Ran there = run(with, setting);
      EXPECT_EQ(there.status, here.status) << count << there.err;
      EXPECT_EQ(without_times(there.out), without_times(here.out)) << count;
      if (here.status == 0) {
        EXPECT_EQ(there.err, here.err) << count;  // of any other status mpirun has something to say
      }
    }
  }

  // All verdicts, of several models; one file that is none, one that is not there, and one with many
  // histories.
  void fill() {
    for (int seed = 1; seed <= 8; ++seed) {
      for (const char* model : {"queue", "map", "set", "stack"}) {
        Words words = {"generate", "-m", model, "-n", "60", "-s", std::to_string(seed)};
        if (seed % 4 == 0) words.emplace_back("--spoil");
        const std::string made = run(words).out;
        folder_.write(fmt::format("all/{}-{}.jsonl", model, seed), made);
        many_ += made;
      }
    }
    folder_.write("all/broken.jsonl", "{\"process\":0,\n");
    folder_.write("all/no-model.jsonl", operation(0, "enqueue", "1", "null", 0, 1));
  }

  Folder folder_;
  std::string many_;
};

TEST_F(Mpi, SaysWhatOneProcessSays) {
  fill();
  compare({"check", "all"}, {1, 2, 4}, folder_.path(""));
  compare({"check", "all", "absent.jsonl", "--json", "--engine", "monitor"}, {3}, folder_.path(""));
  compare({"check", "all/map-1.jsonl", "all/queue-1.jsonl", "-v"}, {2}, folder_.path(""));
  compare({"check", "all", "--quiet", "--jobs", "2"}, {2}, folder_.path(""));
}

TEST_F(Mpi, TheHistoriesOfALargeFileAreHandedOut) {
  fill();
  std::string large;
  for (int i = 0; i < 40; ++i) large += many_;
  folder_.write("large.jsonl", large);
  compare({"check", "large.jsonl", "all", "--json"}, {3}, folder_.path(""));
}

TEST_F(Mpi, ThePartsOfAHardHistoryAreHandedOut) {
  folder_.write("violation.jsonl", hard_keys(9, 12, 4));
  folder_.write("fine.jsonl", hard_keys(9, 12, 9));
  compare({"check", "violation.jsonl", "fine.jsonl", "--engine", "wgl", "--json"}, {1, 2, 4},
          folder_.path(""));
  compare({"check", "violation.jsonl", "--engine", "hitting", "--only", "-v"}, {3}, folder_.path(""));
}

TEST_F(Mpi, CertificatesAndTheReportAreThoseOfOneProcess) {
  fill();
  folder_.write("all/hard.jsonl", hard_keys(5, 11, 4));
  (void)run({"check", "all", "--certificate", folder_.path("a.cert"), "--report", folder_.path("a.svg")},
            {.directory = folder_.path("")});
  Setting setting = ranks(3);
  setting.directory = folder_.path("");
  (void)run(
      {"check", "all", "--mpi", "--certificate", folder_.path("b.cert"), "--report", folder_.path("b.svg")},
      setting);
  EXPECT_EQ(read_whole(folder_.path("b.cert")), read_whole(folder_.path("a.cert")));
  EXPECT_EQ(without_times(read_whole(folder_.path("b.svg"))),
            without_times(read_whole(folder_.path("a.svg"))));
  EXPECT_THAT(read_whole(folder_.path("b.svg")), HasSubstr("<svg"));
}

TEST_F(Mpi, WithoutMpirunItIsOneRank) {
  folder_.write("fine.jsonl", hard_keys(2, 4, 2));
  const Ran ran = run({"check", "--mpi", "fine.jsonl"}, {.directory = folder_.path("")});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("✓ linearizable  fine.jsonl"));
}

// The processes of ranks other than 0: each leads a session of its own.
std::vector<pid_t> processes_about(const std::string& file) {
  std::vector<pid_t> found;
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const pid_t process = std::atoi(entry.path().filename().c_str());
    if (process <= 0 || getsid(process) != process) continue;
    if (read_whole((entry.path() / "cmdline").string()).find(file) != std::string::npos)
      found.push_back(process);
  }
  return found;
}

TEST_F(Mpi, ARankThatDiesLosesNoVerdict) {
  for (int i = 0; i < 24; ++i)
    folder_.write(fmt::format("all/{:02}.jsonl", i), hard_keys(1, 13, i % 4 == 3 ? 1 : 0));
  folder_.write("all/last.jsonl", hard_keys(6, 12, 4));
  const Words arguments = {"check", folder_.path("all"), "--engine", "wgl", "--json"};
  const Ran here = run(arguments);
  Words with = arguments;
  with.emplace_back("--mpi");
  Process process(with, ranks(4));
  ASSERT_TRUE(process.wait_for_output("00.jsonl", std::chrono::seconds(60)));
  const auto others = processes_about(folder_.path("all"));
  ASSERT_EQ(others.size(), 3U);
  kill(others[0], SIGKILL);
  kill(others[1], SIGSTOP);  // a rank that hangs for a while is waited for
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(others[1], SIGCONT);
  const Ran there = process.finish();
  EXPECT_EQ(there.status, here.status) << there.err;
  EXPECT_EQ(without_times(there.out), without_times(here.out));
  EXPECT_THAT(there.err, HasSubstr("is gone; the other ranks do its work"));
  for (int i = 0; i < 200 && !processes_about(folder_.path("all")).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(processes_about(folder_.path("all")).empty());
}

TEST_F(Mpi, CtrlCEndsAllRanks) {
  folder_.write("all/a.jsonl", hard_keys(1, 3, 1));
  folder_.write("all/b.jsonl", "{\"plumb\":1,\"model\":\"register\"}\n" + hard_history());
  Process process({"check", "--mpi", folder_.path("all"), "--engine", "wgl", "--json"}, ranks(2));
  ASSERT_TRUE(process.wait_for_output("a.jsonl", std::chrono::seconds(60)));
  process.signal(SIGINT);
  const Ran ran = process.finish();
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.err, HasSubstr("interrupted; 1 of 2 files checked to the end"));
  for (int i = 0; i < 200 && !processes_about(folder_.path("all")).empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_TRUE(processes_about(folder_.path("all")).empty());
}

TEST_F(Mpi, RanksMustBeTheSame) {
  const std::string a = folder_.write("a.jsonl", hard_keys(1, 3, 1));
  const std::string b = folder_.write("b.jsonl", hard_keys(1, 3, 1));
  const Ran ran = run({"check", "--mpi", a, ":", "-n", "1", PLUMB_COMMAND, "check", "--mpi", b}, ranks(1));
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("runs another build, or was given other arguments"));
  EXPECT_EQ(ran.out, "");
}

TEST_F(Mpi, WithoutTheHelperItSaysSo) {
  const std::string file = folder_.write("a.jsonl", hard_keys(1, 3, 1));
  const Ran ran = run({"check", "--mpi", file}, {.env = {{"PLUMB_MPI", "/nowhere/plumb-mpi"}}});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("/nowhere/plumb-mpi"));
}

}  // namespace
}  // namespace plumb::test
