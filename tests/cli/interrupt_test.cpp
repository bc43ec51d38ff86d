// Ctrl-C: what is known so far, status 3, within about a second, whatever the command is doing.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <csignal>
#include <thread>

#include "cli/command.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;

constexpr auto kPromised = std::chrono::seconds(4);  // one second, on a machine that does other things too

const std::string kGood = "{\"plumb\":1,\"model\":\"register\"}\n" +
                          operation(0, "write", "1", "null", 0, 10) + operation(1, "read", "", "1", 5, 20);
const std::string kHard = "{\"plumb\":1,\"model\":\"register\"}\n" + hard_history();

class Interrupted : public testing::TestWithParam<int> {};

TEST_P(Interrupted, SearchEndsWithWhatIsKnown) {
  const Folder folder;
  Process process({"check", folder.write("a.jsonl", kGood), folder.write("b.jsonl", kHard),
                   folder.write("c.jsonl", kGood), "--engine", "wgl", "--json"},
                  {});
  ASSERT_TRUE(process.wait_for_output("a.jsonl", std::chrono::seconds(20)));
  std::this_thread::sleep_for(std::chrono::milliseconds(100));  // well inside the search of b.jsonl
  const auto start = std::chrono::steady_clock::now();
  process.signal(GetParam());
  const Ran ran = process.finish();
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPromised);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("a.jsonl\",\"history\":0,\"verdict\":\"linearizable\""));
  EXPECT_THAT(ran.out, HasSubstr("b.jsonl\",\"history\":0,\"verdict\":\"unknown\""));
  EXPECT_THAT(ran.out, HasSubstr("\"why\":\"interrupted\""));
  EXPECT_EQ(ran.out.find("c.jsonl"), std::string::npos);
  EXPECT_THAT(ran.err, HasSubstr("interrupted; 1 of 3 files checked to the end"));
}

// As timeout(1) does, which signals the process and then its group. Reading a pipe that nobody writes
// to does not end at once.
TEST_P(Interrupted, TwoSignalsAtOnceAreOneRequest) {
  const Folder folder;
  const std::string pipe = folder.path("pipe.jsonl");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Process process({"check", folder.write("a.jsonl", kGood), pipe, "--json"}, {});
  ASSERT_TRUE(process.wait_for_output("a.jsonl", std::chrono::seconds(20)));
  process.signal(GetParam());
  std::this_thread::sleep_for(std::chrono::milliseconds(20));  // or the two may be one to the kernel
  process.signal(GetParam());
  const Ran ran = process.finish();
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("interrupted; 1 of 2 files checked to the end"));
}

INSTANTIATE_TEST_SUITE_P(Signals, Interrupted, testing::Values(SIGINT, SIGTERM));

// A pipe that nobody writes to: reading cannot be asked to end, the watchdog ends it.
TEST(Interrupted, ReadingEndsToo) {
  const Folder folder;
  const std::string pipe = folder.path("pipe.jsonl");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Process process({"check", folder.write("a.jsonl", kGood), pipe, "--json"}, {});
  ASSERT_TRUE(process.wait_for_output("a.jsonl", std::chrono::seconds(20)));
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  const auto start = std::chrono::steady_clock::now();
  process.signal(SIGINT);
  const Ran ran = process.finish();
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPromised);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.err, HasSubstr("interrupted; 1 of 2 files checked to the end"));
}

TEST(Interrupted, ViolationKnownBeforeStaysAViolation) {
  const Folder folder;
  const std::string bad = "{\"plumb\":1,\"model\":\"register\"}\n" +
                          operation(0, "write", "1", "null", 0, 10) + operation(1, "read", "", "2", 15, 20);
  Process process({"check", folder.write("a.jsonl", bad), folder.write("b.jsonl", kHard), "--engine", "wgl"},
                  {});
  ASSERT_TRUE(process.wait_for_output("violation", std::chrono::seconds(20)));
  process.signal(SIGINT);
  EXPECT_EQ(process.finish().status, 1);
}

}  // namespace
}  // namespace plumb::test
