// plumb watch: line by line, as they come.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "cli/command.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr auto kPromised = std::chrono::seconds(4);  // one second, on a machine that does other things too

std::string event(int process, const std::string& type, const std::string& f, const std::string& value) {
  return "{\"process\":" + std::to_string(process) + ",\"type\":\"" + type + "\",\"f\":\"" + f +
         "\",\"value\":" + value + "}\n";
}
std::string whole(int process, const std::string& f, const std::string& invoked,
                  const std::string& returned) {
  return event(process, "invoke", f, invoked) + event(process, "ok", f, returned);
}

const std::string kGood =
    whole(0, "enqueue", "5", "5") + whole(0, "enqueue", "7", "7") + whole(3, "dequeue", "null", "5");
const std::string kBad =
    whole(0, "enqueue", "5", "5") + whole(0, "enqueue", "7", "7") + whole(3, "dequeue", "null", "7");

Ran watch(const std::string& input, std::vector<std::string> more = {"-m", "queue"}) {
  more.insert(more.begin(), "watch");
  Setting setting;
  setting.input = input;
  return run(more, setting);
}

TEST(Watch, SaysWhatIsImpossibleAndWhere) {
  const Ran ran = watch(kBad);
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.out,
            "-:6: violation: `dequeue → 7` by process 3 is impossible: 5 was enqueued before 7 and is still "
            "inside\n"
            "  operations concerned: 2 (lines 5 and 6), 1 (lines 3 and 4), 0 (lines 1 and 2)\n"
            "violation: 3 operations, 6 events, 0 open; 1 violation\n");
}

TEST(Watch, EndsAtTheFirstViolationWithoutReadingOn) {
  const Ran ran = watch(kBad + "this is no event\n");
  EXPECT_EQ(ran.status, 1);
  EXPECT_EQ(ran.err, "");
}

