// plumb check --mpi, under mpirun on this machine: what it prints and its status are those of one process,
// however many ranks there are; what dies ends in time, and what was finished by then is in the journal.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
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

constexpr std::chrono::seconds kLimit{240};

Setting ranks(int count) {
  return {.env = {{"OMPI_ALLOW_RUN_AS_ROOT", "1"}, {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"}},
          .under = {"mpirun", "--oversubscribe", "-n", std::to_string(count)},
          .limit = kLimit};
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
  const Ran ran = run({"check", "--mpi", "fine.jsonl"}, {.directory = folder_.path(""), .limit = kLimit});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("✓ linearizable  fine.jsonl"));
}

std::string command_of(pid_t process) { return read_whole(fmt::format("/proc/{}/cmdline", process)); }

pid_t parent_of(pid_t process) {
  std::istringstream stat(read_whole(fmt::format("/proc/{}/stat", process)));
  std::string text;
  pid_t parent = 0;
  std::getline(stat, text, ')');
  stat >> text >> parent;
  return parent;
}

// A run of 25 files that takes a second or so; the ranks are children of mpirun, each with plumb-mpi and a process that works.
class MpiFaults : public Mpi {
 protected:
  void SetUp() override {
    Mpi::SetUp();
    for (int i = 0; i < 24; ++i)
      folder_.write(fmt::format("all/{:02}.jsonl", i), hard_keys(1, 13, i % 4 == 3 ? 1 : 0));
    folder_.write("all/last.jsonl", hard_keys(6, 12, 4));
  }

  [[nodiscard]] Words check(Words more) const {
    Words words = {"check", folder_.path("all"), "--engine", "wgl", "--json"};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
  // The ranks, 0 first, once rank 0 has said something.
  static std::vector<pid_t> ranks_of(const Process& process) {
    EXPECT_TRUE(process.wait_for_output("00.jsonl", kLimit));
    std::vector<pid_t> found;
    const auto family = process.family();
    for (const pid_t each : family) {
      if (parent_of(each) == family.front() && command_of(each).find("--mpi") != std::string::npos)
        found.push_back(each);
    }
    std::ranges::sort(found);
    return found;
  }
  // What a rank has started of this kind: plumb-mpi, or what works.
  static pid_t child_of(pid_t rank, bool is_bridge, const Process& process) {
    for (const pid_t each : process.family()) {
      const bool bridges = command_of(each).find("plumb-mpi") != std::string::npos;
      if (parent_of(each) == rank && bridges == is_bridge) return each;
    }
    return -1;
  }
  static bool none_is_left(const std::vector<pid_t>& family) {
    const auto is_there = [](pid_t process) { return !command_of(process).empty(); };
    for (int i = 0; i < 400 && std::ranges::any_of(family, is_there); ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return std::ranges::none_of(family, is_there);
  }
};

TEST_F(MpiFaults, AProcessThatDiesLosesNoVerdict) {
  const Ran here = run(check({}));
  Process process(check({"--mpi"}), ranks(4));
  const auto all = ranks_of(process);
  ASSERT_EQ(all.size(), 4U);
  const pid_t worker = child_of(all[1], false, process);
  const pid_t other = child_of(all[2], false, process);
  ASSERT_GT(worker, 0);
  ASSERT_GT(other, 0);
  kill(worker, SIGKILL);
  kill(other, SIGSTOP);  // one that hangs for a while is waited for
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  kill(other, SIGCONT);
  const auto family = process.family();
  const Ran there = process.finish();
  EXPECT_EQ(there.status, here.status) << there.err;
  EXPECT_EQ(without_times(there.out), without_times(here.out));
  EXPECT_THAT(there.err, HasSubstr("is gone; the other ranks do its work"));
  EXPECT_TRUE(none_is_left(family));
}

// MPI ends a job that has lost a rank; what was finished is in the journal.
TEST_F(MpiFaults, ARunWhoseRankDiesGoesOnFromTheJournal) {
  const Ran here = run(check({}));
  const std::string journal = folder_.path("journal");
  const auto lines = [&] { return std::ranges::count(read_whole(journal), '\n'); };
  for (const std::size_t victim : {1, 0, 3}) {
    Process process(check({"--mpi", "--journal", journal}), ranks(3));
    const auto all = ranks_of(process);
    ASSERT_EQ(all.size(), 3U);
    const auto family = process.family();
    kill(victim == 3 ? child_of(all[1], true, process) : all[victim], SIGKILL);
    EXPECT_NE(process.finish().status, 0);
    EXPECT_TRUE(none_is_left(family));
    EXPECT_GT(lines(), 1);
  }
  const Ran last = run(check({"--mpi", "--journal", journal}), ranks(2));
  EXPECT_EQ(last.status, here.status) << last.err;
  EXPECT_EQ(without_times(last.out), without_times(here.out));
  EXPECT_EQ(lines(), 26) << "nothing was done twice";
  EXPECT_EQ(run(check({"--journal", journal})).out, last.out) << "also without ranks";
  const Ran merged = run({"merge", journal});
  EXPECT_EQ(merged.out, last.out);
  EXPECT_EQ(merged.status, here.status);
}

TEST_F(MpiFaults, WhoKillsMpirunEndsTheRun) {
  folder_.write("few/00.jsonl", hard_keys(1, 3, 1));
  folder_.write("few/01.jsonl", "{\"plumb\":1,\"model\":\"register\"}\n" + hard_history());
  Process process({"check", "--mpi", folder_.path("few"), "--engine", "wgl", "--json"}, ranks(3));
  ASSERT_EQ(ranks_of(process).size(), 3U);
  const auto family = process.family();
  kill(family.front(), SIGKILL);
  EXPECT_EQ(process.finish().status, -SIGKILL);
  EXPECT_TRUE(none_is_left(family));
}

TEST_F(MpiFaults, CtrlCEndsAllRanks) {
  folder_.write("few/a.jsonl", hard_keys(1, 3, 1));
  folder_.write("few/b.jsonl", "{\"plumb\":1,\"model\":\"register\"}\n" + hard_history());
  Setting patient =
      ranks(2);  // by default, mpirun has one second between asking and killing: not enough on a busy machine
  const Words until_killed = {"--mca", "odls_base_sigkill_timeout", "10"};
  patient.under.insert(patient.under.end(), until_killed.begin(), until_killed.end());
  Process process({"check", "--mpi", folder_.path("few"), "--engine", "wgl", "--json"}, patient);
  ASSERT_TRUE(process.wait_for_output("a.jsonl", kLimit));
  const auto family = process.family();
  process.signal(SIGINT);
  const Ran ran = process.finish();
  EXPECT_NE(ran.status, 0);
  EXPECT_THAT(ran.err, HasSubstr("interrupted; 1 of 2 files checked to the end"));
  EXPECT_TRUE(none_is_left(family));
}

// Of a single file the journal has histories.
TEST_F(Mpi, TheHistoriesOfAFileAreInTheJournal) {
  fill();
  many_ += "{\"plumb\":1,\"model\":\"no such\"}\n" + operation(0, "enqueue", "1", "null", 0, 1);
  std::string large;
  for (int i = 0; i < 12; ++i) large += many_;
  folder_.write("large.jsonl", large);
  const auto in = [&](Setting setting) {
    setting.directory = folder_.path("");
    return setting;
  };
  const Words arguments = {"check", "large.jsonl", "--report", "r.svg", "--certificate", "c"};
  const auto with = [&](std::initializer_list<const char*> more) {
    Words words = arguments;
    words.insert(words.end(), more.begin(), more.end());
    return words;
  };
  const Ran here = run(with({"--journal", "here"}), in({}));
  const std::string report = read_whole(folder_.path("r.svg"));
  const std::string certificates = read_whole(folder_.path("c"));
  ASSERT_THAT(report, HasSubstr("<svg"));
  const Ran there = run(with({"--mpi", "--journal", "there"}), in(ranks(3)));
  EXPECT_EQ(there.status, here.status) << there.err;
  EXPECT_EQ(without_times(there.out), without_times(here.out));

  // As if it had been killed: the first line and every third of the others.
  std::istringstream journal(read_whole(folder_.path("there")));
  std::string some;
  std::string line;
  for (int number = 0; std::getline(journal, line); ++number) some += number % 3 == 0 ? line + "\n" : "";
  folder_.write("some", some);
  const Ran again = run(with({"--mpi", "--journal", "some"}), in(ranks(2)));
  EXPECT_EQ(without_times(again.out), without_times(here.out)) << again.err;
  EXPECT_EQ(without_times(read_whole(folder_.path("r.svg"))), without_times(report));
  EXPECT_EQ(read_whole(folder_.path("c")), certificates);
  const Ran merged = run({"merge", "here", "there", "some"}, in({}));
  EXPECT_EQ(merged.out, here.out) << merged.err;
  EXPECT_EQ(merged.status, here.status);
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
