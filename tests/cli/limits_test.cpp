// Limits that hold: wherever the command is when its time or memory ends, what is known comes out whole and
// soon. Times are generous, for machines that do other things too: where nothing holds the limit, what is
// waited for takes much longer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "cli/command.hpp"

namespace plumb::test {
namespace {

using testing::HasSubstr;
using testing::Not;

constexpr auto kSoon = std::chrono::seconds(8);

// `slow` takes 20 seconds, and nobody can interrupt it; `large` takes more memory than anybody would.
constexpr std::string_view kModel = R"(
#include <plumb/object_model.hpp>
#include <chrono>
#include <thread>
#include <vector>
struct Slow {
  long sum = 0;
  void quick(long n) { sum += n; }
  void slow(long n) {
    std::this_thread::sleep_for(std::chrono::seconds(20));
    sum += n;
  }
  void large(long n) {
    static std::vector<std::vector<char>> kept;
    for (int i = 0; i < 100; ++i) {
      kept.emplace_back(8 << 20, 'x');
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    sum += n;
  }
  auto fields() const { return std::tie(sum); }
};
PLUMB_MODEL(Slow, model) {
  model.operation("quick", &Slow::quick);
  model.operation("slow", &Slow::slow);
  model.operation("large", &Slow::large);
}
)";

class Limits : public testing::Test {
 protected:
  Limits() {
    // Compiles the model: what follows finds it compiled.
    EXPECT_EQ(run({"check", quick_, "--spec", spec_}).status, 0);
  }

  // Two quick ones, and then this one.
  [[nodiscard]] std::string history(const std::string& name, std::string_view last) const {
    return folder_.write(name, operation(0, "quick", "1", "null", 0, 1) +
                                   operation(1, "quick", "2", "null", 2, 3) +
                                   operation(0, last, "3", "null", 4, 5));
  }
  Ran timed(std::vector<std::string> arguments) {
    arguments.insert(arguments.end(), {"--spec", spec_});
    const auto start = std::chrono::steady_clock::now();
    Ran ran = run(arguments);
    took_ = std::chrono::steady_clock::now() - start;
    return ran;
  }

  Folder folder_;
  std::string spec_ = folder_.write("slow.cpp", kModel);
  std::string quick_ = history("quick.jsonl", "quick");
  std::string slow_ = history("slow.jsonl", "slow");
  std::string large_ = history("large.jsonl", "large");
  std::chrono::steady_clock::duration took_ = {};
};

TEST_F(Limits, AStepOfAModelIsNotWaitedForAndTheOthersAreChecked) {
  const Ran ran = timed({"check", quick_, slow_, slow_, quick_, "-t", "0.3", "--json"});
  EXPECT_LT(took_, kSoon);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, testing::MatchesRegex(".*\"linearizable\".*\n.*\"unknown\".*\n.*\"unknown\".*\n"
                                             ".*\"linearizable\".*\n"));
  EXPECT_THAT(ran.out, HasSubstr("\"why\":\"the time limit was reached\",\"operations\":3"));
  EXPECT_THAT(ran.out, HasSubstr("\"explained\":{\"operations\":2,\"next\":2}"));
}

TEST_F(Limits, TextSaysHowFarItCame) {
  const Ran ran = timed({"check", slow_, "-t", "0.2"});
  EXPECT_LT(took_, kSoon);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("explained    2 of 3 operations"));
  EXPECT_THAT(ran.out, HasSubstr("not yet      " + slow_ + ":3: process 0: slow(3)"));
}

TEST_F(Limits, HistoriesOfOneFileGoOnAfterOneThatDoesNot) {
  const auto one = [&](std::string_view last) {
    return "{\"plumb\":1}\n" + read_whole(history("x.jsonl", last));
  };
  const std::string file = folder_.write("many.jsonl", one("quick") + one("slow") + one("quick"));
  const Ran ran = timed({"check", file, "-t", "0.3", "--json"});
  EXPECT_LT(took_, kSoon);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out,
              testing::MatchesRegex(".*:0,\"verdict\":\"linearizable\".*\n.*:1,\"verdict\":\"unknown\".*\n"
                                    ".*:2,\"verdict\":\"linearizable\".*\n"));
}

TEST_F(Limits, CertificatesStayInStep) {
  const std::string proof = folder_.path("proof");
  const Ran ran = timed({"check", quick_, slow_, quick_, "-t", "0.3", "--certificate", proof});
  EXPECT_LT(took_, kSoon);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("3 histories: 2 linearizable, 0 violations, 1 unknown"));
  EXPECT_THAT(read_whole(proof), testing::MatchesRegex(".*linearizable.*unknown.*linearizable.*"));
}

TEST_F(Limits, ExplainSaysWhatIsKnown) {
  const Ran ran = timed({"explain", slow_, "-t", "0.3"});
  EXPECT_LT(took_, kSoon);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("? unknown"));
  EXPECT_THAT(ran.out, HasSubstr("the time limit was reached"));
}

TEST_F(Limits, DepthDoesNotWaitForAStepOfAModel) {
  const Ran ran = timed({"depth", quick_, slow_, slow_, quick_, "-t", "0.3", "--json"});
  EXPECT_LT(took_, kSoon);
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, testing::MatchesRegex(".*\"linearizable\".*\n.*\"unknown\".*\n.*\"unknown\".*\n"
                                             ".*\"linearizable\".*\n"));
  EXPECT_THAT(ran.out,
              HasSubstr("\"verdict\":\"unknown\",\"model\":\"Slow\",\"depth\":null,\"operations\":3"));
  EXPECT_THAT(ran.out, HasSubstr("\"concurrency\":1,\"concurrent_pairs\":0,\"families\":[1,"));
}

TEST_F(Limits, MemoryHoldsInAModelToo) {
  const Ran ran = timed({"check", quick_, large_, quick_, "--memory", "10M", "--json"});
  EXPECT_LT(took_, kSoon);  // 800 MB take ten seconds
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("\"why\":\"the memory limit was reached\""));
  EXPECT_THAT(ran.err, HasSubstr("1 of 3 files checked to the end"));
}

TEST_F(Limits, AMemoryLimitThatIsKeptChangesNothing) {
  EXPECT_EQ(timed({"check", quick_, "--memory", "64K", "-t", "60"}).status, 0);
}

// Every write is explained, and then the read is not, whatever their order.
TEST(SpentTime, ASearchSaysHowFarItCame) {
  const Ran ran =
      run({"check", "-", "-m", "register", "-t", "0.2", "-e", "wgl", "--json"}, {.input = hard_history()});
  EXPECT_EQ(ran.status, 3);
  EXPECT_THAT(ran.out, HasSubstr("\"explained\":{\"operations\":40,\"next\":40}"));
}

}  // namespace
}  // namespace plumb::test