// A lost pop, and then a peek, which the monitor that goes on after the pop knows nothing of: judged by what is inside, or, after a violation,
// not at all.
TEST(Watch, APeekAfterAPopThatIsLost) {
  const std::string lost = event(1, "invoke", "pop", "null") + event(1, "info", "pop", "null");
  const std::string peeks[] = {whole(2, "peek", "null", "10"), event(2, "invoke", "peek", "null"),
                               event(2, "invoke", "peek", "null") + event(2, "info", "peek", "null"),
                               event(2, "invoke", "peek", "null") + event(2, "fail", "peek", "null")};
  std::string enough;
  for (int i = 0; i < 12'000; ++i)
    enough += whole(0, "push", std::to_string(i + 100), std::to_string(i + 100)) +
              (i < 2 ? "" : whole(0, "pop", "null", std::to_string(i + 100)));
  for (const std::string& peek : peeks) {
    const Ran ran = watch(enough + lost + whole(0, "push", "10", "10") + peek, {"-m", "stack"});
    EXPECT_EQ(ran.status, 0) << peek << ran.out << ran.err;
    const Ran after = watch(whole(0, "pop", "null", "8") + lost + whole(0, "push", "10", "10") + peek,
                            {"-m", "stack", "--keep-going"});
    EXPECT_EQ(after.status, 1) << peek;
    EXPECT_THAT(after.out, HasSubstr("1 violation")) << peek;
  }
}

TEST(Watch, OpenOperationsAtTheEndAreNormal) {
  const Ran ran = watch(kGood + event(1, "invoke", "dequeue", "null"));
  EXPECT_EQ(ran.status, 0);
  EXPECT_EQ(ran.out, "linearizable: 4 operations, 7 events, 1 open; 0 violations\n");
}

TEST(Watch, EmptyInputIsAnEmptyHistory) { EXPECT_EQ(watch("").status, 0); }

TEST(Watch, OneObjectALineWithJson) {
  const Ran ran = watch(kBad, {"-", "-m", "queue", "--json"});
  EXPECT_THAT(
      ran.out,
      HasSubstr("{\"file\":\"-\",\"verdict\":\"violation\",\"model\":\"queue\",\"line\":6,\"violation\":{"
                "\"operations\":[2,1,0],\"reason\":"));
  EXPECT_THAT(ran.out,
              HasSubstr("\n{\"file\":\"-\",\"verdict\":\"violation\",\"model\":\"queue\",\"why\":\"\","
                        "\"operations\":3,\"pending\":0,\"events\":6,\"violations\":1,\"skipped\":0}\n"));
}

TEST(Watch, KeepsGoing) {
  const Ran ran = watch(kBad + whole(1, "dequeue", "null", "9") + whole(1, "enqueue", "8", "8") +
                            whole(1, "dequeue", "null", "8") + whole(1, "dequeue", "null", "8"),
                        {"-m", "queue", "--keep-going"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("-:6: violation"));
  EXPECT_THAT(ran.out, HasSubstr("-:8: violation: `dequeue → 9`"));
  EXPECT_THAT(ran.out, HasSubstr("-:14: violation: `dequeue → 8`"));
  EXPECT_THAT(ran.out, HasSubstr("; 3 violations\n"));
}

TEST(Watch, KeepsGoingWithOtherModels) {
  const Ran set = watch(whole(0, "add", "1", "true") + whole(0, "add", "1", "true") +
                            whole(0, "contains", "1", "true") + whole(0, "contains", "1", "false"),
                        {"-m", "set", "--keep-going"});
  EXPECT_THAT(set.out, HasSubstr("-:4: violation: `add(1) → true`"));
  EXPECT_THAT(set.out, HasSubstr("-:8: violation: `contains(1) → false`"));
  EXPECT_THAT(set.out, HasSubstr("; 2 violations\n"));
  const Ran cell =
      watch(whole(0, "write", "1", "1") + whole(0, "write", "2", "2") + whole(1, "read", "null", "1") +
                whole(1, "read", "null", "2") + whole(1, "read", "null", "3"),
            {"-m", "register", "--keep-going"});
  EXPECT_THAT(cell.out, HasSubstr("-:6: violation: `read → 1`"));
  EXPECT_THAT(cell.out, HasSubstr("-:10: violation: `read → 3`"));
  EXPECT_THAT(cell.out, HasSubstr("; 2 violations\n"));
  const Ran least = watch(whole(0, "insert", "1", "null") + whole(0, "insert", "2", "null") +
                              whole(1, "extract_min", "null", "2") + whole(1, "extract_min", "null", "7"),
                          {"-m", "priority-queue", "--keep-going"});
  EXPECT_THAT(least.out, HasSubstr("-:6: violation: `extract_min → 2`"));
  EXPECT_THAT(least.out, HasSubstr("-:8: violation: `extract_min → 7`"));
  EXPECT_THAT(least.out, HasSubstr("; 2 violations\n"));
}

TEST(Watch, KeepsGoingWithAStack) {
  const Ran ran =
      watch(whole(0, "push", "1", "1") + whole(0, "push", "2", "2") + whole(1, "pop", "null", "1") +
                whole(1, "pop", "null", "2") + whole(1, "pop", "null", "7") + whole(0, "push", "3", "3") +
                whole(1, "pop", "null", "null"),
            {"-m", "stack", "--keep-going"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out,
              HasSubstr("-:6: violation: `pop → 1` by process 1 is impossible: 2 was pushed after 1 and "
                        "is still inside\n"
                        "  operations concerned: 2 (lines 5 and 6), 0 (lines 1 and 2), 1 (lines 3 and 4)\n"));
  EXPECT_THAT(ran.out, HasSubstr("-:10: violation: `pop → 7` by process 1 is impossible: 7 is not inside"));
  EXPECT_THAT(ran.out,
              HasSubstr("-:14: violation: `pop → empty` by process 1 is impossible: at each moment while it "
                        "ran a value was surely inside (3 was)\n"));
  EXPECT_THAT(ran.out, HasSubstr("; 3 violations\n"));
}

// Texts, so that it is recorded.
const std::string kRecordedBad = whole(0, "push_back", "\"a\"", "null") +
                                 whole(0, "push_back", "\"b\"", "null") +
                                 whole(1, "pop_back", "null", "\"a\"");

TEST(Watch, AfterAViolationARecordedObjectIsNotJudgedAnyFurther) {
  const Ran ran =
      watch(kRecordedBad + whole(1, "pop_back", "null", "\"never pushed\""), {"-m", "deque", "--keep-going"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("-:6: violation: "));
  EXPECT_THAT(ran.out, HasSubstr("violation: 4 operations, 8 events, 0 open; 1 violation\n"));
  EXPECT_EQ(watch(kRecordedBad, {"-m", "deque"}).status, 1);
}

TEST(Watch, ABrokenLineIsSkippedButRemembered) {
  const Ran good = watch("{\"process\":0,\n" + kGood);
  EXPECT_EQ(good.status, 2);
  EXPECT_THAT(good.err, HasSubstr("-:1:1"));
  EXPECT_THAT(good.err, HasSubstr("(this line is skipped)"));
  EXPECT_THAT(good.out, HasSubstr("unknown: 3 operations, 6 events, 0 open; 0 violations; 1 line skipped\n"));
  const Ran bad = watch(whole(0, "enqueue", "5", "5") + "{\"process\":0,\"type\":\"invoke\"\n" +
                        whole(0, "enqueue", "7", "7") + whole(3, "dequeue", "null", "7"));
  EXPECT_EQ(bad.status, 1);
  EXPECT_THAT(bad.err, HasSubstr("-:3:"));
  EXPECT_THAT(bad.out,
              HasSubstr("(1 line was skipped before; if one of them was an event, it may explain this)"));
}

TEST(Watch, ABrokenLineIsFatalWhenStrict) {
  const Ran ran = watch(kGood + "{\"process\":0,\n" + kBad, {"-m", "queue", "--strict"});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("-:7:"));
  EXPECT_EQ(ran.out, "");
}

TEST(Watch, AResponseWithoutInvocationIsAnInputError) {
  const Ran ran = watch(kGood + event(4, "ok", "dequeue", "1") + kBad);
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("-:7:1: 'ok' of process 4 without an invocation"));
  EXPECT_EQ(ran.out, "");
}

TEST(Watch, OnlyAResponseWithoutInvocationEndsTheRun) {
  const Ran hist = watch("[1] call enqueue(1)\n[1] return\n[2] return 1\n[3] call dequeue\n");
  EXPECT_EQ(hist.status, 2);
  EXPECT_EQ(hist.out, "");
  const Ran skipped = watch("[1] call enqueue(1)\n[1] bogus\n[2] return 1\n[1] return\n");
  EXPECT_EQ(skipped.status, 2);
  EXPECT_THAT(skipped.out,
              HasSubstr("unknown: 1 operation, 2 events, 0 open; 0 violations; 2 lines skipped"));
  // words in a name mean nothing
  const Ran named =
      watch(event(0, "info", "x", "null") + event(1, "invoke", "without an invocation", "1") + kGood);
  EXPECT_THAT(named.out, HasSubstr("unknown: 3 operations, 6 events, 0 open; 0 violations; 1 line skipped"));
}

TEST(Watch, ModelAndInitialValueFromAHeader) {
  EXPECT_EQ(
      watch("{\"plumb\":1,\"model\":\"queue\",\"initial\":[1,2]}\n" + whole(0, "dequeue", "null", "1"), {})
          .status,
      0);
  EXPECT_EQ(
      watch("{\"plumb\":1,\"model\":\"queue\",\"initial\":[1,2]}\n" + whole(0, "dequeue", "null", "2"), {})
          .status,
      1);
  const Ran ran = watch(kGood, {});
  EXPECT_EQ(ran.status, 2);
  EXPECT_THAT(ran.err, HasSubstr("no model is named"));
  EXPECT_EQ(watch(kGood, {"-m", "qeue"}).status, 2);
}

TEST(Watch, EachObjectOnItsOwn) {
  const std::string a = R"({"process":0,"type":"invoke","f":"enqueue","value":1,"object":"a"})"
                        "\n"
                        R"({"process":0,"type":"ok","f":"enqueue","value":1})"
                        "\n";
  const std::string b = R"({"process":0,"type":"invoke","f":"dequeue","value":null,"object":"b"})"
                        "\n"
                        R"({"process":0,"type":"ok","f":"dequeue","value":1})"
                        "\n";
  EXPECT_EQ(watch(a).status, 0);
  const Ran ran = watch(a + b);
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, HasSubstr("\n  object: \"b\"\n"));
  EXPECT_THAT(watch(a + b, {"-m", "queue", "--json"}).out, HasSubstr(R"(,"object":"b"}})"));
}

// A read of the one register after a write of the other.
TEST(Watch, IndependentKeysAreObjects) {
  const auto read = [](int value) {
    return std::string(
               "{:process 0 :type :invoke :f :write :value [1 5]}\n{:process 0 :type :ok :f :write :value [1 "
               "5]}\n") +
           "{:process 0 :type :invoke :f :read :value [2 nil]}\n{:process 0 :type :ok :f :read :value [2 " +
           (value == 0 ? "nil" : std::to_string(value)) + "]}\n";
  };
  EXPECT_EQ(watch(read(0), {"-m", "register", "--format", "independent"}).status, 0);
  EXPECT_EQ(watch(read(5), {"-m", "register", "--format", "independent"}).status, 1);
  const Ran hist =
      watch("[1] call write(3)\n[1] return\n", {"-m", "register", "--format", "independent", "--strict"});
  EXPECT_EQ(hist.status, 2);
  EXPECT_THAT(hist.err, HasSubstr("-:1:1: not an event of Jepsen"));
}

TEST(Watch, OtherFormats) {
  EXPECT_EQ(watch("; a comment\n{:process 0, :type :invoke, :f :enqueue, :value 1}\n{:process 0, :type :ok, "
                  ":f :enqueue, "
                  ":value 1}\n{:process 1, :type :invoke, :f :dequeue}\n{:process 1, :type :ok, :f :dequeue, "
                  ":value 2}\n")
                .status,
            1);
  EXPECT_EQ(watch("# @object atomic-queue\n[1] call add(1)\n[1] return\n[2] call remove\n[2] return 1\n", {})
                .status,
            0);
  EXPECT_EQ(watch("# @object atomic-queue\n[1] call add(1)\n[1] return\n[2] call remove\n[2] return 3\n", {})
                .status,
            1);
  EXPECT_EQ(
      watch("starting up\nINFO  jepsen.util - 2\t:invoke\t:write\t4\nINFO  jepsen.util - 2\t:ok\t:write\t4\n"
            "INFO  jepsen.util - 1\t:invoke\t:read\tnil\nINFO  jepsen.util - 1\t:ok\t:read\t3\n",
            {"-m", "register"})
          .status,
      1);
}

TEST(Watch, WholeOperationsAreJudgedAtTheEnd) {
  const Ran ran = watch(operation(0, "enqueue", "1", "null", 0, 5) + operation(1, "dequeue", "", "2", 2, 9));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("jsonl has whole operations"));
}

