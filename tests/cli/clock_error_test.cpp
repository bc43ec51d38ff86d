// --clock-error and --time-unit on the command line; what is said of histories that several machines timed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/command.hpp"
#include "report/renderers.hpp"

namespace plumb::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

// A write of 5 ms, and 2 ms later a read that does not see it.
const std::string kStale =
    "{\"plumb\":1,\"model\":\"register\"}\n"
    "{\"process\":0,\"f\":\"write\",\"args\":[1],\"call\":0,\"return\":5000000}\n"
    "{\"process\":1,\"f\":\"read\",\"result\":null,\"call\":7000000,\"return\":9000000}\n";

TEST(ClockError, DecidesWhatTheTimesDoNot) {
  const Folder folder;
  const std::string file = folder.write("a.jsonl", kStale);
  EXPECT_EQ(run({"check", file}).status, 1);
  EXPECT_EQ(run({"check", file, "--clock-error", "0"}).status, 1);
  EXPECT_EQ(run({"check", file, "--clock-error", "0.999"}).status, 1);
  const Ran fine = run({"check", file, "--clock-error", "1", "--json"});
  EXPECT_EQ(fine.status, 0) << fine.err;
  EXPECT_THAT(fine.out, HasSubstr(R"("engine":"clocks","why":"the clocks may be off by 1 ms")"));
  EXPECT_EQ(run({"check", file, "--clock-error", "1", "--time-unit", "us"}).status, 1);
  EXPECT_EQ(run({"check", file, "--clock-error", "1000", "--time-unit", "us"}).status, 0);
}

TEST(ClockError, IsTold) {
  const Folder folder;
  const std::string file = folder.write("a.jsonl", kStale);
  EXPECT_THAT(run({"explain", file}).out, HasSubstr("--clock-error 1"));
  const Ran still = run({"explain", file, "--clock-error", "0.5"});
  EXPECT_EQ(still.status, 1);
  EXPECT_THAT(still.out, HasSubstr("Even if every clock is off by up to 0.5"));
  for (const Renderer& each : kRenderers) {
    const std::string name = "a" + std::string(each.ending);
    EXPECT_EQ(run({"report", file, "-q", "--clock-error", "0.5", "-o", folder.path(name)}).status, 1) << name;
    EXPECT_EQ(run({"report", file, "-q", "--clock-error", "1", "-o", folder.path(name)}).status, 0) << name;
  }
}

TEST(ClockError, IsRefusedWhereItCannotBe) {
  const Folder folder;
  const std::string events = folder.write("a.edn", "{:process 0 :type :invoke :f :write :value 1}\n");
  const Ran no_times = run({"check", events, "-m", "register", "--clock-error", "5"});
  EXPECT_EQ(no_times.status, 2);
  EXPECT_THAT(no_times.out, IsEmpty());
  EXPECT_THAT(no_times.err, HasSubstr("this history has none"));
  const std::string file = folder.write("a.jsonl", kStale);
  for (const char* wrong : {"-1", "x", "", "nan", "1e99"}) {
    const Ran ran = run({"check", file, "--clock-error", wrong});
    EXPECT_EQ(ran.status, 2) << wrong;
    EXPECT_THAT(ran.err, HasSubstr("clock-error")) << wrong;
  }
  EXPECT_EQ(run({"check", file, "--clock-error", "1", "--relax", "read=1"}).status, 2);
  const Ran proof = run({"check", file, "--clock-error", "1", "--certificate", folder.path("a.cert")});
  EXPECT_EQ(proof.status, 2);
  EXPECT_THAT(proof.err, HasSubstr("no certificate"));
}

std::string spans_of(const std::string& host, const std::string& spans) {
  return R"({"resourceSpans":[{"resource":{"attributes":[{"key":"host.name","value":{"stringValue":")" +
         host + R"("}}]},"scopeSpans":[{"spans":[)" + spans + "]}]}]}\n";
}

TEST(ClockError, IsSuggestedWhereSeveralMachinesTimed) {
  const Folder folder;
  const std::string write =
      R"({"spanId":"1","name":"write","startTimeUnixNano":"1000000","endTimeUnixNano":"5000000","attributes":[{"key":"plumb.args","value":{"intValue":"1"}}]})";
  const std::string read =
      R"({"spanId":"2","name":"read","startTimeUnixNano":"7000000","endTimeUnixNano":"9000000","attributes":[{"key":"plumb.result.json","value":{"stringValue":"null"}}]})";
  const std::string two = folder.write("two.json", spans_of("a", write) + spans_of("b", read));
  const Ran ran = run({"check", two, "-m", "register"});
  EXPECT_EQ(ran.status, 1);
  EXPECT_THAT(ran.err, HasSubstr("the times are those of 2 machines"));
  EXPECT_THAT(run({"check", two, "-m", "register", "--clock-error", "0.5"}).err, Not(HasSubstr("machines")));
  const std::string one = folder.write("one.json", spans_of("a", write + "," + read));
  EXPECT_THAT(run({"check", one, "-m", "register"}).err, Not(HasSubstr("machines")));
}

// What Jepsen leaves behind: one history, in several forms.
TEST(JepsenFolder, IsReadOnce) {
  const Folder folder;
  const std::string edn =
      "{:process 0 :type :invoke :f :write :value 1}\n{:process 0 :type :ok :f :write :value 1}\n";
  const std::string text = "0\t:invoke\t:write\t1\n0\t:ok\t:write\t1\n";
  folder.write("history.txt", text);
  folder.write("jepsen.log", "INFO  jepsen.util - 0\t:invoke\t:write\t1\n");
  folder.write("results.edn", "{:valid? true}\n");
  const Ran from_text = run({"check", folder.path(""), "-m", "register"});
  EXPECT_EQ(from_text.status, 0) << from_text.err;
  EXPECT_THAT(from_text.out, HasSubstr("history.txt"));
  folder.write("history.edn", edn);
  const Ran ran = run({"check", folder.path(""), "-m", "register"});
  EXPECT_EQ(ran.status, 0) << ran.err;
  EXPECT_THAT(ran.out, HasSubstr("history.edn"));
  EXPECT_THAT(ran.out, Not(HasSubstr("history.txt")));
}

}  // namespace
}  // namespace plumb::test