TEST(Watch, TerminalCodesInValuesAreShownNotObeyed) {
  const Ran ran = watch(whole(0, "dequeue", "null", "\"\\u001b[31mred\""));
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.out, Not(HasSubstr("\x1b")));
}

TEST(Watch, FailedAndLostOperations) {
  const std::string failed = event(0, "invoke", "enqueue", "1") + event(0, "fail", "enqueue", "1");
  const std::string lost = event(0, "invoke", "enqueue", "1") + event(0, "info", "enqueue", "1");
  EXPECT_EQ(watch(failed + whole(1, "dequeue", "null", "1")).status, 1);
  EXPECT_EQ(watch(lost + whole(1, "dequeue", "null", "1")).status, 0);
  EXPECT_EQ(watch(lost + whole(1, "dequeue", "null", "null")).status, 0);
}

// The writer pauses in the middle; the verdict is there before the input ends.
TEST(Watch, SpeaksBeforeTheInputEnds) {
  const Folder folder;
  const std::string pipe = folder.path("pipe");
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  Process process({"watch", pipe, "-m", "queue", "--keep-going"}, {});
  const int writer = open(pipe.c_str(), O_WRONLY);  // NOLINT(cppcoreguidelines-pro-type-vararg)
  const std::string half = kBad.substr(0, kBad.size() - 1);
  ASSERT_EQ(write(writer, half.data(), half.size()), static_cast<ssize_t>(half.size()));
  EXPECT_FALSE(
      process.wait_for_output("violation", std::chrono::milliseconds(200)));  // the line has no end yet
  ASSERT_EQ(write(writer, "\n", 1), 1);
  EXPECT_TRUE(process.wait_for_output("violation", kPromised));
  close(writer);
  EXPECT_EQ(process.finish().status, 1);
}

TEST(Watch, FollowsAGrowingFile) {
  const Folder folder;
  const std::string path = folder.write("run.events", kGood);
  Process process({"watch", path, "-m", "queue", "--follow"}, {});
  std::this_thread::sleep_for(std::chrono::milliseconds(150));
  std::ofstream(path, std::ios::app) << whole(2, "dequeue", "null", "8") << std::flush;
  EXPECT_TRUE(process.wait_for_output("`dequeue → 8`", kPromised));
  EXPECT_EQ(process.finish().status, 1);
}

TEST(Watch, InterruptedSaysWhatIsKnown) {
  const Folder folder;
  const std::string path = folder.write("run.events", kGood);
  Process process({"watch", path, "-m", "queue", "--follow"}, {});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const auto start = std::chrono::steady_clock::now();
  process.signal(SIGINT);
  const Ran ran = process.finish();
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPromised);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("unknown: 3 operations, 6 events, 0 open; 0 violations; interrupted\n"));
}

// Whole operations are judged at the end, which never came; but they were read.
TEST(Watch, InterruptedWhileItCollectsSaysHowManyItHas) {
  const Folder folder;
  const std::string path = folder.write(
      "run.jsonl", operation(0, "enqueue", "1", "null", 0, 1) + operation(1, "dequeue", "", "1", 2, 3));
  Process process({"watch", path, "-m", "queue", "--follow"}, {});
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  process.signal(SIGINT);
  const Ran ran = process.finish();
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out,
              HasSubstr("unknown: 2 operations, 4 events, 0 open; 0 violations; interrupted before the end"));
  EXPECT_THAT(ran.err, HasSubstr("plumb check judges what the file holds"));
  EXPECT_THAT(ran.err, Not(HasSubstr("no operations")));
}

TEST(Watch, ARecordedRunInterrupted) {
  const Folder folder;
  for (const bool bad : {false, true}) {
    const std::string path =
        folder.write("run.events", bad ? kRecordedBad : whole(0, "push_back", "\"a\"", "null"));
    Process process({"watch", path, "-m", "deque", "--follow", "--keep-going"}, {});
    if (bad) {
      EXPECT_TRUE(process.wait_for_output("violation", kPromised));
    } else {
      std::this_thread::sleep_for(std::chrono::milliseconds(300));
    }
    process.signal(SIGINT);
    const Ran ran = process.finish();
    EXPECT_EQ(ran.status, bad ? 1 : 3);
    EXPECT_THAT(ran.out, HasSubstr(bad ? "; 1 violation; interrupted\n" : "; 0 violations; interrupted\n"));
  }
}

// So many orders of overlapping insertions that no search comes to an end, and more of them at a time than the engine for repeated values
// takes. One value is inserted twice, so that none looks ahead.
TEST(Watch, ACheckOfARecordingInterrupted) {
  const auto value = [](int i) { return "\"v" + std::to_string(i % 69) + "\""; };
  std::string input;
  for (int i = 0; i < 70; ++i) input += event(i, "invoke", "push_back", value(i));
  for (int i = 0; i < 70; ++i) input += event(i, "ok", "push_back", "null");
  for (int i = 0; i < 69; ++i) input += whole(0, "pop_front", "null", value(i));
  input += whole(0, "pop_front", "null", value(3));
  Setting setting;
  setting.input = input;
  Process process({"watch", "-m", "deque"}, setting);
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  const auto start = std::chrono::steady_clock::now();
  process.signal(SIGINT);
  const Ran ran = process.finish();
  EXPECT_LT(std::chrono::steady_clock::now() - start, kPromised);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("unknown: "));
}

}  // namespace
}  // namespace plumb::test
